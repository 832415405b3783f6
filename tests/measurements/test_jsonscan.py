"""JSON with text around it, several documents, repeated keys and numbers that JSON does not know."""

from math import inf

import pytest

from measurements.jsonscan import JsonScan, RepeatedKeys


def values(text: str) -> list[object]:
    return [part.value for part in JsonScan(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"a": 1}', [{"a": 1}]),
        ('before\n{"a": 1}\nafter', [{"a": 1}]),
        ('pid=3 said {"a": 1} here', [{"a": 1}]),
        ('{"a": 1}{"b": 2}', [{"a": 1}, {"b": 2}]),
        ('{"a": 1}\n{"b": 2}\n', [{"a": 1}, {"b": 2}]),
        ('[{"a": 1}, {"b": 2}]', [[{"a": 1}, {"b": 2}]]),
        ("[1] a footnote\n[2] another", []),  # lists of numbers in a text are no documents
        ('[info] x {y}\n{"a": 1}', [{"a": 1}]),
        ('{"a": NaN, "b": Infinity, "c": -Infinity}', [{"a": None, "b": inf, "c": -inf}]),
        ('{"a": -nan, "b": [nan, inf]}', [{"a": None, "b": [None, inf]}]),
        ('{"text": "a: nan, b"}', [{"text": "a: nan, b"}]),
        ('{"ok": 1}\n{"a": nan }\n{"c": -inf}', [{"ok": 1}, {"a": None}, {"c": -inf}]),
        ("", []),
        ("no json", []),
    ],
)
def test_documents_are_found(text: str, expected: list[object]) -> None:
    assert values(text) == expected


def test_a_broken_document_does_not_give_its_inner_objects() -> None:
    scan = JsonScan('{\n  "a": {"x": 1},\n  "b": oops,\n  "c": {"y": 2}\n}\n{"d": 3}\n')
    assert [part.value for part in scan] == [{"d": 3}]
    assert scan.problems[0][0] == 3
    scan = JsonScan('{"a": {"x": 1}, "b": oops, "c": {"y": 2}}\n{"d": 3}\n')
    assert [part.value for part in scan] == [{"d": 3}]


def test_a_truncated_document_is_a_problem_and_the_scan_ends() -> None:
    scan = JsonScan('{"a": 1}\n{"b": [{"c": 1}, {"d":')
    assert [part.value for part in scan] == [{"a": 1}]
    assert scan.problems == [(2, "the file ends inside this document")]


def test_parts_carry_line_and_number() -> None:
    parts = list(JsonScan('x\n\n{"a": 1}\n{\n"b": 2}\n{"c": nan}\n'))
    assert [(part.line, part.number) for part in parts] == [(3, 1), (4, 2), (6, 3)]


def test_repeated_keys_keep_the_first_value_and_say_so() -> None:
    (part,) = JsonScan('{"a": 1, "b": {"p": 5, "p": 6, "q": 7, "q": 7}}')
    inner = part.value["b"]
    assert part.repeated_keys == ("p", "q")
    assert isinstance(inner, RepeatedKeys) and inner["p"] == 5
    assert inner.contradictory() == {"p": [5, 6]}


@pytest.mark.parametrize("text", ["[" * 100_000, '{"a":' * 100_000, '{"a": ' + "[" * 100_000 + "]" * 100_000 + "}"])
def test_a_hundred_thousand_levels_are_refused(text: str) -> None:
    scan = JsonScan(text)
    assert list(scan) == [] and "deep" in scan.problems[0][1]


def test_an_integer_of_six_thousand_digits_is_refused() -> None:
    scan = JsonScan('{"a": ' + "9" * 6000 + "}")
    assert list(scan) == [] and scan.problems


@pytest.mark.parametrize(
    "text",
    ['{"a": [' + '{"b":1},' * 400_001 + "1]}", '{"a": [' + "[]," * 2_000_001 + "1]}", "[{}" + ",1" * 6_000_001 + "]"],
)
def test_millions_of_tiny_objects_are_refused_before_they_fill_the_memory(text: str) -> None:
    scan = JsonScan(text)
    assert list(scan) == [] and "more than" in scan.problems[0][1]
