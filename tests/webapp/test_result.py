"""The result page and its what-if: the evaluation's own figures, where they come from, and nothing lost."""

import re

import pytest
from django.test import Client

import planner
from planner.scenario import read_mapping
from tests.webapp.people import browser_of
from webapp.accounts.models import User
from webapp.customers.services import customer_create
from webapp.evaluations.services import evaluate_inputs
from webapp.scenarios.models import Scenario
from webapp.scenarios.services import scenario_create, scenario_update

pytestmark = pytest.mark.django_db

INPUTS = dict(read_mapping("cold-recovery"))
HTMX = {"HX-Request": "true", "HX-Target": "result"}


@pytest.fixture
def scenario(alice: User) -> Scenario:
    customer = customer_create(user=alice, name="A customer")
    return scenario_create(user=alice, customer=customer, title="Cold recovery", inputs=INPUTS)


def words_of(html: str) -> str:
    """Return the text of a page without its markup, scripts and notes on origins."""
    html = re.sub(r"<script.*?</script>", " ", html, flags=re.DOTALL)
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", html)).replace("&#x27;", "'")


def page(client: Client, scenario: Scenario, **typed: str) -> str:
    answer = client.get(f"/scenarios/{scenario.id}/", typed)
    assert answer.status_code == 200
    return answer.content.decode()


def test_the_page_shows_the_figures_of_the_evaluation(alice: User, scenario: Scenario) -> None:
    text = words_of(page(browser_of(alice), scenario))
    # DESIGN's right values: FX100 with two units 2 x 371,200, FX200 331,200, prices per TB
    for figure in ("¥331,200.00", "¥742,400.00", "¥1,796.88", "¥924,000.00", "FX200 · pays"):
        assert figure in text
    fx200 = evaluate_inputs(scenario.titled_inputs).option("fx200")
    assert f"{fx200.at.ttft_s.p50:.1f} s" in text
    assert "on request" in text  # FX400 has no price
    assert "¥0.00" not in text


def test_measured_points_of_r2_stand_in_the_chart(alice: User, scenario: Scenario) -> None:
    sections = browser_of(alice).get(f"/scenarios/{scenario.id}/").context["sections"]
    prediction = next(section for section in sections if section.code == "prediction")
    ttft = next(part.option for part in prediction.parts if part.option)
    marks = {
        tuple(point)
        for series in ttft["series"]
        if series["type"] == "scatter" and series["name"] == "FX100"
        for point in series["data"]
    }
    assert {(8, 7.53), (16, 11.85), (32, 26.35)} <= marks  # R2, as printed
    bands = [series for series in ttft["series"] if series["type"] == "band"]
    assert all(low <= high for band in bands for _x, low, high in band["data"])


def test_every_headline_figure_says_where_it_comes_from(alice: User, scenario: Scenario) -> None:
    html = page(browser_of(alice), scenario)
    targets = re.findall(r'popovertarget="([^"]+)"', html)
    notes = re.findall(r'<div popover id="([^"]+)"', html)
    assert set(targets) == set(notes)
    assert len(notes) == len(set(notes)) > 50
    assert "120,000 = 120,000.00" in html  # the platform's line, by its formula
    assert "r2 · " in html


def test_what_if_answers_with_the_changed_evaluation(alice: User, scenario: Scenario) -> None:
    address = f"/scenarios/{scenario.id}/"
    answer = browser_of(alice).get(address, {"workload.output_tokens": "1024"}, headers=HTMX)
    html = answer.content.decode()
    assert "<html" not in html
    assert answer["HX-Replace-Url"] == f"{address}?workload.output_tokens=1024"
    long = planner.load_scenario("cold-recovery-long-answers").document()
    expected = evaluate_inputs({**long, "title": scenario.title})
    rate = expected.option("fx200").at.output_tokens_per_s.p50
    assert f"{rate:.1f} tok/s" in words_of(html)
    assert "FX200 · pays" in words_of(html)  # as saved, beside what it is now


