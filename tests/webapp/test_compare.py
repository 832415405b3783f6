"""Scenarios and versions side by side: right figures, marked differences, restored versions, foreign ids."""

import pytest

from planner.scenario import read_mapping
from tests.webapp.people import browser_of
from webapp.accounts.models import User
from webapp.customers.services import customer_create
from webapp.evaluations.services import evaluate_inputs
from webapp.scenarios.models import Scenario
from webapp.scenarios.services import scenario_create, scenario_update

pytestmark = pytest.mark.django_db

SHORT, LONG = (dict(read_mapping(name)) for name in ("cold-recovery", "cold-recovery-long-answers"))


@pytest.fixture
def pair(alice: User) -> list[Scenario]:
    customer = customer_create(user=alice, name="A customer")
    return [
        scenario_create(user=alice, customer=customer, title=title, inputs=inputs)
        for title, inputs in (("Short", SHORT), ("<i>Long</i>", LONG))
    ]


def test_two_scenarios_differ_in_answer_length_alone(alice: User, pair: list[Scenario]) -> None:
    response = browser_of(alice).get("/scenarios/compare/", {"id": [each.id for each in pair]})
    comparison = response.context["comparison"]
    assert [(row.label, list(row.cells)) for row in comparison.different] == [("Answer length", ["64", "1024"])]
    figures = {row.label: list(row.cells) for row in comparison.figures}
    rates = [evaluate_inputs(each.titled_inputs).option("fx200").at.output_tokens_per_s for each in pair]
    assert figures["Output rate"] == [f"{rate.p50:.1f} tok/s" for rate in rates]
    assert figures["Verdict"][0] == "FX200 · pays"
    assert "<i>Long</i>" not in response.content.decode()


def test_a_scenario_without_a_result_stands_beside_one_with(alice: User, pair: list[Scenario]) -> None:
    bad = scenario_create(user=alice, customer=pair[0].customer, title="Bad", inputs={"workload": {"hit_fraction": 80}})
    comparison = browser_of(alice).get("/scenarios/compare/", {"id": [bad.id, pair[0].id]}).context["comparison"]
    assert comparison.figures[0].cells[0] == "inputs to be corrected"
    assert comparison.figures[1].cells[0] == "–"


@pytest.mark.parametrize("count", [0, 1, 7])
def test_too_few_or_too_many_are_said(alice: User, pair: list[Scenario], count: int) -> None:
    customer = pair[0].customer
    more = [scenario_create(user=alice, customer=customer, title=str(n), inputs={}) for n in range(5)]
    chosen = [each.id for each in [*pair, *more][:count]]
    response = browser_of(alice).get("/scenarios/compare/", {"id": chosen}, follow=True)
    assert "Choose two to 6 scenarios" in response.content.decode()


def test_the_same_one_twice_is_one(alice: User, pair: list[Scenario]) -> None:
    response = browser_of(alice).get("/scenarios/compare/", {"id": [pair[0].id] * 3}, follow=True)
    assert "Choose two to 6 scenarios" in response.content.decode()


@pytest.mark.parametrize("chosen", ["x", "' or 1=1 --", "00000000-0000-4000-8000-000000000000"])
def test_what_is_no_scenario_does_not_exist(alice: User, pair: list[Scenario], chosen: str) -> None:
    assert browser_of(alice).get("/scenarios/compare/", {"id": [pair[0].id, chosen]}).status_code == 404


def test_a_version_is_compared_and_restored(alice: User, pair: list[Scenario]) -> None:
    scenario = scenario_update(scenario=pair[0], user=alice, version=1, title="Longer", inputs=LONG)
    client = browser_of(alice)
    page = client.get(f"/scenarios/{scenario.id}/versions/1/")
    assert [list(row.cells) for row in page.context["comparison"].different] == [["64", "1024"]]
    assert "Restore version 1" in page.content.decode()
    client.post(f"/scenarios/{scenario.id}/versions/1/restore/", {"version": "2"})
    scenario.refresh_from_db()
    assert (scenario.version, scenario.title, scenario.inputs) == (3, "Short", SHORT)
    assert scenario.versions.count() == 3


def test_restoring_overwrites_nobody(alice: User, pair: list[Scenario]) -> None:
    scenario = scenario_update(scenario=pair[0], user=alice, version=1, title="Longer", inputs=LONG)
    response = browser_of(alice).post(f"/scenarios/{scenario.id}/versions/1/restore/", {"version": "1"}, follow=True)
    assert "Not restored" in response.content.decode()
    scenario.refresh_from_db()
    assert (scenario.version, scenario.title) == (2, "Longer")


@pytest.mark.parametrize("number", [0, 2, 10**30])
def test_a_version_that_was_never_saved_does_not_exist(alice: User, pair: list[Scenario], number: int) -> None:
    assert browser_of(alice).get(f"/scenarios/{pair[0].id}/versions/{number}/").status_code == 404
    assert browser_of(alice).post(f"/scenarios/{pair[0].id}/versions/{number}/restore/").status_code == 404


def test_rights(bob: User, charlie: User, pair: list[Scenario]) -> None:
    address = f"/scenarios/{pair[0].id}/versions/1/"
    assert browser_of(charlie).get(address).status_code == 404
    assert browser_of(charlie).get("/scenarios/compare/", {"id": [each.id for each in pair]}).status_code == 404
    assert browser_of(charlie).post(f"{address}restore/", {"version": "1"}).status_code == 404
    assert browser_of(bob).post(f"{address}restore/", {"version": "1"}).status_code == 403
    assert browser_of(bob).get(address).status_code == 200
