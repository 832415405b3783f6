"""The pages of proposals: form, list, status and panel, and who sees and makes what."""

import re
from io import BytesIO
from uuid import uuid4

import openpyxl
import pytest
from django.test import Client
from django.utils import timezone

from planner.errors import InputProblems, NoResult
from planner.evaluation import Evaluation
from planner.runs import Dataset
from tests.webapp.people import browser_of
from tests.webapp.proposing import INPUTS, files_of, make, squeezed, text_of
from webapp.accounts.models import User
from webapp.customers.models import Customer
from webapp.customers.services import customer_create
from webapp.jobs.files import artefact_read
from webapp.jobs.models import Job, JobArtefact
from webapp.jobs.runner import run_next_job
from webapp.jobs.tasks import run_next
from webapp.proposals import services
from webapp.proposals.models import Proposal, SerialCounter
from webapp.proposals.selectors import proposals_of
from webapp.scenarios.models import Scenario
from webapp.scenarios.services import scenario_create, scenario_set_archived, scenario_update

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


def form_of(client: Client, scenario: Scenario) -> dict[str, str]:
    """Open the form and return what it would send."""
    text = client.get(f"/proposals/new/{scenario.id}/").content.decode()
    hidden = {name: re.search(rf'name="{name}" value="([^"]+)"', text).group(1) for name in ("key", "version")}
    return {"recipient": "Mr Kim", "locale": "en", "data_class": "nda", **hidden}


# --- the pages --------------------------------------------------------------------------------------------------------
def test_from_the_form_to_the_download(alice: User, bob: User, scenario: Scenario) -> None:
    client = browser_of(alice)
    opened = client.get(f"/proposals/new/{scenario.id}/").content.decode()
    assert "Cold recovery of 480B" in opened
    assert "示例智算中心" in opened
    assert 'value="Ms Liu"' in opened
    assert '<option value="en" selected>' in opened
    assert "30 Jun 2027" in opened
    sent = form_of(client, scenario)
    created = client.post(f"/proposals/new/{scenario.id}/", sent)
    assert client.post(f"/proposals/new/{scenario.id}/", sent)["Location"] == created["Location"]
    proposal = Proposal.objects.get()
    assert created["Location"] == f"/proposals/{proposal.id}/"
    waiting = client.get(created["Location"]).content.decode()
    assert f'hx-get="/proposals/{proposal.id}/" hx-trigger="every 1s"' in waiting
    assert "No worker is listening: the job waits" in waiting
    run_next_job("w")
    fragment = client.get(created["Location"], headers={"HX-Request": "true"}).content.decode()
    assert "<html" not in fragment
    assert "hx-get" not in fragment
    assert "Download the PDF" in fragment
    for artefact in JobArtefact.objects.all():
        address = f"/jobs/{proposal.job_id}/files/{artefact.id}/"
        assert address in fragment
        assert artefact.sha256 in fragment
        response = browser_of(bob).get(address)
        assert response["Content-Disposition"] == f'attachment; filename="{artefact.name}"'
        assert response.content == artefact_read(artefact)
    done = client.get(created["Location"]).content.decode()
    for text in (proposal.serial, "Mr Kim", "30 Jun 2027", "under NDA", f"/scenarios/{scenario.id}/"):
        assert text in done, text


@pytest.mark.parametrize(("language", "locale"), [("ko", "ko"), ("zh-hans", "zh-hans"), ("en", "en")])
def test_the_language_of_the_pages_is_offered_first(
    alice: User, scenario: Scenario, language: str, locale: str
) -> None:
    client = browser_of(alice)
    client.post("/language/", {"language": language})
    text = client.get(f"/proposals/new/{scenario.id}/").content.decode()
    assert f'<option value="{locale}" selected>' in text


def test_the_list_asks_again_only_while_something_is_made(alice: User, scenario: Scenario) -> None:
    client = browser_of(alice)
    assert "No proposal yet" in client.get("/proposals/").content.decode()
    proposal = make(alice, scenario)
    live = client.get("/proposals/").content.decode()
    assert 'hx-get="/proposals/?page=1" hx-trigger="every 2s"' in live
    run_next_job("w")
    done = client.get("/proposals/", headers={"HX-Request": "true"}).content.decode()
    assert "<html" not in done
    assert "hx-get" not in done
    assert f"Download {proposal.serial}.pdf" in done


def test_the_list_is_searched_and_needs_as_many_queries_for_many(
    alice: User, scenario: Scenario, django_assert_max_num_queries
) -> None:
    for number in range(30):
        make(alice, scenario, recipient=f"Reader {number:02}")
    client = browser_of(alice)
    with django_assert_max_num_queries(8):
        text = client.get("/proposals/").content.decode()
    assert len(re.findall(r'href="/proposals/[0-9a-f-]{36}/"', text)) == 25
    assert "1–25 of 30" in text
    found = client.get("/proposals/?q=Reader+07").content.decode()
    assert f"FXP-{YEAR}-0008" in found
    assert f"FXP-{YEAR}-0009" not in found
    assert "Nothing found" in client.get("/proposals/?q=%00zzz").content.decode()


