"""The result page in a real browser: it fits, answers while typing, keeps what was opened, and tells origins."""

import pytest

from planner.scenario import read_mapping
from tests.webapp.test_browser import WIDTHS, chromium, visit  # noqa: F401 - fixtures
from webapp.accounts.models import User
from webapp.customers.services import customer_create
from webapp.scenarios.models import Scenario
from webapp.scenarios.services import scenario_create

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def scenario(alice: User) -> Scenario:
    customer = customer_create(user=alice, name="示例智算中心")
    return scenario_create(user=alice, customer=customer, title="冷恢复", inputs=dict(read_mapping("cold-recovery")))


@pytest.mark.parametrize("width", WIDTHS)
def test_the_result_fits_with_everything_open(visit, alice: User, scenario: Scenario, width: int) -> None:  # noqa: F811
    person = visit(width)
    person.sign_in(alice.email)
    person.page.goto(f"/scenarios/{scenario.id}/")
    person.page.wait_for_selector("#prediction .fx-chart svg path", state="attached")
    person.page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    assert person.overflow() <= 0
    assert person.page.locator("#prediction .fx-chart svg").count() == 3


def test_what_if_answers_while_typing(visit, alice: User, scenario: Scenario) -> None:  # noqa: F811
    person = visit()
    person.sign_in(alice.email)
    page = person.page
    page.goto(f"/scenarios/{scenario.id}/")
    page.locator("#evidence > summary").click()
    page.get_by_label("Answer length").fill("1024")
    page.wait_for_selector("#what-if-changes >> text=FX200 · pays")
    assert page.evaluate("location.search") == "?workload.output_tokens=1024"
    assert "at answers of 1024 tokens" in page.locator("#summary").inner_text()
    assert page.locator("#evidence").get_attribute("open") is not None
    page.wait_for_selector("#prediction .fx-chart svg path", state="attached")

    page.get_by_label("Answer length").fill("1")
    page.wait_for_selector("#note-workload-output_tokens >> text=2")
    assert "at answers of 1024 tokens" in page.locator("#summary").inner_text()  # the last valid result stays
    page.reload()  # the address holds what was typed last
    assert page.get_by_label("Answer length").input_value() in {"1", "1024"}

    page.get_by_label("Answer length").fill("512")
    page.get_by_role("button", name="Save as a new version").click()
    page.wait_for_selector("text=Saved as version 2.")
    assert page.get_by_label("Answer length").input_value() == "512"


def test_a_figure_says_where_it_comes_from(visit, alice: User, scenario: Scenario) -> None:  # noqa: F811
    person = visit(390)
    person.sign_in(alice.email)
    page = person.page
    page.goto(f"/scenarios/{scenario.id}/")
    page.locator("#summary .fx-figure").first.click()
    note = page.locator(".fx-origin:popover-open")
    assert "FX200 · TTFT p50" in note.inner_text()
    assert "Basis" in note.inner_text()
    page.keyboard.press("Escape")
    assert not note.is_visible()


def test_a_link_opens_the_section_it_leads_to(visit, alice: User, scenario: Scenario) -> None:  # noqa: F811
    person = visit()
    person.sign_in(alice.email)
    person.page.goto(f"/scenarios/{scenario.id}/")
    person.page.get_by_role("link", name="Assumptions and what if they are wrong").click()
    person.page.wait_for_selector("#assumptions[open]")
