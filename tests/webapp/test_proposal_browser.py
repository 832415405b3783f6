"""A proposal in a real browser: the pages fit and obey the policy, the file comes by itself."""

import pytest

from tests.webapp.proposing import INPUTS, make
from tests.webapp.test_browser import WIDTHS, chromium, visit  # noqa: F401 - fixtures
from webapp.accounts.models import User
from webapp.customers.services import customer_create
from webapp.jobs.models import Job, JobState
from webapp.jobs.runner import run_next_job
from webapp.jobs.tasks import run_next
from webapp.proposals.models import Proposal
from webapp.scenarios.models import Scenario
from webapp.scenarios.services import scenario_create, scenario_update

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def no_broker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_next, "apply_async", lambda args: None)


@pytest.fixture
def scenario(alice: User) -> Scenario:
    customer = customer_create(user=alice, name="示例智算中心 " + "LongName" * 12, contact_name="Ms Liu")
    return scenario_create(user=alice, customer=customer, title="480B 冷恢复 " + "y" * 120, inputs=INPUTS)


@pytest.mark.parametrize("width", WIDTHS)
def test_every_page_of_proposals_fits_and_obeys_the_policy(visit, alice: User, scenario: Scenario, width: int) -> None:  # noqa: F811
    bad = scenario_create(
        user=alice, customer=scenario.customer, title="Bad", inputs={"workload": {"hit_fraction": "z" * 90}}
    )
    done = make(alice, scenario, recipient="王工 " + "x" * 150)
    run_next_job("w")
    failed = make(alice, scenario)
    Job.objects.filter(pk=failed.job_id).update(state=JobState.FAILED, error_code="internal_error", error_text="e" * 90)
    running = make(alice, scenario, locale="ko")
    Job.objects.filter(pk=running.job_id).update(state=JobState.RUNNING, progress_fraction=0.4)
    scenario_update(scenario=scenario, user=alice, version=1, title=scenario.title, inputs=INPUTS)
    person = visit(width)
    person.sign_in(alice.email)
    addresses = ["/proposals/", "/proposals/?q=nothing", f"/proposals/new/{scenario.id}/", f"/proposals/new/{bad.id}/"]
    addresses += [f"/proposals/{proposal.id}/" for proposal in (done, failed, running)]
    for address in addresses:
        person.page.goto(address)
        assert person.page.locator("h1").is_visible()
        assert person.overflow() <= 0, address


def test_a_double_click_makes_one_proposal_whose_file_comes_by_itself(visit, alice: User, scenario: Scenario) -> None:  # noqa: F811
    person = visit()
    person.sign_in(alice.email)
    page = person.page
    page.goto(f"/proposals/new/{scenario.id}/")
    page.get_by_label("Recipient").fill("王工")
    page.get_by_label("Language of the proposal").select_option("zh-hans")
    page.get_by_role("button", name="Make the proposal").dblclick()
    page.wait_for_selector("text=No worker is listening")
    proposal = Proposal.objects.get()
    run_next_job("w")
    with page.expect_download() as download:
        page.get_by_role("link", name="Download the PDF").click()
    assert download.value.suggested_filename == f"{proposal.serial}.pdf"
    page.get_by_role("link", name="Proposals", exact=True).first.click()
    assert page.get_by_role("link", name=f"Download {proposal.serial}.pdf").is_visible()
