"""Storage, network and joint-test formats without a collected sample: own files, values worked out by hand."""

from pathlib import Path

import pytest

import measurements
from measurements.reading import ReadResult
from planner.runs import PercentileRule, Quantiles, Regime, Run, Severity

FIXTURES = Path(__file__).parent / "fixtures"
MIB, GIB = 1 << 20, 1 << 30


def read(name: str) -> ReadResult:
    result = measurements.read(FIXTURES / name)
    assert not result.errors, result.errors
    return result


def codes(result: ReadResult) -> set[str]:
    return {finding.code for finding in result.findings}


def latency(run: Run, side: str) -> Quantiles:
    value = run.read_latency_s if side == "read" else run.write_latency_s
    assert value is not None
    return value


def test_fio_json_with_text_around_it() -> None:
    """6,400,000 KiB/s x 1,024 = 6.5536e9 B/s = 100,000 x 65,536; the idle write side is missing, not 0."""
    (run,) = read("fio_randread.json").runs
    assert (run.read_bytes_per_s, run.read_iops, run.block_bytes) == (6.5536e9, 100_000, 65_536)
    assert run.write_bytes_per_s is None and run.write_latency_s is None
    assert (run.queue_depth_count, run.duration_s, run.source.tool_version) == (32, 10, "fio-3.36")
    assert latency(run, "read").p50 == pytest.approx(300e-6)
    assert latency(run, "read").p99 == pytest.approx(700e-6)
    assert run.percentile_rule is PercentileRule.BUCKET


def test_fio_error_lines_block_the_run() -> None:
    text = (
        "fio: pid=1, err=5/file:io.c:1, func=td, error=Input/output error\n"
        + (FIXTURES / "fio_randread.json").read_text()
    )
    result = measurements.read_bytes(text.encode(), "x.json")
    assert [f.severity for f in result.findings if f.code == "job_failed"] == [Severity.BLOCKS_SIZING]


def test_cumulative_fio_documents_give_the_last_one() -> None:
    """--status-interval: 5 s later the same job has moved more; the sum of both would count bytes twice."""
    earlier = """{"fio version": "fio-3.36", "timestamp": 1699999995, "jobs": [
      {"jobname": "load", "groupid": 0, "error": 0,
      "elapsed": 6, "job options": {"name": "load", "rw": "randread"}, "read": {"io_bytes": 32768000000,
      "bw_bytes": 6553600000, "bw": 6400000, "iops": 100000.0, "runtime": 5000}}]}\n"""
    text = earlier + (FIXTURES / "fio_randread.json").read_text()
    result = measurements.read_bytes(text.encode(), "status.json")
    assert len(result.runs) == 1 and result.runs[0].duration_s == 10
    assert "cumulative_documents" in codes(result)


def test_fio_2_counts_in_kib_and_microseconds() -> None:
    """io_bytes 1,294,256 KiB in 10.003 s is 129,387 KiB/s."""
    text = """{"fio version": "fio-2.17", "jobs": [{"jobname": "old", "groupid": 0, "error": 0,
      "read": {"io_bytes": 1294256,
      "bw": 129386, "iops": 32346.5, "runtime": 10003, "clat": {"mean": 123.5, "percentile": {"99.000000": 250}}}}]}"""
    result = measurements.read_bytes(text.encode(), "old.json")
    (run,) = result.runs
    assert run.read_bytes_per_s == 129_386 * 1024 and latency(run, "read").p99 == pytest.approx(250e-6)
    assert "contradictory_fields" not in codes(result)


def test_fio_terse() -> None:
    """409,600 KiB/s; the write block that begins at field 47 is idle."""
    (run,) = read("fio_terse.txt").runs
    assert (run.read_bytes_per_s, run.read_iops, run.duration_s) == (409_600 * 1024, 3200, 10)
    assert latency(run, "read").mean == pytest.approx(170.5e-6) and latency(run, "read").p99 == pytest.approx(400e-6)
    assert run.write_bytes_per_s is None


def test_fio_report_for_people() -> None:
    (run,) = read("fio_report.txt").runs
    assert (run.write_bytes_per_s, run.write_iops, run.queue_depth_count) == (2500 * MIB, 2500, 8)
    assert latency(run, "write").mean == pytest.approx(3.2e-3) and latency(run, "write").p99 == pytest.approx(9e-3)


