"""What a person does, in a real browser: the policy holds, the pages fit, the language switches, the job page moves."""

from collections.abc import Iterator

import pytest

from tests.webapp.job_kinds import KINDS
from tests.webapp.people import PASSWORD
from webapp.accounts.models import User
from webapp.customers.services import customer_create
from webapp.jobs import services
from webapp.jobs.runner import run_next_job
from webapp.jobs.tasks import run_next
from webapp.scenarios.services import scenario_create

playwright = pytest.importorskip("playwright.sync_api")
WIDTHS = [1440, 1024, 390]

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(scope="module")
def chromium(chromium_path: str) -> Iterator[playwright.Browser]:
    """One browser for the module."""
    with pytest.MonkeyPatch.context() as patch, playwright.sync_playwright() as driver:
        # Playwright keeps an event loop in this thread, beside which Django would refuse to use its database.
        patch.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "true")
        browser = driver.chromium.launch(executable_path=chromium_path, args=["--no-sandbox"])
        yield browser
        browser.close()


class Person:
    """Somebody at a browser; everything the console complains about is kept."""

    def __init__(self, browser: playwright.Browser, address: str, width: int = 1440) -> None:
        size = {"width": width, "height": 900 if width > 500 else 844}
        self.context = browser.new_context(viewport=size, locale="en-GB", base_url=address)
        self.page = self.context.new_page()
        self.complaints: list[str] = []
        self.page.on("console", self._console)
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("requestfailed", self._request_failed)

    def _request_failed(self, request: playwright.Request) -> None:
        if request.failure != "net::ERR_ABORTED":  # what a navigation becomes when it turns out to be a download
            self.complaints.append(f"{request.failure}: {request.url}")

    def _console(self, message: playwright.ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self.complaints.append(message.text)

    def sign_in(self, email: str) -> None:
        self.page.goto("/sign-in/")
        self.page.get_by_label("E-mail address").fill(email)
        self.page.get_by_label("Password").fill(PASSWORD)
        self.page.get_by_role("button", name="Sign in").click()
        self.page.wait_for_url("**/")

    def overflow(self) -> int:
        return self.page.evaluate("document.documentElement.scrollWidth - window.innerWidth")


@pytest.fixture
def visit(chromium: playwright.Browser, live_server) -> Iterator:
    """Return a function that opens a browser at a width; at the end the console must have been silent."""
    people: list[Person] = []

    def make(width: int = 1440) -> Person:
        people.append(Person(chromium, live_server.url, width))
        return people[-1]

    yield make
    for person in people:
        person.context.close()
    assert [complaint for person in people for complaint in person.complaints] == []


@pytest.mark.parametrize("width", WIDTHS)
def test_every_page_fits_and_obeys_the_policy(visit, alice: User, width: int) -> None:
    customer = customer_create(user=alice, name="示例智算中心 " + "LongName" * 12, notes="x" * 500)
    scenario = scenario_create(user=alice, customer=customer, title="480B 冷恢复 " + "y" * 120, inputs={"a": "z" * 300})
    person = visit(width)
    person.sign_in(alice.email)
    addresses = [
        "/",
        "/customers/",
        "/customers/new/",
        f"/customers/{customer.id}/",
        "/scenarios/",
        "/jobs/",
        "/evidence/",
        "/evidence/r2/",
    ]
    addresses += [
        "/prices/",
        "/prices/fx-reference/2026-08/",
        f"/scenarios/{scenario.id}/",
        f"/scenarios/{scenario.id}/edit/",
        "/account/",
    ]
    for address in addresses:
        person.page.goto(address)
        assert person.page.locator("h1").is_visible()
        assert person.overflow() <= 0, address


def test_the_menu_opens_on_a_phone(visit, alice: User) -> None:
    person = visit(390)
    person.sign_in(alice.email)
    link = person.page.get_by_role("link", name="Customers", exact=True)
    assert not link.is_visible()
    person.page.get_by_role("button", name="Menu").click()
    link.click()
    person.page.wait_for_url("**/customers/")


def test_a_customer_and_a_scenario_by_hand(visit, alice: User) -> None:
    person = visit()
    person.sign_in(alice.email)
    page = person.page
    page.get_by_role("link", name="New customer").first.click()
    page.get_by_role("button", name="Save").click()
    assert "This field is required." in page.locator("#id_name_error").inner_text()
    page.get_by_label("Name").fill("Lakeside")
    page.get_by_role("button", name="Save").click()
    page.get_by_role("link", name="New scenario").click()
    page.get_by_label("Title").fill("Cold recovery")
    page.get_by_role("button", name="Save").click()
    page.wait_for_selector("text=Scenario saved.")
    assert page.locator("h1").inner_text() == "Cold recovery"


def test_language_and_colours_switch(visit, alice: User) -> None:
    person = visit()
    person.sign_in(alice.email)
    page = person.page
    page.get_by_role("button", name="한국어").click()
    page.wait_for_selector("h1:has-text('대시보드')")
    page.get_by_role("button", name="中文").click()
    page.wait_for_selector("h1:has-text('工作台')")
    background = "getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(background)
    page.get_by_role("button", name="深色").click()
    page.wait_for_selector("html[data-bs-theme=dark]")
    assert page.evaluate(background) != light


def test_the_job_page_moves_by_itself_to_the_file(visit, alice: User, settings, monkeypatch) -> None:
    settings.JOB_KINDS = KINDS
    monkeypatch.setattr(run_next, "apply_async", lambda args: None)
    job, _ = services.job_create(user=alice, kind="writes", title="A report", arguments={"number": 5})
    person = visit()
    person.sign_in(alice.email)
    person.page.goto(f"/jobs/{job.id}/")
    assert person.page.get_by_text("No worker is listening: the job waits").is_visible()
    run_next_job("w")
    person.page.wait_for_selector("text=report.txt")
    with person.page.expect_download() as download:
        person.page.get_by_role("link", name="Download").click()
    assert download.value.suggested_filename == "report.txt"


def test_a_double_click_on_save_makes_one_scenario(visit, alice: User) -> None:
    customer = customer_create(user=alice, name="Lakeside")
    person = visit()
    person.sign_in(alice.email)
    person.page.goto(f"/scenarios/new/?customer={customer.id}")
    person.page.get_by_label("Title").fill("Once")
    person.page.get_by_role("button", name="Save").dblclick()
    person.page.wait_for_selector("h1:has-text('Once')")
    assert customer.scenarios.count() == 1


def test_a_chart_is_drawn_in_svg_within_the_policy(visit, alice: User, settings, live_server) -> None:
    settings.ROOT_URLCONF = "tests.webapp.chart_page"
    person = visit()
    person.page.goto("/chart/")
    person.page.wait_for_selector(".fx-chart svg path", state="attached")
    assert person.page.locator(".fx-chart").get_attribute("aria-label") == "TTFT over concurrency"
    box = person.page.locator(".fx-chart svg").bounding_box()
    person.page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    person.page.wait_for_selector(".fx-chart svg >> text=FX100")
    assert person.page.locator(".fx-chart svg").count() == 1
