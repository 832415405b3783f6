"""Sections on trust: evidence and findings, joint test, assumptions, sources, glossary, reproduction."""

from collections import Counter
from collections.abc import Iterator

from planner.proposal.blocks import Block, Heading, NewPage, Table, Text
from planner.proposal.content import Content
from planner.proposal.gates import gate_rows
from planner.wording import finding_text

RIGHT = frozenset


def evidence(c: Content) -> Iterator[Block]:
    """Measured points with their conditions, and the findings."""
    yield c.heading("evidence")
    names = ("dataset", "point", "concurrency", "lengths", "ttft", "rate", "rule", "used")
    rows = [
        (
            point["dataset"],
            point["part"],
            str(point["concurrency_count"]),
            f"{c.form.number(point['prompt_tokens'], 0)} / {c.form.number(point['output_tokens'], 0)}",
            c.form.number(point["ttft_p50_s"], 2),
            c.form.number(point["output_tokens_per_s"], 1),
            point["percentile_rule"],
            c.words("yes") if point["excluded"] is None else c.words("no"),
        )
        for point in c.evaluation.measured_points
    ]
    header = tuple(c.words(f"column.{name}") for name in names)
    yield Table(header, tuple(rows), (1.3, 3.4, 1.3, 2.2, 1.5, 1.5, 2.8, 1.2), RIGHT({2, 3, 4, 5}))
    yield Heading(c.say.text("section.findings"), 2)
    seen: Counter[str] = Counter()
    for finding in c.evaluation.findings:
        seen[finding.code] += 1
        if seen[finding.code] <= 2 or finding.severity == "blocks_sizing":
            text = finding_text(c.say, finding.code, finding.figures, finding.message)
            yield Text(f"[{c.say.text(f'severity.{finding.severity}')}] {text}")


def joint_test(c: Content) -> Iterator[Block]:
    """The four gates and the right to stop."""
    yield c.heading("joint_test")
    yield Text(c.words("joint_test"))
    header = tuple(c.words(f"column.{name}") for name in ("gate", "week", "criteria"))
    yield Table(header, tuple(gate_rows(c.locale)), (2.6, 1, 8))


def assumptions(c: Content) -> Iterator[Block]:
    """Every assumption with its effect if wrong."""
    yield c.heading("assumptions")
    rows = []
    for row in c.evaluation.assumptions:
        value = (
            ""
            if row["value"] is None and "." in row["code"] and not row["unit"]
            else f"{c.value(row['value'])} {row['unit']}".strip()
        )
        rows.append(
            (
                c.say.text(f"assumption.{row['code']}"),
                value,
                c.say.text(f"basis.{row['basis']}"),
                c.say.text(row["if_wrong"]),
            )
        )
    header = tuple(c.words(f"column.{name}") for name in ("assumption", "value", "basis", "if_wrong"))
    yield Table(header, tuple(rows), (4, 2.4, 1.4, 4.6))


def sources(c: Content) -> Iterator[Block]:
    """Where the figures come from, and what the grades mean."""
    yield c.heading("sources")
    header = (c.words("column.source"), c.words("column.title"), c.words("column.date"))
    rows = [
        (s.id, " ".join(p for p in (s.title, s.locator, s.licence) if p), s.date or "—") for s in c.evaluation.sources
    ]
    yield Table(header, tuple(rows), (2.6, 8, 1.8))
    for grade in "ABCDX":
        yield Text(c.say.text(f"grade.{grade}"), "small")


def glossary(c: Content) -> Iterator[Block]:
    """The terms used."""
    yield c.heading("glossary")
    codes = [code.removeprefix("term.") for code in c.words.term_codes()]
    rows = [(c.say.text(f"term.{code}"), c.say.text(f"define.{code}")) for code in codes]
    yield Table((c.words("column.term"), c.words("column.meaning")), tuple(rows), (2.4, 8))


def reproduce(c: Content) -> Iterator[Block]:
    """The command that gives every figure again, with versions and hashes."""
    yield c.heading("reproduce")
    yield Text(c.words("reproduce"))
    yield Text("python -m planner evaluate scenario.json --json", "code")
    rows = [(name, value) for name, value in c.evaluation.versions.items()]
    yield Table((c.words("column.part"), c.words("column.version")), tuple(rows), (4, 7))
    yield NewPage()
    yield Heading(c.words("scenario"), 2)
    for line in c.words.scenario_lines(c.evaluation.inputs):
        yield Text(line, "code")
