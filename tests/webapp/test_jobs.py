"""Jobs: one row, one result, whatever happens to workers and messages."""

import threading
import time
from datetime import timedelta
from hashlib import sha256

import pytest
from django.db import connection, transaction
from django.utils import timezone
from kombu.exceptions import OperationalError

from tests.webapp.job_kinds import KINDS
from webapp.accounts.models import User
from webapp.jobs import leases, services, sweeper
from webapp.jobs.files import ArtefactDamaged, artefact_path, artefact_read
from webapp.jobs.models import Job, JobState, WorkerHeartbeat
from webapp.jobs.runner import run_next_job
from webapp.jobs.selectors import worker_is_listening
from webapp.jobs.tasks import run_next

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def sent(settings, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Use the test handlers, and note which jobs a message was sent for instead of sending it."""
    settings.JOB_KINDS = KINDS
    settings.JOB_RENEW_S = 0.05
    messages: list[str] = []
    monkeypatch.setattr(run_next, "apply_async", lambda args: messages.append(args[0]))
    return messages


def start(user: User, kind: str = "writes", **arguments: object) -> Job:
    return services.job_create(user=user, kind=kind, title=kind, arguments=arguments)[0]


def forget_lease(job: Job) -> None:
    Job.objects.filter(pk=job.pk).update(lease_until=timezone.now() - timedelta(seconds=1))


def test_a_job_runs_once_and_leaves_its_file(alice: User) -> None:
    job = start(alice, number=7)
    assert run_next_job("w1") is not None
    assert run_next_job("w1") is None
    job.refresh_from_db()
    artefact = job.artefacts.get()
    assert (job.state, job.progress_fraction, job.attempts_count) == (JobState.SUCCEEDED, 1.0, 1)
    # sha256 of the nine-letter text, computed here and not by the product
    assert artefact.sha256 == sha256(b"report of 7").hexdigest()
    assert artefact_read(artefact) == b"report of 7"
    assert job.attempts.get().outcome == "succeeded"


def test_a_message_is_sent_only_after_the_transaction_commits(alice: User, sent: list[str]) -> None:
    with transaction.atomic():
        job = start(alice)
        assert sent == []
    assert sent == [str(job.pk)]


def test_the_same_request_twice_is_one_job(alice: User, charlie: User, sent: list[str]) -> None:
    first = start(alice, number=1)
    assert start(alice, number=1) == first
    assert start(alice, number=2) != first
    assert start(charlie, number=1) != first
    by_key, made = services.job_create(user=alice, kind="writes", title="t", arguments={"x": 1}, key="k")
    same_key, made_again = services.job_create(user=alice, kind="writes", title="t", arguments={"x": 2}, key="k")
    assert (by_key, made, made_again) == (same_key, True, False)
    assert len(sent) == 4


def test_the_same_request_in_many_threads_is_one_job(alice: User) -> None:
    made: list[bool] = []

    def ask() -> None:
        try:
            made.append(services.job_create(user=alice, kind="writes", title="t", arguments={"n": 1})[1])
        finally:
            connection.close()

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(made) == [False] * 7 + [True]
    assert Job.objects.count() == 1


def test_many_claimers_take_each_job_once(alice: User) -> None:
    for number in range(6):
        start(alice, number=number)
    claimed: list[str] = []

    def claim() -> None:
        try:
            for _ in range(3):
                job = leases.job_claim(worker="w")
                if job is not None:
                    claimed.append(str(job.pk))
        finally:
            connection.close()

    threads = [threading.Thread(target=claim) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(claimed) == 6
    assert len(set(claimed)) == 6


def test_the_higher_priority_and_then_the_older_job_goes_first(alice: User) -> None:
    jobs = [start(alice, number=number) for number in range(4)]
    Job.objects.filter(pk=jobs[2].pk).update(priority=10)
    order = [leases.job_claim(worker="w") for _ in range(4)]
    assert [job.arguments["number"] for job in order if job] == [2, 0, 1, 3]


def test_five_deliveries_of_one_message_run_it_once(alice: User, tmp_path) -> None:
    log = tmp_path / "log"
    job = start(alice, log=str(log))
    for _ in range(5):
        run_next(str(job.pk))
    assert len(log.read_text().splitlines()) == 1


def test_a_lost_job_is_queued_again_and_finished_once(alice: User, sent: list[str]) -> None:
    job = start(alice)
    lost = leases.job_claim(worker="w1")
    assert lost is not None
    assert sweeper.sweep() == 0
    forget_lease(job)
    assert sweeper.sweep() == 1
    assert sent == [str(job.pk)] * 2
    again = leases.job_claim(worker="w2")
    assert again is not None
    assert leases.job_renew(lost) is False
    assert leases.job_progress(lost, 0.5, "evaluating") is False
    assert leases.job_succeed(lost, []) is False
    assert leases.job_fail(lost, code="x", text="x") is False
    assert leases.job_succeed(again, []) is True
    assert list(job.attempts.values_list("outcome", flat=True)) == ["worker_lost", "succeeded"]


def test_two_sweepers_requeue_a_lost_job_once(alice: User) -> None:
    job = start(alice)
    leases.job_claim(worker="w1")
    forget_lease(job)
    both = list(leases.jobs_lost()) + list(leases.jobs_lost())
    for lost in both:
        leases.job_give_back(lost, code="worker_lost", reason="gone", at_once=False)
    job.refresh_from_db()
    assert (job.state, job.attempts.count()) == (JobState.QUEUED, 1)


def test_a_clock_set_back_does_not_keep_a_dead_job_running(alice: User) -> None:
    job = start(alice)
    leases.job_claim(worker="w1")
    Job.objects.filter(pk=job.pk).update(lease_until=timezone.now() + timedelta(hours=1))
    assert sweeper.sweep() == 1


def test_a_job_that_always_dies_fails_with_its_reason(alice: User, settings) -> None:
    settings.JOB_ATTEMPTS_COUNT = 3
    job = start(alice)
    for _ in range(3):
        assert leases.job_claim(worker="w") is not None
        forget_lease(job)
        sweeper.sweep()
    job.refresh_from_db()
    assert (job.state, job.error_code, job.attempts_count) == (JobState.FAILED, "attempts_used_up", 3)
    assert leases.job_claim(worker="w") is None
    assert "worker_lost" in job.attempts.last().reason


def test_an_unsent_job_is_sent_by_the_sweeper(alice: User, sent: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    def no_broker(args: list[str]) -> None:
        raise OperationalError

    with monkeypatch.context() as patch:
        patch.setattr(run_next, "apply_async", no_broker)
        job = start(alice)
        assert job.state == JobState.QUEUED
        Job.objects.update(queued_at=timezone.now() - timedelta(seconds=3))
        assert sweeper.sweep() == 0
    assert sweeper.sweep() == 1
    assert sent == [str(job.pk)]


def test_a_lost_message_is_sent_again_only_while_a_worker_is_idle(alice: User, sent: list[str]) -> None:
    start(alice)
    Job.objects.update(sent_at=timezone.now() - timedelta(seconds=60))
    assert sweeper.sweep() == 0
    WorkerHeartbeat.objects.create(worker="w", processes_count=1)
    assert sweeper.sweep() == 1
    busy = start(alice, number=2)
    Job.objects.filter(pk=busy.pk).update(priority=9)
    leases.job_claim(worker="w")
    Job.objects.filter(state=JobState.QUEUED).update(sent_at=timezone.now() - timedelta(seconds=60))
    assert sweeper.sweep() == 0


@pytest.mark.parametrize(
    ("kind", "code", "text"),
    [
        ("refuses", "no_price", "FX400 has no price"),
        ("finds_nothing", "unstable", "utilisation is 1.2"),
        ("fills_the_disk", "disk_full", ""),
        ("breaks", "internal_error", "ZeroDivisionError: a fault"),
    ],
)
def test_a_handler_that_says_no_ends_the_job_with_its_words(alice: User, kind: str, code: str, text: str) -> None:
    job = start(alice, kind)
    run_next_job("w")
    job.refresh_from_db()
    assert (job.state, job.error_code, job.error_text, job.artefacts.count()) == (JobState.FAILED, code, text, 0)


def test_passing_trouble_is_tried_again(alice: User) -> None:
    job = start(alice, "stumbles")
    run_next_job("w")
    job.refresh_from_db()
    assert (job.state, job.attempts.get().outcome, job.sent_at) == (JobState.QUEUED, "ConnectionError", None)


def test_a_kind_this_version_does_not_know_fails_clearly(alice: User, settings) -> None:
    job = start(alice)
    settings.JOB_KINDS = {}
    run_next_job("w")
    job.refresh_from_db()
    assert (job.state, job.error_code) == (JobState.FAILED, "unknown_kind")


def test_a_waiting_job_is_cancelled_at_once(alice: User) -> None:
    job = services.job_cancel(job=start(alice))
    assert job.state == JobState.CANCELLED
    assert run_next_job("w") is None


@pytest.mark.parametrize("kind", ["slow", "deaf"])
def test_a_running_job_is_interrupted_when_cancelled(alice: User, kind: str) -> None:
    job = start(alice, kind, steps=600)
    canceller = threading.Thread(target=_cancel_when_running, args=(job,))
    canceller.start()
    run_next_job("w")
    canceller.join()
    job.refresh_from_db()
    assert (job.state, job.artefacts.count()) == (JobState.CANCELLED, 0)
    assert job.attempts.get().outcome == "cancelled"


def _cancel_when_running(job: Job) -> None:
    try:
        while Job.objects.get(pk=job.pk).state != JobState.RUNNING:
            time.sleep(0.02)
        services.job_cancel(job=job)
    finally:
        connection.close()


def test_a_job_over_its_time_limit_is_stopped(alice: User, settings) -> None:
    settings.JOB_KINDS = {"deaf": {**KINDS["deaf"], "time_limit_s": 0.2}}
    job = start(alice, "deaf")
    run_next_job("w")
    job.refresh_from_db()
    assert (job.state, job.error_code) == (JobState.FAILED, "time_limit")


def test_a_run_that_lost_its_lease_stops_and_changes_nothing(alice: User) -> None:
    job = start(alice, "slow", steps=600)

    def take_away() -> None:
        try:
            while Job.objects.get(pk=job.pk).state != JobState.RUNNING:
                time.sleep(0.02)
            Job.objects.filter(pk=job.pk).update(claim=job.pk)
        finally:
            connection.close()

    thief = threading.Thread(target=take_away)
    thief.start()
    run_next_job("w")
    thief.join()
    job.refresh_from_db()
    assert (job.state, job.claim) == (JobState.RUNNING, job.pk)


def test_a_long_run_keeps_its_lease(alice: User, settings) -> None:
    settings.JOB_LEASE_S = 0.4
    start(alice, "slow", steps=10)
    found: list[int] = []

    def look() -> None:
        try:
            for _ in range(8):
                time.sleep(0.1)
                found.append(leases.jobs_lost().count())
        finally:
            connection.close()

    watcher = threading.Thread(target=look)
    watcher.start()
    done = run_next_job("w")
    watcher.join()
    assert done is not None
    assert Job.objects.get().state == JobState.SUCCEEDED
    assert found == [0] * 8


def test_a_failed_job_can_be_tried_again_with_all_its_attempts(alice: User, sent: list[str]) -> None:
    job = start(alice, "breaks")
    run_next_job("w")
    job = services.job_retry(job=job)
    assert (job.state, job.error_code, job.attempts_limit - job.attempts_count) == (JobState.QUEUED, "", 5)
    assert sent == [str(job.pk)] * 2


def test_a_retry_leads_to_the_job_that_was_started_in_the_meantime(alice: User) -> None:
    failed = start(alice, "breaks")
    run_next_job("w")
    newer = start(alice, "breaks")
    assert newer != failed
    failed.refresh_from_db()
    assert services.job_retry(job=failed) == newer
    failed.refresh_from_db()
    assert failed.state == JobState.FAILED


def test_a_done_job_is_neither_cancelled_nor_tried_again(alice: User) -> None:
    job = start(alice)
    run_next_job("w")
    job.refresh_from_db()
    assert services.job_cancel(job=job).state == JobState.SUCCEEDED
    assert services.job_retry(job=job).state == JobState.SUCCEEDED


def test_a_damaged_file_is_noticed(alice: User) -> None:
    start(alice)
    job = run_next_job("w")
    assert job is not None
    artefact = job.artefacts.get()
    artefact_path(artefact.sha256).write_bytes(b"report of 8")
    with pytest.raises(ArtefactDamaged):
        artefact_read(artefact)
    artefact_path(artefact.sha256).unlink()
    with pytest.raises(ArtefactDamaged):
        artefact_read(artefact)


def test_a_file_that_cannot_be_written_leaves_nothing_behind(alice: User, settings, monkeypatch) -> None:
    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    job = start(alice)
    run_next_job("w")
    job.refresh_from_db()
    assert (job.state, job.error_code) == (JobState.FAILED, "disk_full")
    assert [path for path in settings.ARTEFACTS_DIR.rglob("*") if path.is_file()] == []


def test_a_worker_is_heard_of_for_ten_seconds(db: None) -> None:
    assert not worker_is_listening()
    WorkerHeartbeat.objects.create(worker="w", processes_count=2)
    assert worker_is_listening()
    WorkerHeartbeat.objects.update(seen_at=timezone.now() - timedelta(seconds=11))
    assert not worker_is_listening()