def test_what_if_with_nothing_changed_offers_nothing_to_save(alice: User, scenario: Scenario) -> None:
    html = page(browser_of(alice), scenario, **{"workload.output_tokens": "64", "money.gpu_cny_per_hour": "6"})
    assert "Save as a new version" not in html


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("workload.output_tokens", "1"),
        ("workload.concurrency_count", "0"),
        ("workload.hit_fraction", "1.2"),
        ("workload.hit_fraction", "80"),
        ("workload.prompt_tokens", "-5"),
        ("money.gpu_cny_per_hour", "NaN"),
        ("money.gpu_cny_per_hour", "1e30"),
        ("money.horizon_years", "inf"),
        ("money.horizon_years", "2.5"),
        ("cluster.nodes_count", "<b>x</b>"),
        ("cluster.nodes_count", "9" * 400),
        ("workload.prompt_tokens", ""),
        ("storage.baseline", "nothing-known"),
    ],
)
def test_a_bad_value_is_said_beside_its_field_and_the_result_stays(
    alice: User, scenario: Scenario, path: str, text: str
) -> None:
    client = browser_of(alice)
    answer = client.get(f"/scenarios/{scenario.id}/", {path: text}, headers=HTMX)
    assert answer.status_code == 200
    assert answer["HX-Reswap"] == "none"
    control = next(control for control in answer.context["controls"] if control.path == path)
    assert control.errors
    assert "<b>x</b>" not in answer.content.decode()
    whole = client.get(f"/scenarios/{scenario.id}/", {path: text})
    assert whole.context["sections"]  # the last valid result
    assert not Scenario.objects.exclude(version=1).exists()


def test_all_bad_values_are_said_at_once(alice: User, scenario: Scenario) -> None:
    typed = {"workload.output_tokens": "1", "workload.hit_fraction": "80", "money.horizon_years": "0"}
    answer = browser_of(alice).get(f"/scenarios/{scenario.id}/", typed, headers=HTMX)
    assert set(answer.context["answer"].errors) == set(typed)


def test_a_what_if_is_saved_as_the_next_version(alice: User, scenario: Scenario) -> None:
    client = browser_of(alice)
    typed = {"version": "1", "workload.output_tokens": "512", "money.gpu_cny_per_hour": ""}
    assert client.post(f"/scenarios/{scenario.id}/what-if/", typed).status_code == 302
    scenario.refresh_from_db()
    assert scenario.version == 2
    assert scenario.inputs["workload"]["output_tokens"] == 512
    assert scenario.inputs["money"]["gpu_cny_per_hour"] is None  # not known, never 0
    assert scenario.versions.count() == 2
    assert "not known" in words_of(page(client, scenario))


def test_a_what_if_never_overwrites_somebody_elses_version(alice: User, scenario: Scenario) -> None:
    scenario_update(scenario=scenario, user=alice, version=1, title=scenario.title, inputs=INPUTS)
    typed = {"version": "1", "workload.output_tokens": "512"}
    answer = browser_of(alice).post(f"/scenarios/{scenario.id}/what-if/", typed)
    assert answer["Location"].endswith("?workload.output_tokens=512")  # what was typed is still there
    scenario.refresh_from_db()
    assert scenario.version == 2
    assert scenario.inputs["workload"]["output_tokens"] == 64


@pytest.mark.parametrize("version", ["", "x", "-1", "٣", "9" * 40])
def test_a_hostile_version_saves_nothing(alice: User, scenario: Scenario, version: str) -> None:
    typed = {"version": version, "workload.output_tokens": "512"}
    assert browser_of(alice).post(f"/scenarios/{scenario.id}/what-if/", typed).status_code == 302
    scenario.refresh_from_db()
    assert scenario.version == 1


def test_rights(alice: User, bob: User, charlie: User, scenario: Scenario) -> None:
    address = f"/scenarios/{scenario.id}/what-if/"
    assert browser_of(charlie).get(f"/scenarios/{scenario.id}/").status_code == 404
    assert browser_of(charlie).post(address, {"version": "1"}).status_code == 404
    assert browser_of(bob).post(address, {"version": "1"}).status_code == 403
    assert "Save as a new version" not in page(browser_of(bob), scenario, **{"workload.output_tokens": "512"})


@pytest.mark.parametrize(
    "inputs",
    [{"workload": {"hit_fraction": 80}}, {"workload": 3}, {"nonsense": {"a": 1}}, {"model": {"id": "<script>"}}],
)
def test_inputs_that_cannot_be_evaluated_say_so_and_lead_to_the_form(alice: User, inputs: dict) -> None:
    customer = customer_create(user=alice, name="Another")
    stored = scenario_create(user=alice, customer=customer, title="Odd", inputs=inputs)
    html = page(browser_of(alice), stored)
    assert "These inputs cannot be evaluated" in html
    assert f"/scenarios/{stored.id}/edit/" in html
    assert "<script>" not in html.replace("<script src", "").replace('<script id="', "")


@pytest.mark.parametrize(("language", "verdict"), [("zh-hans", "FX200 · 划算"), ("ko", "FX200 · 수익성 있음")])
def test_the_page_speaks_the_readers_language(alice: User, scenario: Scenario, language: str, verdict: str) -> None:
    client = Client(headers={"accept-language": language})
    client.force_login(alice)
    text = words_of(page(client, scenario))
    assert verdict in text
    assert "Where does this come from" not in text
