"""Readers of request traces: each format, privacy, and bad input with its line number."""

import json

import pytest

from measurements.traces import read_trace
from measurements.traces.raw_tokens import chained_hashes
from planner.errors import InputProblems


def row(time=0, length=600, ids=(1, 2), **more):
    return json.dumps({"timestamp": time, "input_length": length, "output_length": 5, "hash_ids": list(ids), **more})


@pytest.fixture
def write(tmp_path):
    def writer(content):
        path = tmp_path / "trace.dat"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return writer


def test_mooncake_milliseconds_and_dense_ids(write):
    found = read_trace(write(row(1000, ids=(900, 2**64 - 1)) + "\n" + row(3500, ids=(900, 7)) + "\n"))
    assert found.format == "mooncake"
    assert found.trace.arrival_s.tolist() == [0.0, 2.5]
    assert found.trace.block_ids.tolist() == [0, 1, 0, 2]  # what the ids were is gone
    assert found.trace.touch_tokens().tolist() == [512, 88, 512, 88]


def test_bailian_seconds_and_16_tokens(write):
    found = read_trace(write(row(1, 20, chat_id=3, parent_chat_id=-1, type="text", turn=1)))
    assert (found.format, found.trace.block_tokens) == ("qwen-bailian", 16)


def test_tables_without_ids(write, shared_dir):
    head = "Timestamp,Session ID,Elapsed time,Model,Request tokens,Response tokens,Total tokens,Log Type\r\n"
    found = read_trace(write(head + "5,1,2,ChatGPT,472,18,490,Conversation log\r\n45,2,2,GPT-4,10,0,10,API log\r\n"))
    assert (found.format, found.trace.has_prefix_ids) == ("burstgpt", False)
    assert found.trace.arrival_s.tolist() == [0, 40]
    azure = read_trace(shared_dir / "data/traces/AzureLLMInferenceTrace_conv.csv")
    assert (azure.format, azure.trace.requests_count) == ("azure", 19_366)


def test_own_csv_with_and_without_ids(write):
    with_ids = read_trace(write("arrival_s,input_tokens,output_tokens,block_ids\n0,600,1,4 5\n1,512,1,4\n"))
    assert with_ids.trace.block_ids.tolist() == [0, 1, 0]
    assert not read_trace(write("arrival_s,input_tokens,output_tokens\n0,600,1\n")).trace.has_prefix_ids


def test_raw_token_ids_are_hashed_in_chains(write):
    lines = [{"timestamp": t, "token_ids": ids, "output_length": 1} for t, ids in ((0, [1, 2, 3]), (1, [1, 2, 4]))]
    found = read_trace(write("\n".join(map(json.dumps, lines))), block_tokens=2)
    assert found.trace.block_ids.tolist() == [0, 1, 0, 2]
    assert chained_hashes([1, 2, 3, 3], 2)[1] != chained_hashes([5, 2, 3, 3], 2)[1]  # same block, other prefix


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_line_ends_and_byte_order_marks(write, ending, encoding):
    text = ending.join([row(0), row(1), ""])
    assert read_trace(write(text.encode(encoding))).trace.requests_count == 2


BAD = {
    "time decreases": (row(-0.0), row(5), row(4)),
    "float ids": (row(), row(ids=(1.0, 2))),
    "ids missing": (row(), '{"timestamp": 1, "input_length": 600, "output_length": 5}'),
    "65-bit ids": (row(), row(ids=(2**64, 2))),
    "too few ids": (row(), row(length=1025)),
    "duplicate ids": (row(), row(ids=(3, 3))),
    "NaN": (row(), row().replace("600", "NaN")),
    "Infinity": (row(), row(time=float("inf"))),
    "negative": (row(), row(length=-600)),
    "zero": (row(), row(length=0, ids=())),
    "absurd": (row(), row(length=10**30)),
    "text": (row(), row(length="many")),
    "deep": (row(), "[" * 100_000),
    "key twice": (row(), row().replace('"hash_ids"', '"timestamp"')),
    "not UTF-8": (row(), "\udcff"),
}


@pytest.mark.parametrize("name", BAD)
def test_it_refuses_a_bad_line_with_its_number(write, name):
    lines = BAD[name]
    path = write("\n".join(lines).encode("utf-8", "surrogateescape"))
    with pytest.raises(InputProblems) as caught:
        read_trace(path)
    (problem,) = caught.value.problems
    assert problem.file == "trace.dat"
    assert problem.field.startswith(f"line {len(lines)}: ")
    assert problem.hint
    assert read_trace(path, skip_bad_lines=True).skipped_lines_count == 1


def test_one_broken_line_in_10000(write):
    lines = [row(t) for t in range(10_000)]
    lines[7_653] = lines[7_653][:30]
    path = write("\n".join(lines))
    with pytest.raises(InputProblems) as caught:
        read_trace(path)
    assert [p.field for p in caught.value.problems] == ["line 7654: line"]
    found = read_trace(path, skip_bad_lines=True)
    assert (found.trace.requests_count, found.skipped_lines_count, len(found.errors)) == (9_999, 1, 1)


@pytest.mark.parametrize(
    "content", [b"", b"\n\n", b"\x89PNG\0\0\0", b"\xff\xfe\x00", b"a,b\n1,2\n", b"\xff\xf0abc", b'{"x": 1}']
)
def test_it_refuses_other_files(write, content):
    with pytest.raises(InputProblems) as caught:
        read_trace(write(content))
    assert caught.value.problems[0].file == "trace.dat"


def test_it_refuses_a_missing_file_and_an_unknown_format(tmp_path, write):
    for path, name in ((tmp_path / "none", None), (write(row()), "vcf"), (write(row()), "azure")):
        with pytest.raises(InputProblems):
            read_trace(path, name)
