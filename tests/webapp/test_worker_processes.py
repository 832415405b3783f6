"""Real workers, real brokers, real databases, and what happens when they are killed."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.webapp.installation import Installation

WAIT_S = "60"


@pytest.fixture(params=["sqlite and a folder", "sqlite and redis", "postgres and redis", "postgres and rabbitmq"])
def installation(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Installation]:
    """The product on one pair of database and broker, chosen by the environment alone."""
    environment = {}
    if "postgres" in request.param:
        environment["DATABASE_URL"] = request.getfixturevalue("postgres_url")
    if "redis" in request.param:
        environment["CELERY_BROKER_URL"] = request.getfixturevalue("redis_url")
    if "rabbitmq" in request.param:
        environment["CELERY_BROKER_URL"] = request.getfixturevalue("rabbitmq_url")
    made = Installation(tmp_path, **environment)
    yield made
    made.close()


@pytest.fixture
def folder_installation(tmp_path: Path) -> Iterator[Installation]:
    """The product without any server."""
    made = Installation(tmp_path)
    yield made
    made.close()


def states(rows: list[dict]) -> list[str]:
    return [row["state"] for row in rows]


def test_jobs_started_before_and_after_the_worker_all_end_once(installation: Installation) -> None:
    installation.drive("start", "writes", "4")
    installation.start_worker()
    installation.drive("deliver_again", "3")
    rows = installation.drive("wait", "ended", WAIT_S)
    assert states(rows) == ["succeeded"] * 4, installation.logs()
    assert [row["files"] for row in rows] == [[f"report of {number}"] for number in range(4)]
    assert [row["attempts"] for row in rows] == [["succeeded"]] * 4


def test_a_child_that_dies_is_replaced_and_the_job_ends_once(installation: Installation) -> None:
    installation.start_worker()
    installation.drive("start", "dies_once", "2")
    rows = installation.drive("wait", "ended", WAIT_S)
    assert states(rows) == ["succeeded"] * 2, installation.logs()
    assert [row["attempts"] for row in rows] == [["worker_lost", "succeeded"]] * 2
    assert [row["files"] for row in rows] == [["report of 0"], ["report of 1"]]


def test_a_worker_killed_whole_loses_nothing(installation: Installation) -> None:
    worker = installation.start_worker()
    installation.drive("start", "slow", "3", "steps=30")
    while not any(row["state"] == "running" for row in installation.drive("wait", "running", "0.5")):
        assert worker.poll() is None, installation.logs()
    installation.kill_whole(worker)
    installation.start_worker()
    rows = installation.drive("wait", "ended", WAIT_S)
    assert states(rows) == ["succeeded"] * 3, installation.logs()
    assert sorted(row["files"][0] for row in rows) == ["report of 0", "report of 1", "report of 2"]
    assert any(row["attempts"] == ["worker_lost", "succeeded"] for row in rows)


def test_a_job_that_always_kills_its_process_fails_in_the_end(folder_installation: Installation) -> None:
    folder_installation.start_worker()
    folder_installation.drive("start", "dies", "1")
    (row,) = folder_installation.drive("wait", "ended", "90")
    assert (row["state"], row["error_code"]) == ("failed", "attempts_used_up"), folder_installation.logs()
    assert row["attempts"] == ["worker_lost"] * 4 + ["failed"]


def test_a_running_job_that_reports_nothing_is_cancelled(folder_installation: Installation) -> None:
    folder_installation.start_worker()
    folder_installation.drive("start", "deaf", "1")
    assert states(folder_installation.drive("wait", "running", WAIT_S)) == ["running"]
    folder_installation.drive("cancel")
    assert states(folder_installation.drive("wait", "ended", "10")) == ["cancelled"], folder_installation.logs()


def test_a_message_torn_in_half_is_healed(folder_installation: Installation) -> None:
    folder_installation.drive("start", "writes", "2")
    messages = sorted((folder_installation.folder / "broker" / "messages").glob("*.msg"))
    assert len(messages) == 2
    messages[0].write_bytes(messages[0].read_bytes()[:40])
    messages[1].unlink()
    folder_installation.start_worker()
    assert states(folder_installation.drive("wait", "ended", WAIT_S)) == ["succeeded"] * 2, folder_installation.logs()


def test_a_worker_told_to_stop_finishes_its_job_first(folder_installation: Installation) -> None:
    worker = folder_installation.start_worker()
    folder_installation.drive("start", "slow", "1", "steps=20")
    assert states(folder_installation.drive("wait", "running", WAIT_S)) == ["running"]
    worker.terminate()
    worker.wait(20)
    (row,) = folder_installation.drive("wait", "ended", "1")
    assert (row["state"], row["attempts"]) == ("succeeded", ["succeeded"]), folder_installation.logs()


def test_two_workers_share_the_work(folder_installation: Installation) -> None:
    folder_installation.start_worker(processes=1)
    folder_installation.start_worker(processes=1)
    folder_installation.drive("start", "slow", "6", "steps=5")
    rows = folder_installation.drive("wait", "ended", WAIT_S)
    assert states(rows) == ["succeeded"] * 6, folder_installation.logs()
    assert [row["attempts"] for row in rows] == [["succeeded"]] * 6


@pytest.mark.parametrize("broker", ["redis://127.0.0.1:1/0", "amqp://guest:guest@127.0.0.1:1//"])
def test_a_job_started_while_the_broker_is_down_is_accepted_and_run_later(tmp_path: Path, broker: str) -> None:
    away = Installation(tmp_path, CELERY_BROKER_URL=broker)
    (job_id,) = away.drive("start", "writes", "1")
    there = Installation(tmp_path)
    there.start_worker()
    (row,) = there.drive("wait", "ended", WAIT_S)
    there.close()
    assert (row["id"], row["state"], row["attempts"]) == (job_id, "succeeded", ["succeeded"]), there.logs()
