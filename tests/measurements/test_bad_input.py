"""Bad input: every fixture truncated, mutated, wrongly encoded gives a clear error or sound runs, never a traceback."""

import json
import re
from math import isfinite
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import measurements
from measurements.checks import check_runs
from measurements.documents import Refused, document_from_bytes
from measurements.reading import ReadResult, read_document
from planner.runs import Quantiles

FIXTURES = Path(__file__).parent / "fixtures"
FILES = sorted(path.name for path in FIXTURES.iterdir() if path.is_file())
PARTS = 10


def content(name: str) -> bytes:
    return (FIXTURES / name).read_bytes()


def assert_sound(result: ReadResult) -> None:
    """A refused file has a reason and no runs; a read one holds finite numbers only and no negative time."""
    if result.errors:
        assert not result.runs
        assert all(error.code and error.message and error.code != "malformed_reader" for error in result.errors)
        return
    assert result.runs
    for run in result.runs:
        for name in run.__dataclass_fields__:
            value = getattr(run, name)
            if isinstance(value, float):
                assert isfinite(value), name
            if isinstance(value, Quantiles):
                times = [t for t in (value.p50, value.p90, value.p95, value.p99, value.mean) if t is not None]
                assert times and all(isfinite(t) and t > 0 for t in times), name
        assert all(not isinstance(fact, float) or isfinite(fact) for fact in run.facts.values())


def read_without_a_net(data: bytes, name: str) -> None:
    """Read below the guard that turns a reader's slip into an error, so that slips show."""
    try:
        reading = read_document(document_from_bytes(data, name))
    except Refused as refusal:
        assert refusal.code and refusal.message
    else:
        assert_sound(ReadResult(tuple(reading.runs)))
        check_runs(reading.runs)