def test_elbencho_csv_takes_the_last_worker_and_recomputes_small_rates() -> None:
    """READ: 41 MiB in 4 s = 10.25 MiB/s where the column says 10; WRITE: 2,048 MiB/s, not the 2,500 of the first."""
    result = read("elbencho.csv")
    write, reads = result.runs
    assert write.write_bytes_per_s == 2048 * MIB and write.queue_depth_count == 64
    assert reads.read_bytes_per_s == 10.25 * MIB and reads.read_iops == 2560
    assert latency(write, "write").mean == pytest.approx(7.812e-3)
    assert "stragglers" in codes(result)
    assert "elbencho -w" not in str(result.runs)


def test_elbencho_json_counts_in_bytes() -> None:
    reads, write = read("elbencho.json").runs
    assert (reads.read_bytes_per_s, reads.read_iops, reads.duration_s) == (8000 * MIB, 8000, 12.5)
    assert write.write_bytes_per_s == 4000 * MIB and latency(write, "write").mean == pytest.approx(3.0005e-3)


def test_kv_cache_benchmark_divides_by_the_elapsed_time() -> None:
    """25 GB in 12.5 s; 5,000 reads in 12.5 s are 400 IOPS."""
    result = read("mlc_kvcache.json")
    (run,) = result.runs
    assert (run.read_bytes_per_s, run.write_bytes_per_s, run.read_iops, run.write_iops) == (2e9, 4e8, 400, 20)
    assert latency(run, "read").p50 == pytest.approx(12.5e-3) and run.output_tokens_per_s is None
    assert {"counts_named_iops", "storage_health"} <= codes(result)


def test_kv_cache_table_forms_the_wall_time() -> None:
    """100,000 tokens at 2,000 tok/s take 50 s: 50 GiB are 1 GiB/s. Nothing written is missing."""
    first, second = read("mlc_kvcache.csv").runs
    assert first.read_bytes_per_s == pytest.approx(GIB) and first.write_bytes_per_s == pytest.approx(GIB / 10)
    assert second.read_bytes_per_s == pytest.approx(GIB / 4) and second.write_bytes_per_s is None


def test_mlperf_training_and_checkpoints() -> None:
    """MB is MiB, GB is GiB; 64 GiB in 32 s is 2 GiB/s, not the 8 that the file claims for loading."""
    result = read("mlperf_checkpoint.json")
    train, save, load = result.runs
    assert train.read_bytes_per_s == 1000 * MIB and train.duration_s == 120
    assert save.write_bytes_per_s == 4 * GIB and save.facts["checkpoint_bytes"] == 64 * GIB
    assert load.read_bytes_per_s == 8 * GIB
    by_run = {(finding.code, finding.run) for finding in result.findings}
    assert {("run_invalid", 0), ("contradictory_fields", 2)} <= by_run and ("contradictory_fields", 1) not in by_run


def test_perftest_decides_the_unit_by_message_rate() -> None:
    """0.185394 Mpps x 65,536 B = 12.15e9 B/s = 97.2 Gbit/s."""
    (run,) = read("perftest.json").runs
    assert run.read_bytes_per_s == pytest.approx(97.2e9 / 8) and run.read_iops == pytest.approx(185_394)


def test_perftest_without_a_message_rate_has_no_unit() -> None:
    text = (FIXTURES / "perftest.json").read_text().replace('"MsgRate": 0.185394', '"MsgRate": 9.9')
    result = measurements.read_bytes(text.encode(), "x.json")
    assert not result.runs and result.errors


def test_it_refuses_a_negative_bandwidth() -> None:
    text = (FIXTURES / "perftest.json").read_text().replace("97.2", "-11.3")
    result = measurements.read_bytes(text.encode(), "x.json")
    assert not result.runs and result.errors


def test_perftest_latency_table() -> None:
    (run,) = read("perftest.txt").runs
    assert latency(run, "read").p50 == pytest.approx(3.25e-6) and latency(run, "read").p99 == pytest.approx(3.9e-6)
    assert run.block_bytes == 4096 and run.read_bytes_per_s is None


def test_gdsio_reads_both_directions_and_wrapped_lines() -> None:
    """20 GiB in 5 s and in 2.5 s."""
    write, reads = read("gdsio.txt").runs
    assert (write.write_bytes_per_s, write.write_iops) == (4 * GIB, 4096)
    assert (reads.read_bytes_per_s, reads.read_iops, reads.block_bytes) == (8 * GIB, 8192, MIB)
    assert latency(reads, "read").mean == pytest.approx(1.953125e-3)


