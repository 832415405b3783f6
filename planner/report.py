"""The evaluation as plain English text for a terminal."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from planner.evaluation import Evaluation, Option
from planner.money import Money
from planner.uncertainty import Band
from planner.wording import Wording

NOT_KNOWN = "not known"


def _band(value: Band | None, unit: str = "", digits: int = 2, scale: float = 1.0) -> str:
    if value is None:
        return NOT_KNOWN
    low, middle, high = (f"{scale * number:,.{digits}f}" for number in value)
    return f"{middle} ({low}–{high}){unit}"


def _money(value: Money | None) -> str:
    return NOT_KNOWN if value is None else f"¥{value.rounded().amount:,}"


def table(rows: Sequence[Sequence[str]]) -> str:
    """Return rows as aligned columns; the first row is the heading."""
    widths = [max(len(row[index]) for row in rows) for index in range(len(rows[0]))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
    lines.insert(1, "  ".join("-" * width for width in widths))
    return "\n".join(lines)


HEADING = (
    "option",
    "units",
    "binds",
    "TTFT p50 s",
    "out tok/s",
    "grade",
    "uplift %",
    "capital",
    "NPV against baseline",
    "verdict",
)


def _capital(option: Option) -> str:
    open_items = len(option.cost.open_items)
    known = "" if option.cost.capex_known is None else _money(option.cost.capex_known)
    return " + ".join(part for part in (known, f"{open_items} items on request" if open_items else "") if part)


def _row(option: Option) -> tuple[str, ...]:
    against, at = option.against_baseline, option.at
    return (
        option.name,
        str(option.sizing.units),
        option.sizing.binding_constraint,
        _band(at.ttft_s),
        _band(at.output_tokens_per_s, digits=1),
        f"{at.grade}/{at.rate_grade}",
        _band(against.throughput_uplift_fraction, digits=1, scale=100) if against else "baseline",
        _capital(option),
        _band(against.npv, digits=0) if against else "-",
        option.verdict.answer,
    )


def promise_is_missed(evaluation: Evaluation) -> bool:
    """Return whether a promise was asked for and no option is likely to keep it (P50)."""
    kept = [option.at.keeps_promise_fraction for option in evaluation.options]
    asked = [share for share in kept if share is not None]
    return bool(asked) and max(asked) < 0.5


def evaluation_text(evaluation: Evaluation) -> str:
    """Return one evaluation: the sentence, the options table, and the findings that touch it."""
    say = Wording("en")
    lines = [
        str(evaluation.inputs["title"]),
        "",
        say.text(evaluation.headline.reason, **evaluation.headline.figures),
        "",
    ]
    lines.append(table([HEADING, *(_row(option) for option in evaluation.options)]))
    lines += ["", "Bands are P10–P90. Grades: TTFT / output rate."]
    if evaluation.findings:
        lines += ["", "Findings on the evidence:"]
        lines += [f"- [{finding.severity}] {finding.message}" for finding in evaluation.findings]
    return "\n".join(lines)


def comparison_document(evaluations: Iterable[tuple[str, Evaluation]]) -> dict[str, Any]:
    """Return the comparison of scenarios: one entry per scenario and option."""
    rows: list[dict[str, Any]] = []
    for name, evaluation in evaluations:
        options = evaluation.document()["options"]
        rows.extend({"scenario": name, **option} for option in options)
    return {"schema": "comparison", "version": 1, "options": rows}


def comparison_text(evaluations: Iterable[tuple[str, Evaluation]]) -> str:
    """Return one table over scenarios and their options."""
    rows: list[Sequence[str]] = [("scenario", *HEADING)]
    rows += [(name, *_row(option)) for name, evaluation in evaluations for option in evaluation.options]
    return table(rows)


def mapping_text(document: Mapping[str, Any]) -> str:
    """Return a flat document, a line for each key."""
    return "\n".join(f"{key}: {NOT_KNOWN if value is None else value}" for key, value in document.items())


def backtest_text(document: Mapping[str, Any]) -> str:
    """Return the error table, worst first, and the summary."""
    heading = ("dataset", "point", "metric", "measured", "predicted", "error %", "held out")
    rows: list[Sequence[str]] = [heading]
    rows += [
        (
            row["dataset"],
            row["point"],
            row["metric"],
            f"{row['measured']:.4g}",
            f"{row['predicted']:.4g}",
            f"{100 * row['error_fraction']:+.1f}",
            "yes" if row["held_out"] else "no",
        )
        for row in document["rows"]
    ]
    summary: list[Sequence[str]] = [("metric / kind / fit", "points", "mean %", "worst %")]
    summary += [
        (
            name,
            str(row["points_count"]),
            f"{100 * row['mean_error_fraction']:.1f}",
            f"{100 * row['worst_error_fraction']:.1f}",
        )
        for name, row in document["summary"].items()
    ]
    return table(rows) + "\n\n" + table(summary)


def import_text(document: Mapping[str, Any]) -> str:
    """Return what was read, what was found and what was refused."""
    lines = [f"{len(document['runs'])} operating points"]
    for run in document["runs"]:
        known = {key: value for key, value in run.items() if value not in (None, {}, "unknown") and key != "source"}
        source = run["source"]
        lines.append(f"- {source['file']} {source['part']} [{source['tool']}] " + ", ".join(sorted(known)))
    lines += [f"- [{finding['severity']}] {finding['message']}" for finding in document["findings"]]
    lines += [f"- refused {error['file']}: {error['message']} [{error['code']}]" for error in document["errors"]]
    return "\n".join(lines)