@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize("name", FILES)
def test_a_truncated_file_is_refused_or_read_soundly(name: str, part: int) -> None:
    data = content(name)
    read_without_a_net(data[: len(data) * part // PARTS], name)


@pytest.mark.parametrize("name", FILES)
def test_encodings_and_line_ends_change_nothing(name: str) -> None:
    plain = content(name).decode()
    expected = [run.ttft_s for run in measurements.read_bytes(plain.encode(), name).runs]
    for data in (
        plain.encode("utf-8-sig"),
        plain.encode("utf-16"),
        b"\xfe\xff" + plain.encode("utf-16-be"),
        plain.replace("\n", "\r\n").encode(),
        plain.replace("\n", "\r").encode(),
        ("\x1b[32m" + plain + "\x1b[0m").encode(),
    ):
        result = measurements.read_bytes(data, name)
        assert not result.errors and [run.ttft_s for run in result.runs] == expected


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize(
    "token",
    ["NaN", "Infinity", "-nan", "nan", "null", '""', '"n/a"', "-0.0", "-1.5", "1e999", '"x"', "[]", "{}", "true"],
)
def test_a_number_replaced_by_nonsense_never_enters_a_run(name: str, token: str) -> None:
    text = content(name).decode()
    numbers = list(re.finditer(r"(?<=[\s:,=\[])\d+\.\d+(?=[\s,}\]])", text))
    for match in numbers[:: max(1, len(numbers) // 6)]:
        mutated = text[: match.start()] + token + text[match.end() :]
        read_without_a_net(mutated.encode(), name)


@pytest.mark.parametrize("name", [name for name in FILES if name.endswith((".json", ".jsonl"))])
def test_deep_nesting_instead_of_a_value_is_refused(name: str) -> None:
    deep = "[" * 100_000 + "]" * 100_000
    text = content(name).decode().replace("{", '{"deep": ' + deep + ", ", 1)
    result = measurements.read_bytes(text.encode(), name)
    assert_sound(result)
    assert result.errors and "deep" in result.errors[0].message


REFUSALS = (
    (b"", "empty"),
    (b" \r\n\t", "empty"),
    (b"\x89PNG\r\n\x1a\n" + b"0" * 40, "binary"),
    (b"PK\x03\x04" + b"\x00" * 40, "zip"),
    (b"\x00\x05\x16\x07\x00\x02\x00\x00Mac OS X", "binary"),
    (b"\x05user" + b"\x00 " * 60, "binary"),
    (b"\x1f\x8b\x08\x00" + b"0" * 20, "compressed"),
    (b"{}" + b"\x00" * 20, "binary"),
    ('{"a": "\u00e9"}'.encode("latin-1"), "encoding"),
    (b"\xff\xfe{", "encoding"),
    (b"{}", "not_recognised"),
    (b"[]", "not_recognised"),
    (b"hello", "not_recognised"),
    (b"[" * 100_000, "not_recognised"),
    (b'{"a":' * 100_000, "not_recognised"),
    (b'{"completed": ' + b"9" * 6000 + b"}", "not_recognised"),
)


@pytest.mark.parametrize(("data", "code"), REFUSALS, ids=[f"{code}-{i}" for i, (_, code) in enumerate(REFUSALS)])
def test_it_refuses_what_is_no_text_or_no_known_format(data: bytes, code: str) -> None:
    result = measurements.read_bytes(data, "upload.json")
    assert [error.code for error in result.errors] == [code] and not result.runs


def test_it_refuses_too_large_a_file_before_reading_it(tmp_path: Path) -> None:
    path = tmp_path / "large.json"
    with path.open("wb") as file:
        file.truncate(1 << 30)
    assert measurements.read(path).errors[0].code == "too_large"
    assert measurements.read(tmp_path / "absent.json").errors[0].code == "no_file"
    assert measurements.read(tmp_path).errors[0].code == "no_file"


def appended(**changes: object) -> bytes:
    record = json.loads(content("vllm_serving_appended.json").decode().splitlines()[0])
    return json.dumps(record | changes).encode()


def test_numbers_written_as_text_are_read_and_other_writings_refused() -> None:
    assert measurements.read_bytes(appended(duration="50.0"), "a.json").runs[0].duration_s == 50.0
    assert measurements.read_bytes(appended(duration="1,5"), "a.json").errors[0].code == "decimal_comma"
    for text in ("0x10", "1_000", "５０", "50 s", "1.2.3"):
        assert measurements.read_bytes(appended(duration=text), "a.json").errors[0].code == "not_a_number", text
    assert measurements.read_bytes(appended(duration=10**400), "a.json").errors[0].code == "out_of_range"
    error = measurements.read_bytes(appended(duration=[1]), "a.json").errors[0]
    assert "duration" in error.message


def test_a_decimal_comma_table_is_refused_with_the_reason() -> None:
    data = b"concurrency;ttft_s.p50;out_tok/s;rate\n4;0,25;100;1\n"
    error = measurements.read_bytes(data, "table.csv").errors[0]
    assert error.code == "decimal_comma" and "decimal point" in error.message


def test_a_negative_time_is_missing_with_a_finding() -> None:
    result = measurements.read_bytes(appended(p99_ttft_ms=-11.3), "a.json")
    assert result.runs[0].ttft_s is not None and result.runs[0].ttft_s.p99 is None
    assert any(finding.code == "negative_value" for finding in result.findings)


def test_a_broken_line_of_an_appended_file_is_said_and_the_others_are_read() -> None:
    first, second = content("vllm_serving_appended.json").decode().splitlines()
    result = measurements.read_bytes(f"{first}\n{second[:300]}\n{first}\n".encode(), "a.json")
    assert [run.source.part for run in result.runs] == ["line 1", "line 3"]
    assert any(finding.code == "incomplete_file" and "line 2" in finding.message for finding in result.findings)
    result = measurements.read_bytes(f"{first}\n{second[:300]}".encode(), "a.json")
    assert len(result.runs) == 1
    assert any(finding.code == "incomplete_file" for finding in result.findings)


def test_text_before_and_after_a_document_is_passed_over() -> None:
    first = content("vllm_serving_appended.json").decode().splitlines()[0]
    pretty = json.dumps(json.loads(first), indent=4)
    result = measurements.read_bytes(f"[warn] pid=7 {{x}}\nINFO: start\n{pretty}\nbye [done]\n".encode(), "out.txt")
    assert not result.errors and result.runs[0].duration_s == 50.0


def test_repeated_keys_with_different_values_are_missing_and_said() -> None:
    text = appended().decode().replace('"duration": 50.0', '"duration": 50.0, "duration": 51.0')
    result = measurements.read_bytes(text.encode(), "a.json")
    assert result.runs[0].duration_s is None
    assert any(finding.code == "duplicate_key" and "duration" in finding.message for finding in result.findings)
    text = appended().decode().replace('"duration": 50.0', '"duration": 50.0, "duration": 50.0')
    result = measurements.read_bytes(text.encode(), "a.json")
    assert result.runs[0].duration_s == 50.0 and any(finding.code == "duplicate_key" for finding in result.findings)


def test_a_quantity_beyond_all_reason_is_refused() -> None:
    assert measurements.read_bytes(appended(duration=1e308), "a.json").errors[0].code == "out_of_range"


def test_a_result_block_without_figures_is_no_measurement() -> None:
    result = measurements.read_bytes(b"============ Serving Benchmark Result ============\nnothing here\n", "a.txt")
    assert [error.code for error in result.errors] == ["no_measurement"]


def test_a_file_of_broken_documents_is_not_tried_for_ever() -> None:
    first = content("vllm_serving_appended.json").decode().splitlines()[0]
    result = measurements.read_bytes((first + "\n" + '{"a" x\n' * 1000 + first).encode(), "a.json")
    assert len(result.runs) == 1
    assert any(finding.code == "incomplete_file" for finding in result.findings)


def test_a_yaml_bomb_is_refused() -> None:
    bomb = "version: '0.1'\nscenario: &a [1]\nmetrics:\n  - *a\n  - *a\n"
    assert measurements.read_bytes(bomb.encode(), "a.yaml").errors[0].code == "yaml_alias"
    for levels, code in ((100, "too_deep"), (5000, "malformed")):
        deep = "version: '0.1'\nscenario: " + "[" * levels + "]" * levels + "\n"
        assert measurements.read_bytes(deep.encode(), "a.yaml").errors[0].code == code


@given(data=st.data())
@settings(max_examples=300, deadline=None, suppress_health_check=list(HealthCheck))
def test_mutated_files_never_make_a_reader_slip(data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(FILES))
    raw = bytearray(content(name))
    for _ in range(data.draw(st.integers(1, 4))):
        place = data.draw(st.integers(0, len(raw) - 1))
        kind = data.draw(st.sampled_from(["byte", "cut", "repeat", "token"]))
        if kind == "byte":
            raw[place] = data.draw(st.integers(1, 127))
        elif kind == "cut":
            del raw[place : place + data.draw(st.integers(1, 60))]
        elif kind == "repeat":
            raw[place:place] = raw[place : place + data.draw(st.integers(1, 200))]
        else:
            token = data.draw(
                st.sampled_from([b"null", b"[", b"{", b'"', b"NaN", b"1e400", b",", b"\n", b"-1", b"[{}]", b"0"])
            )
            raw[place : place + len(token)] = token
        if not raw:
            return
    read_without_a_net(bytes(raw), name)