def test_the_panel_of_a_scenario_shows_its_latest(alice: User, bob: User, scenario: Scenario) -> None:
    address = f"/proposals/of/{scenario.id}/"
    assert "None yet." in browser_of(alice).get(address).content.decode()
    serials = [make(alice, scenario).serial for _ in range(6)]
    assert [proposal.serial for proposal in proposals_of(user=alice, scenario=scenario)] == serials[:0:-1]
    text = browser_of(alice).get(address).content.decode()
    assert f"/proposals/new/{scenario.id}/" in text
    assert f'hx-get="{address}"' in text
    assert serials[0] not in text
    for _ in serials:
        run_next_job("w")
    assert "hx-get" not in browser_of(alice).get(address).content.decode()


def test_a_failed_proposal_says_why_and_can_be_tried_again(
    alice: User, scenario: Scenario, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(evaluation: Evaluation, locale: str, cover: object) -> bytes:
        raise ZeroDivisionError("<script>")

    proposal = make(alice, scenario)
    with monkeypatch.context() as patch:
        patch.setattr(services, "proposal_pdf", refuse)
        run_next_job("w")
    client = browser_of(alice)
    text = client.get(f"/proposals/{proposal.id}/").content.decode()
    assert "This is a fault of the program" in text
    assert "&lt;script&gt;" in text
    assert f"/jobs/{proposal.job_id}/retry/" in text
    assert client.post(f"/jobs/{proposal.job_id}/retry/").status_code == 302
    run_next_job("w")
    assert "Download the PDF" in client.get(f"/proposals/{proposal.id}/").content.decode()


# --- bad input --------------------------------------------------------------------------------------------------------
def test_a_scenario_without_a_result_is_refused_with_every_problem(alice: User, customer: Customer) -> None:
    bad = {**INPUTS, "workload": {**INPUTS["workload"], "hit_fraction": 1.7, "prompt_tokens": "<b>"}}
    scenario = scenario_create(user=alice, customer=customer, title="Bad", inputs=bad)
    client = browser_of(alice)
    sent = {"recipient": "", "locale": "en", "data_class": "nda", "key": str(uuid4()), "version": "1"}
    for response in (
        client.get(f"/proposals/new/{scenario.id}/"),
        client.post(f"/proposals/new/{scenario.id}/", sent),
    ):
        text = response.content.decode()
        assert response.status_code == 200
        assert "workload.hit_fraction" in text
        assert "workload.prompt_tokens" in text
        assert "&lt;b&gt;" in text
    with pytest.raises(InputProblems):
        make(alice, scenario)
    assert not (Proposal.objects.exists() or Job.objects.exists() or SerialCounter.objects.exists())


def test_a_question_without_an_answer_is_said_in_words(
    alice: User, scenario: Scenario, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_result(scenario: Scenario) -> None:
        raise NoResult("not_known", "no honest <number> can be given")

    client = browser_of(alice)
    sent = form_of(client, scenario)
    monkeypatch.setattr(services, "scenario_evaluation", no_result)
    text = client.post(f"/proposals/new/{scenario.id}/", sent).content.decode()
    assert "no honest &lt;number&gt; can be given" in text
    assert f"/scenarios/{scenario.id}/edit/" in text
    assert not Proposal.objects.exists()


@pytest.mark.parametrize(
    ("change", "answer"),
    [
        ({"locale": "fr"}, "Select a valid choice"),
        ({"data_class": "secret"}, "Select a valid choice"),
        ({"recipient": "x" * 201}, "at most 200 characters"),
        ({"recipient": "a\x00b"}, "Null characters are not allowed"),
        ({"key": "not a uuid"}, "Nothing was changed."),
        ({"key": ""}, "Nothing was changed."),
        ({"version": "-1"}, "Nothing was changed."),
    ],
)
def test_it_refuses_a_form_that_is_not_right(
    alice: User, scenario: Scenario, change: dict[str, str], answer: str
) -> None:
    client = browser_of(alice)
    response = client.post(f"/proposals/new/{scenario.id}/", form_of(client, scenario) | change)
    assert response.status_code == 200
    assert answer in response.content.decode()
    assert not Proposal.objects.exists()


def test_a_form_opened_before_the_scenario_was_saved_again_is_shown_once_more(alice: User, scenario: Scenario) -> None:
    client = browser_of(alice)
    sent = form_of(client, scenario)
    scenario_update(scenario=scenario, user=alice, version=1, title="Later", inputs=INPUTS)
    text = client.post(f"/proposals/new/{scenario.id}/", sent).content.decode()
    assert "saved as version 2 since you opened this form" in text
    assert 'name="version" value="2"' in text
    assert not Proposal.objects.exists()
    assert client.post(f"/proposals/new/{scenario.id}/", sent | {"version": "2"}).status_code == 302


def test_an_archived_scenario_makes_no_proposal(alice: User, scenario: Scenario) -> None:
    client = browser_of(alice)
    sent = form_of(client, scenario)
    scenario_set_archived(scenario=scenario, archived=True)
    assert client.post(f"/proposals/new/{scenario.id}/", sent)["Location"] == f"/scenarios/{scenario.id}/"
    assert not Proposal.objects.exists()


@pytest.mark.parametrize("name", ["<img src=x onerror=alert(1)>", "=cmd|'/c calc'!A1", "\u202eevil", "名" * 200])
def test_hostile_names_are_shown_as_typed_and_do_no_harm(alice: User, name: str) -> None:
    customer = customer_create(user=alice, name=name)
    scenario = scenario_create(user=alice, customer=customer, title=name, inputs=INPUTS)
    proposal = make(alice, scenario, recipient=name)
    files = files_of(proposal)
    book = openpyxl.load_workbook(BytesIO(files[f"{proposal.serial}.xlsx"]))
    assert book.worksheets[0]["A1"].value == name
    formulas = [cell.value for sheet in book for row in sheet.iter_rows() for cell in row if cell.data_type == "f"]
    assert formulas
    assert all(re.match(r"=(SUM|-PMT|[A-Z]+\d+\+NPV)\(", formula) for formula in formulas)
    assert squeezed(name.lstrip("\u202e")) in text_of(files[f"{proposal.serial}.pdf"])
    client = browser_of(alice)
    pages = ("/proposals/", f"/proposals/{proposal.id}/", f"/proposals/new/{scenario.id}/")
    for page in (*pages, f"/proposals/of/{scenario.id}/"):
        text = client.get(page).content.decode()
        assert "<img" not in text
        for before, _ in re.findall(r"(.{5})(\u202e)", text.partition("<main")[2]):
            assert before == "<bdi>"


def test_it_refuses_a_class_wider_than_that_of_the_evidence(
    alice: User, scenario: Scenario, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Confidential:
        data_class = "nda"

    def load(name: str) -> Dataset | Confidential:
        return Confidential()

    monkeypatch.setattr(services.measurements, "load_dataset", load)
    client = browser_of(alice)
    sent = form_of(client, scenario) | {"data_class": "public"}
    text = client.post(f"/proposals/new/{scenario.id}/", sent).content.decode()
    assert "allows at most: Under NDA" in text
    assert not Proposal.objects.exists()
    assert client.post(f"/proposals/new/{scenario.id}/", sent | {"data_class": "internal"}).status_code == 302


# --- rights -----------------------------------------------------------------------------------------------------------
def test_another_team_finds_nothing(charlie: User, alice: User, scenario: Scenario) -> None:
    proposal = make(alice, scenario)
    files_of(proposal)
    client = browser_of(charlie)
    artefact = JobArtefact.objects.first()
    assert artefact is not None
    for address in (
        f"/proposals/{proposal.id}/",
        f"/proposals/{uuid4()}/",
        f"/proposals/new/{scenario.id}/",
        f"/proposals/of/{scenario.id}/",
        f"/jobs/{proposal.job_id}/files/{artefact.id}/",
    ):
        assert client.get(address).status_code == 404, address
    sent = {"recipient": "", "locale": "en", "data_class": "nda", "key": str(uuid4()), "version": "1"}
    assert client.post(f"/proposals/new/{scenario.id}/", sent).status_code == 404
    assert proposal.serial not in client.get("/proposals/").content.decode()
    found = client.get(f"/proposals/?q={proposal.serial}", headers={"HX-Request": "true"}).content.decode()
    assert "Nothing found" in found
    assert "/proposals/" not in found
    assert Proposal.objects.count() == 1


def test_a_role_without_the_right_starts_nothing(dora: User, alice: User, scenario: Scenario) -> None:
    client = browser_of(dora)
    assert client.get(f"/proposals/new/{scenario.id}/").status_code == 403
    assert client.post(f"/proposals/new/{scenario.id}/", {}).status_code == 403
    User.objects.filter(pk=alice.pk).update(role="reader")
    reader = browser_of(User.objects.get(pk=alice.pk))
    assert reader.post(f"/proposals/new/{scenario.id}/", {}).status_code == 403
    assert "/proposals/new/" not in reader.get(f"/proposals/of/{scenario.id}/").content.decode()
    assert not Proposal.objects.exists()


def test_a_stranger_is_sent_to_sign_in(scenario: Scenario) -> None:
    for address in ("/proposals/", f"/proposals/new/{scenario.id}/", f"/proposals/of/{scenario.id}/"):
        assert Client().get(address)["Location"].startswith("/sign-in/")


def test_the_navigation_names_proposals_and_jobs_apart(alice: User) -> None:
    text = browser_of(alice).get("/proposals/").content.decode()
    assert re.search(r'href="/proposals/" aria-current="page".*?>Proposals<', text, re.DOTALL)
    assert re.search(r'href="/jobs/".*?>Jobs<', text, re.DOTALL)
