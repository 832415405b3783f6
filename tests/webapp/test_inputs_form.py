"""The guided form: presets, rows, problems beside their fields; what was typed is kept, what was given stored."""

from typing import Any

import pytest

import planner
from tests.webapp.people import browser_of
from tests.webapp.scenario_form import filled
from webapp.accounts.models import User
from webapp.customers.models import Customer
from webapp.customers.services import customer_create
from webapp.scenarios.models import Scenario
from webapp.scenarios.services import scenario_create

pytestmark = pytest.mark.django_db

NEW = "/scenarios/new/"


@pytest.fixture
def customer(alice: User) -> Customer:
    return customer_create(user=alice, name="Lakeside Computing")


def opened(user: User, address: str = NEW, **query: str) -> Any:
    return browser_of(user).get(address, query).context


def sent_form(user: User, customer: Customer, **changes: str) -> Any:
    """Fill the form from the preset, change some fields, send it."""
    sent = filled(opened(user, preset="cold-recovery"), customer=str(customer.id), **changes)
    return browser_of(user).post(NEW, sent)


def errors_of(response: Any) -> dict[str, Any]:
    view = response.context["inputs"]
    found = {one.path: one.errors for part in view.sections for one in (*part.controls, *part.rare) if one.errors}
    found |= {cell.name: cell.errors for row in view.rows for cell in row if cell.errors}
    if view.datasets_errors:
        found["evidence.datasets"] = view.datasets_errors
    if view.rows_errors:
        found["storage.candidates"] = view.rows_errors
    return found


@pytest.mark.parametrize("name", ["cold-recovery", "cold-recovery-long-answers"])
def test_a_preset_becomes_the_planners_example(alice: User, customer: Customer, name: str) -> None:
    sent = filled(opened(alice, preset=name), customer=str(customer.id))
    assert browser_of(alice).post(NEW, sent).status_code == 302
    scenario = Scenario.objects.get()
    stored = planner.load_scenario(scenario.titled_inputs).document()
    example = planner.load_scenario(name).document()
    assert set(example.pop("defaults")) <= set(stored.pop("defaults"))  # a row equal to its default is not stored
    assert {**stored, "title": ""} == {**example, "title": ""}


def test_an_empty_form_is_the_defaults_and_stores_none_of_them(alice: User, customer: Customer) -> None:
    response = browser_of(alice).post(NEW, filled(opened(alice), title="Defaults", customer=str(customer.id)))
    assert response.status_code == 302
    scenario = Scenario.objects.get()
    assert scenario.inputs == {"schema": "scenario", "version": 1}
    assert planner.load_scenario(scenario.inputs).given == frozenset()


def test_every_field_shows_unit_range_help_and_basis(alice: User) -> None:
    controls = {one.path: one for part in opened(alice)["inputs"].sections for one in (*part.controls, *part.rare)}
    assert set(controls) == {
        path for path, record in planner.fields.fields().items() if record.kind not in {"candidates", "list"}
    }
    tokens = controls["workload.output_tokens"]
    assert (tokens.record.unit, tokens.range, tokens.basis) == ("tokens", "2 to 1,000,000 tokens", "assumed")
    assert tokens.placeholder == "64"
    assert controls["money.gpu_cny_per_hour"].placeholder == "not known"
    assert all(one.help for one in controls.values())


@pytest.mark.parametrize(
    ("path", "text", "words"),
    [
        ("model.id", "gpt-unknown", "not one of the choices"),
        ("cluster.node", "h100<script>", "not one of the choices"),
        ("workload.concurrency_count", "0", "1 to 4,096 requests"),
        ("workload.concurrency_count", "-3", "1 to 4,096 requests"),
        ("workload.concurrency_count", "2.5", "whole number"),
        ("workload.hit_fraction", "1.2", "0 to 1"),
        ("workload.hit_fraction", "80", "0.3 is thirty percent"),
        ("workload.hit_fraction", "80 %", "0 to 1"),
        ("workload.output_tokens", "1", "2 to 1,000,000"),
        ("workload.prompt_tokens", "1e30", "1 to 10,000,000"),
        ("workload.prompt_tokens", "1,000", "1 to 10,000,000"),
        ("money.gpu_cny_per_hour", "NaN", "0.01 to 10,000"),
        ("money.gpu_cny_per_hour", "inf", "0.01 to 10,000"),
        ("money.gpu_cny_per_hour", "-inf", "0.01 to 10,000"),
        ("money.gpu_cny_per_hour", "٣", "0.01 to 10,000"),
        ("money.pue_ratio", "=cmd|' /c'!A1", "1 to 3"),
        ("money.book_date", "tomorrow", "YYYY-MM-DD"),
        ("money.book_date", "2019-01-01", "No approved version"),
        ("money.book", "another", "no such price book"),
        ("cluster.tensor_parallel_count", "3", "divisor"),
        ("row-0-id", "fx900", "not one of the choices"),
        ("row-0-ports_count", "99", "1 to 6"),
        ("row-3-ports_count", "0", "1 to 12"),
        ("row-1-nodes_per_array_count", "x", "1 to 10,000"),
        ("evidence.datasets", "r77", "no such dataset"),
    ],
)
def test_a_wrong_value_is_said_beside_its_field_and_kept(
    alice: User, customer: Customer, path: str, text: str, words: str
) -> None:
    response = sent_form(alice, customer, **{path: text})
    assert response.status_code == 200
    errors = errors_of(response)
    assert set(errors) == {path}
    assert words in " ".join(errors[path])
    html = response.content.decode()
    assert "<script>" not in html
    if not path.startswith(("model", "cluster.node")):
        assert text.replace("'", "&#x27;") in html  # as typed
    assert not Scenario.objects.exists()


