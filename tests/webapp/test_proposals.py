"""From a scenario to the files of a proposal: what is frozen, and what is made of it."""

import json
import threading
from datetime import date
from io import BytesIO
from uuid import uuid4

import openpyxl
import pytest
from django.db import IntegrityError, connections, transaction
from django.utils import timezone

from planner.proposal.formats import Formats
from planner.wording import Wording
from tests.webapp.people import browser_of
from tests.webapp.proposing import INPUTS, files_of, make, squeezed, text_of
from webapp.accounts.models import User
from webapp.customers.models import Customer
from webapp.customers.services import customer_create
from webapp.evaluations.services import evaluate_inputs
from webapp.jobs.models import Job, JobArtefact, JobState
from webapp.jobs.runner import run_next_job
from webapp.jobs.tasks import run_next
from webapp.proposals import services
from webapp.proposals.models import Proposal, ProposalIsFinal, SerialCounter
from webapp.scenarios.models import Scenario
from webapp.scenarios.services import scenario_create, scenario_update

pytestmark = pytest.mark.django_db(transaction=True)

YEAR = timezone.localdate().year


@pytest.fixture(autouse=True)
def no_broker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_next, "apply_async", lambda args: None)


@pytest.fixture
def customer(alice: User) -> Customer:
    return customer_create(user=alice, name="示例智算中心", contact_name="Ms Liu")


@pytest.fixture
def scenario(alice: User, customer: Customer) -> Scenario:
    return scenario_create(user=alice, customer=customer, title="Cold recovery of 480B", inputs=INPUTS)


# --- the files --------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("locale", ["zh-hans", "ko", "en"])
def test_the_pdf_can_be_read_back_in_each_language(alice: User, scenario: Scenario, locale: str) -> None:
    proposal = make(alice, scenario, recipient="王工 & Mr Kim", locale=locale)
    text, say = text_of(files_of(proposal)[f"{proposal.serial}.pdf"]), Wording(locale)
    evaluation = evaluate_inputs(INPUTS)
    fx200 = evaluation.option("fx200")
    assert fx200.verdict.answer == "pays"
    expected = [
        proposal.serial,
        "示例智算中心",
        "王工 & Mr Kim",
        "Cold recovery of 480B",
        "2026-12-01",
        say.text("word.class_nda"),
        say.text(evaluation.headline.reason, **evaluation.headline.figures),
        say.text(fx200.verdict.reason, **fx200.verdict.figures),
        Formats(locale).band(fx200.at.ttft_s, 1),
    ]
    for line in expected:
        assert squeezed(line) in text, line


def test_three_files_under_the_serial_with_the_figures_of_the_page(alice: User, scenario: Scenario) -> None:
    proposal = make(alice, scenario)
    files = files_of(proposal)
    serial = proposal.serial
    assert sorted(files) == [f"{serial}-evaluation.json", f"{serial}.pdf", f"{serial}.xlsx"]
    page = evaluate_inputs(scenario.inputs)
    assert json.loads(files[f"{serial}-evaluation.json"])["options"] == page.document()["options"]
    book = openpyxl.load_workbook(BytesIO(files[f"{serial}.xlsx"]))
    options = book[Wording("en").text("section.options")]
    fx200 = next(row for row in options.iter_rows(values_only=True) if row[0] == "FX200")
    assert fx200[3] == pytest.approx(page.option("fx200").at.ttft_s.p50)
    assert [file.name for file in proposal.files] == [*proposal.file_names]
    types = dict(JobArtefact.objects.values_list("name", "media_type"))
    assert types[f"{serial}.pdf"] == "application/pdf"


def test_a_scenario_without_a_title_of_its_own_inputs_prints_the_title_people_see(
    alice: User, customer: Customer
) -> None:
    inputs = {name: value for name, value in INPUTS.items() if name != "title"}
    scenario = scenario_create(user=alice, customer=customer, title="Seen by people", inputs=inputs)
    proposal = make(alice, scenario)
    assert "Seenbypeople" in text_of(files_of(proposal)[f"{proposal.serial}.pdf"])


def test_progress_moves_through_known_codes(alice: User, scenario: Scenario) -> None:
    proposal = make(alice, scenario)
    seen: list[tuple[float, str]] = []
    services.build_proposal(proposal.job, lambda fraction, code: seen.append((fraction, code)))
    assert [code for _, code in seen] == ["evaluating", "writing_pdf", "writing_xlsx", "writing_json", "storing"]
    assert [fraction for fraction, _ in seen] == sorted(fraction for fraction, _ in seen)


def test_the_same_proposal_made_twice_has_the_same_bytes(alice: User, scenario: Scenario) -> None:
    proposal = make(alice, scenario)
    first, second = (services.build_proposal(proposal.job, lambda fraction, code: None) for _ in range(2))
    assert [file.content for file in first] == [file.content for file in second]


def test_a_job_without_its_proposal_is_refused_in_words(alice: User) -> None:
    from webapp.jobs.services import job_create

    job, _ = job_create(user=alice, kind="proposal", title="Nothing", arguments={"proposal": str(uuid4())})
    run_next_job("w")
    assert "There is no proposal for this job." in browser_of(alice).get(f"/jobs/{job.id}/").content.decode()


