"""What people see of jobs, and who may download."""

import re
from datetime import timedelta

import pytest
from django.utils import timezone

from tests.webapp.job_kinds import KINDS
from tests.webapp.people import browser_of
from webapp.accounts.models import User
from webapp.jobs import services
from webapp.jobs.files import artefact_path
from webapp.jobs.models import Job, JobState, WorkerHeartbeat
from webapp.jobs.runner import run_next_job
from webapp.jobs.tasks import run_next

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def no_broker(settings, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.JOB_KINDS = KINDS
    monkeypatch.setattr(run_next, "apply_async", lambda args: None)


def start(user: User, kind: str = "writes", **arguments: object) -> Job:
    return services.job_create(user=user, kind=kind, title=f"The {kind} job", arguments=arguments)[0]


def test_a_waiting_job_says_that_no_worker_listens(alice: User) -> None:
    job = start(alice)
    client = browser_of(alice)
    for page in ("/", "/jobs/", f"/jobs/{job.id}/"):
        assert "No worker is listening: the job waits" in client.get(page).content.decode()
    WorkerHeartbeat.objects.create(worker="w", processes_count=1)
    for page in ("/", "/jobs/", f"/jobs/{job.id}/"):
        assert "No worker is listening" not in client.get(page).content.decode()


def test_a_live_page_asks_again_and_a_final_one_does_not(alice: User) -> None:
    job = start(alice)
    client = browser_of(alice)
    fragment = client.get(f"/jobs/{job.id}/", headers={"HX-Request": "true"}).content.decode()
    assert fragment.strip().startswith('<div id="job-status" hx-get')
    assert "<html" not in fragment
    run_next_job("w")
    final = client.get(f"/jobs/{job.id}/", headers={"HX-Request": "true"}).content.decode()
    assert "hx-get" not in final
    assert "report.txt" in final


def test_the_file_downloads_under_its_name_for_the_team_only(alice: User, bob: User, charlie: User, dora: User) -> None:
    start(alice, number=3)
    job = run_next_job("w")
    assert job is not None
    address = f"/jobs/{job.id}/files/{job.artefacts.get().id}/"
    for user in (alice, bob):
        response = browser_of(user).get(address)
        assert response.content == b"report of 3"
        assert response["Content-Disposition"] == 'attachment; filename="report.txt"'
        assert response["X-Content-Type-Options"] == "nosniff"
    for user in (charlie, dora):
        assert browser_of(user).get(address).status_code == 404


def test_a_file_of_another_job_is_not_found_under_this_one(alice: User) -> None:
    start(alice, number=1)
    first = run_next_job("w")
    start(alice, number=2)
    second = run_next_job("w")
    assert first is not None
    assert second is not None
    assert browser_of(alice).get(f"/jobs/{first.id}/files/{second.artefacts.get().id}/").status_code == 404


def test_jobs_of_another_organisation_do_not_exist(alice: User, charlie: User) -> None:
    job = start(alice)
    client = browser_of(charlie)
    assert client.get(f"/jobs/{job.id}/").status_code == 404
    assert client.post(f"/jobs/{job.id}/cancel/").status_code == 404
    assert client.post(f"/jobs/{job.id}/retry/").status_code == 404
    assert "The writes job" not in client.get("/jobs/").content.decode()
    job.refresh_from_db()
    assert job.state == JobState.QUEUED


def test_a_damaged_file_is_not_handed_out(alice: User) -> None:
    start(alice)
    job = run_next_job("w")
    assert job is not None
    artefact = job.artefacts.get()
    artefact_path(artefact.sha256).write_bytes(b"something else")
    response = browser_of(alice).get(f"/jobs/{job.id}/files/{artefact.id}/", follow=True)
    assert "missing or damaged" in response.content.decode()


def test_cancel_and_try_again_by_button(alice: User) -> None:
    job = start(alice)
    client = browser_of(alice)
    assert "Cancelled" in client.post(f"/jobs/{job.id}/cancel/", follow=True).content.decode()
    assert "Waiting" in client.post(f"/jobs/{job.id}/retry/", follow=True).content.decode()
    assert client.get(f"/jobs/{job.id}/cancel/").status_code == 405


def test_a_failed_job_says_why_in_words_and_escapes_what_it_quotes(alice: User) -> None:
    job = start(alice, "breaks")
    run_next_job("w")
    Job.objects.update(error_text="<script>alert(1)</script>")
    text = browser_of(alice).get(f"/jobs/{job.id}/").content.decode()
    assert "This is a fault of the program, not of your input." in text
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in text
    assert "ZeroDivisionError" in text


def test_the_list_needs_as_many_queries_for_many_jobs_as_for_one(alice: User, django_assert_max_num_queries) -> None:
    for number in range(40):
        start(alice, number=number)
        if number % 2:
            run_next_job("w")
    client = browser_of(alice)
    with django_assert_max_num_queries(8):
        text = client.get("/jobs/").content.decode()
    assert len(re.findall(r'<td class="fx-name"><a href="/jobs/', text)) == 25


def test_the_dashboard_asks_again_only_while_something_is_live(alice: User) -> None:
    start(alice)
    client = browser_of(alice)
    assert "every 2s" in client.get("/").content.decode()
    run_next_job("w")
    assert "every 2s" not in client.get("/").content.decode()


def test_a_worker_that_has_gone_silent_counts_as_gone(alice: User) -> None:
    start(alice)
    WorkerHeartbeat.objects.create(worker="w", processes_count=1, seen_at=timezone.now() - timedelta(minutes=1))
    assert "No worker is listening" in browser_of(alice).get("/jobs/").content.decode()
