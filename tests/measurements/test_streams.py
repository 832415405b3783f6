"""Files above the size limit are read line by line where their format allows it, with the same result."""

from pathlib import Path

import measurements

FIXTURES = Path(__file__).parent / "fixtures"


def test_a_stream_gives_the_runs_of_the_whole_file(tmp_path: Path) -> None:
    for name in ("aiperf_records.jsonl", "sglang_serving.jsonl", "lmcache_requests_qps0.5.csv"):
        path = FIXTURES / name
        whole = measurements.read(path)
        streamed = measurements.read(path, max_bytes=100, max_stream_bytes=1 << 20)
        assert not streamed.errors and streamed == whole


def test_a_format_that_needs_the_whole_file_is_refused_above_the_limit() -> None:
    error = measurements.read(FIXTURES / "guidellm_new.json", max_bytes=100, max_stream_bytes=1 << 20).errors[0]
    assert error.code == "too_large"
    error = measurements.read(FIXTURES / "vllm_serving_appended.json", max_bytes=100, max_stream_bytes=1 << 20).errors[
        0
    ]
    assert error.code == "too_large" and "read at once" in error.message


def test_a_broken_line_and_a_wrong_encoding_of_a_stream_are_said(tmp_path: Path) -> None:
    data = (FIXTURES / "aiperf_records.jsonl").read_bytes()
    path = tmp_path / "records.jsonl"
    path.write_bytes(data + b'{"metadata": {"session_num": 99, \n')
    result = measurements.read(path, max_bytes=100, max_stream_bytes=1 << 20)
    assert any(finding.code == "incomplete_file" and "line 13" in finding.message for finding in result.findings)
    path.write_bytes(data + b"\xff\xfe\n")
    assert measurements.read(path, max_bytes=100, max_stream_bytes=1 << 20).errors[0].code == "encoding"
    path.write_bytes(data.replace(b"\n", b" "))
    assert measurements.read(path, max_bytes=100, max_stream_bytes=1 << 20).errors[0].code == "too_large"