def test_all_problems_are_said_at_once(alice: User, customer: Customer) -> None:
    wrong = {"workload.output_tokens": "1", "workload.hit_fraction": "80", "row-2-drives_count": "-1"}
    response = sent_form(alice, customer, **wrong, title="")
    assert set(errors_of(response)) == set(wrong)
    assert response.context["form"].errors["title"]


def test_a_folded_field_with_an_error_is_unfolded(alice: User, customer: Customer) -> None:
    view = sent_form(alice, customer, money__pue_ratio="0.5").context["inputs"]
    assert [part.code for part in view.sections if part.rare_is_open] == ["money"]


def test_rows_come_and_go_without_losing_what_was_typed(alice: User, customer: Customer) -> None:
    added = sent_form(alice, customer, add_row="1", workload__output_tokens="not yet", title="Half done")
    view = added.context["inputs"]
    assert len(view.rows) == 5
    assert not view.has_errors
    html = added.content.decode()
    assert 'value="not yet"' in html
    assert 'value="Half done"' in html
    sent = filled(added.context, remove_row="0")
    removed = browser_of(alice).post(NEW, sent).context["inputs"]
    assert [row[0].value for row in removed.rows] == ["fx200", "fx300", "fx400", ""]
    assert not Scenario.objects.exists()


def test_no_array_at_all_is_refused(alice: User, customer: Customer) -> None:
    sent = filled(opened(alice), title="None", customer=str(customer.id))
    sent = {name: value for name, value in sent.items() if not name.startswith("row-")}
    assert set(errors_of(browser_of(alice).post(NEW, sent))) == {"storage.candidates"}


def test_an_unknown_gpu_cost_stays_unknown(alice: User, customer: Customer) -> None:
    assert sent_form(alice, customer, money__gpu_cny_per_hour="").status_code == 302
    assert planner.load_scenario(Scenario.objects.get().inputs).money.gpu_cny_per_hour is None


def test_a_preset_that_does_not_exist_is_said(alice: User) -> None:
    response = browser_of(alice).get(NEW, {"preset": "../../etc/passwd"})
    assert response.status_code == 200
    assert "There is no such preset" in response.content.decode()


@pytest.mark.parametrize(
    "inputs",
    [
        {"nonsense": 1, "workload": {"output_tokens": 64, "colour": "red"}},
        {"workload": 3},
        {"workload": {"output_tokens": [1, 2], "hit_fraction": {"a": 1}}},
        {"storage": {"candidates": "fx100"}},
        {"storage": {"candidates": [{"id": "fx100", "more": 1}]}},
        {"evidence": {"datasets": [1, 2]}},
        {"model": {"id": True}},
    ],
)
def test_whatever_is_stored_opens_and_says_what_has_no_place(
    alice: User, customer: Customer, inputs: dict[str, Any]
) -> None:
    scenario = scenario_create(user=alice, customer=customer, title="Old", inputs=inputs)
    url = f"/scenarios/{scenario.id}/edit/"
    response = browser_of(alice).get(url)
    assert "Saving leaves them out" in response.content.decode()
    assert browser_of(alice).post(url, filled(response.context)).status_code == 302
    scenario.refresh_from_db()
    planner.load_scenario(scenario.inputs)  # what is saved can be evaluated


def test_what_was_given_stays_given(alice: User, customer: Customer) -> None:
    given = {"workload": {"output_tokens": 64}, "evidence": {"datasets": ["r2", "r3", "r3-repeat", "r4"]}}
    scenario = scenario_create(user=alice, customer=customer, title="Given", inputs=given)
    url = f"/scenarios/{scenario.id}/edit/"
    browser_of(alice).post(url, filled(browser_of(alice).get(url).context))
    scenario.refresh_from_db()
    assert planner.load_scenario(scenario.inputs).given == {"workload.output_tokens", "evidence.datasets"}


def test_a_flood_of_rows_and_datasets_is_refused(alice: User, customer: Customer) -> None:
    rows = {f"row-{number}-id": "fx100" for number in range(500)}
    response = sent_form(alice, customer, **rows)
    assert set(errors_of(response)) == {"storage.candidates"}