def test_ior_takes_the_mean_of_its_repetitions() -> None:
    (run,) = read("ior.json").runs
    assert run.write_bytes_per_s == pytest.approx(2100.5 * MIB) and run.read_bytes_per_s == pytest.approx(3200.5 * MIB)
    assert latency(run, "write").mean == pytest.approx(0.005) and run.block_bytes == MIB


def test_joint_test_pools_instances_under_the_stated_rule() -> None:
    """TTFT 4, 5, 6, 8: the 2nd of 4 is 5 under ceil, the 4th is p90 and p99; 4 x 64 tokens in 10 s are 25.6 tok/s."""
    first, second = read("joint_test.log").runs
    assert first.ttft_s == Quantiles(p50=5.0, p90=8.0, p95=8.0, p99=8.0, mean=5.75)
    assert (first.concurrency_count, first.duration_s, first.output_tokens) == (4, 10, 64)
    assert first.output_tokens_per_s == pytest.approx(25.6)
    assert (first.regime, first.percentile_rule) == (Regime.BURST, PercentileRule.CEIL)
    assert first.tpot_s is not None and first.tpot_s.p50 == pytest.approx(0.020)
    assert second.concurrency_count == 2


def test_joint_test_counts_requests_that_never_answered() -> None:
    result = read("joint_test.log")
    assert (result.runs[1].requests_ok_count, result.runs[1].requests_failed_count) == (1, 1)
    assert any(f.code == "failed_requests" and f.run == 1 for f in result.findings)


def test_joint_test_says_when_the_client_took_the_other_median() -> None:
    """Two samples 4 and 6: printed p50 = 6 is sorted[int(0.5*2)], ceil gives 4."""
    text = "\n".join((FIXTURES / "joint_test.log").read_text().splitlines()[:3])
    result = measurements.read_bytes(text.encode(), "one.log")
    (note,) = [finding for finding in result.findings if finding.code == "printed_percentile_differs"]
    assert note.figures == {"printed_s": 6.0, "computed_s": 4.0} and PercentileRule.FLOOR.value in note.message


def test_joint_test_closing_line_alone_has_an_unknown_rule() -> None:
    line = (
        "[p8000] n=16 wall=13.7s TTFT p50=11.85 p90=11.87 p99=11.88 mean=11.1 "
        "| TPOT_ms p50=28.9 p99=30.0 mean=29.0 | outtok/s=74.9"
    )
    (run,) = measurements.read_bytes(line.encode(), "c.log").runs
    assert run.percentile_rule is PercentileRule.UNKNOWN and run.concurrency_count == 16
    assert run.ttft_s is not None and run.ttft_s.p50 == 11.85
    assert run.tpot_s is not None and run.tpot_s.p50 == pytest.approx(0.0289)


def test_it_refuses_to_average_the_percentiles_of_instances() -> None:
    lines = "".join(f"[p800{i}] n=8 wall=9s TTFT p50={5 + i} mean=5.0 | outtok/s=50.5\n" for i in range(2))
    result = measurements.read_bytes(lines.encode(), "c.log")
    assert result.runs[0].ttft_s is None and result.runs[0].output_tokens_per_s == 101
    assert "instances_not_pooled" in codes(result)


def test_iostat_peak_busy_mean_and_dropped_first_report() -> None:
    """kB is 1,024 B. Busy from 10 % of the peak: 5e6 and 10e6 kB/s, mean 7.5e6.

    The wait is weighted by requests: (1 x 10 + 4 x 20 + 0.5 x 0.2) / 30.2 ms.
    """
    (run,) = read("iostat.txt").runs
    assert run.read_bytes_per_s == 10e6 * 1024 and run.read_iops == 20_000
    assert run.facts["read_busy_mean_bytes_per_s"] == 7.5e6 * 1024
    assert (run.facts["read_busy_intervals_count"], run.facts["intervals_count"]) == (2, 3)
    assert latency(run, "read").mean == pytest.approx((10 + 80 + 0.1) / 30.2 / 1000)


def test_it_refuses_iostat_without_an_interval() -> None:
    text = "\n".join((FIXTURES / "iostat.txt").read_text().splitlines()[:4])
    assert measurements.read_bytes(text.encode(), "i.txt").errors[0].code == "no_measurement"


def test_iostat_started_again_drops_its_first_report_again() -> None:
    """Two logs of three intervals each, one after the other: six intervals, not seven."""
    text = (FIXTURES / "iostat.txt").read_text() * 2
    (run,) = measurements.read_bytes(text.encode(), "i.txt").runs
    assert run.facts["intervals_count"] == 6
    assert run.facts["read_busy_mean_bytes_per_s"] == 7.5e6 * 1024