# --- what is frozen ---------------------------------------------------------------------------------------------------
def test_later_edits_of_scenario_and_customer_do_not_reach_it(alice: User, scenario: Scenario) -> None:
    proposal = make(alice, scenario)
    changed = {**INPUTS, "workload": {**INPUTS["workload"], "output_tokens": 512}}
    scenario_update(scenario=scenario, user=alice, version=1, title="Another", inputs=changed)
    Customer.objects.update(name="Renamed")
    files = files_of(proposal)
    text = text_of(files[f"{proposal.serial}.pdf"])
    assert "示例智算中心" in text
    assert "Renamed" not in text
    assert json.loads(files[f"{proposal.serial}-evaluation.json"])["inputs"]["workload"]["output_tokens"] == 64
    page = browser_of(alice).get(f"/proposals/{proposal.id}/").content.decode()
    assert "The scenario has moved on to version 2." in page
    assert "示例智算中心" in page
    second = make(alice, scenario)
    assert second.scenario_version == 2
    assert second.inputs["workload"]["output_tokens"] == 512
    assert "moved on" not in browser_of(alice).get(f"/proposals/{second.id}/").content.decode()


def test_it_keeps_version_customer_and_the_end_of_the_prices(alice: User, scenario: Scenario) -> None:
    proposal = Proposal.objects.get(pk=make(alice, scenario).pk)
    assert proposal.inputs == {**INPUTS, "title": "Cold recovery of 480B"}
    assert (proposal.scenario_version, proposal.customer_name) == (1, "示例智算中心")
    assert proposal.valid_until == date(2027, 7, 1)  # of the book fx-reference 2026-12
    assert proposal.created_by == alice
    assert proposal.job.arguments == {"proposal": str(proposal.id)}


def test_it_refuses_to_be_changed_or_deleted(alice: User, scenario: Scenario) -> None:
    proposal = make(alice, scenario)
    proposal.recipient = "Somebody else"
    for change in (
        proposal.save,
        proposal.delete,
        lambda: proposal.save(update_fields=["recipient"]),
        lambda: Proposal.objects.update(recipient="x"),
        lambda: Proposal.objects.all().delete(),
        lambda: Proposal.objects.bulk_update([proposal], ["recipient"]),
        lambda: scenario.proposals.update(recipient="x"),
    ):
        with pytest.raises(ProposalIsFinal):
            change()
    copy = Proposal(**{field.attname: getattr(proposal, field.attname) for field in Proposal._meta.concrete_fields})
    with pytest.raises(IntegrityError), transaction.atomic():
        copy.save()
    assert Proposal.objects.get().recipient == "Mr Kim"


# --- serial numbers and keys ------------------------------------------------------------------------------------------
def test_serials_run_on_and_begin_anew_each_year(
    alice: User, scenario: Scenario, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert [make(alice, scenario).serial for _ in range(3)] == [f"FXP-{YEAR}-000{number}" for number in (1, 2, 3)]
    monkeypatch.setattr(services.timezone, "localdate", lambda: date(2031, 1, 1))
    assert make(alice, scenario).serial == "FXP-2031-0001"


def together(count: int, work) -> list[object]:
    """Do the same in several threads at once; return the results, or what was raised."""
    results: list[object] = []
    barrier = threading.Barrier(count)

    def run() -> None:
        try:
            barrier.wait()
            results.append(work())
        except Exception as error:
            results.append(error)
        finally:
            connections.close_all()

    threads = [threading.Thread(target=run) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


def test_creations_at_the_same_moment_get_numbers_of_their_own(alice: User, scenario: Scenario) -> None:
    evaluate_inputs(scenario.inputs)
    serials = together(6, lambda: make(alice, scenario).serial)
    assert sorted(map(str, serials)) == [f"FXP-{YEAR}-000{number}" for number in range(1, 7)]
    assert Job.objects.count() == 6


def test_a_double_click_at_the_same_moment_is_one_proposal_and_one_job(alice: User, scenario: Scenario) -> None:
    ids = together(4, lambda: make(alice, scenario, key="the-same").id)
    assert len(set(ids)) == 1
    assert (Proposal.objects.count(), Job.objects.count()) == (1, 1)
    assert SerialCounter.objects.get().last_number == 1


def test_the_same_key_is_the_same_proposal_even_when_its_job_has_failed(alice: User, scenario: Scenario) -> None:
    first = make(alice, scenario, key="k")
    Job.objects.update(state=JobState.FAILED)
    again, is_new = services.proposal_create(
        user=alice, scenario=scenario, recipient="", locale="ko", data_class="nda", key="k"
    )
    assert (again.pk, is_new) == (first.pk, False)
    assert (again.locale, Job.objects.count()) == ("en", 1)


def test_the_same_key_for_another_scenario_is_another_proposal(alice: User, scenario: Scenario) -> None:
    other = scenario_create(user=alice, customer=scenario.customer, title="Other", inputs=INPUTS)
    assert make(alice, scenario, key="k").job_id != make(alice, other, key="k").job_id


def test_a_failure_half_way_leaves_nothing_and_uses_up_no_number(
    alice: User, scenario: Scenario, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(**values: object) -> None:
        raise ZeroDivisionError

    with monkeypatch.context() as patch:
        patch.setattr(services, "job_create", fail)
        with pytest.raises(ZeroDivisionError):
            make(alice, scenario)
    assert not SerialCounter.objects.exists()
    assert make(alice, scenario).serial == f"FXP-{YEAR}-0001"
