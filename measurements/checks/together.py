"""What shows only when datasets are read side by side: percentile rules, repeats, recompute against sequence."""

from collections.abc import Iterator, Sequence

from planner.runs import Dataset, Finding, PercentileRule, Regime, Run, Severity

REPEAT_FRACTION = 0.05
OUT_OF_LINE_RATIO = 1.5


def check(datasets: Sequence[Dataset]) -> Iterator[Finding]:
    """Yield the joint findings on ``datasets``."""
    runs = [(dataset, run) for dataset in datasets for run in dataset.runs]
    bursts = [(dataset, run) for dataset, run in runs if run.regime is Regime.BURST]
    yield from _rules(bursts)
    yield from _repeats(bursts)
    yield from _recompute([run for _, run in runs])


def _rules(bursts: list[tuple[Dataset, Run]]) -> Iterator[Finding]:
    rules = {
        run.percentile_rule: dataset.id for dataset, run in bursts if run.percentile_rule is not PercentileRule.UNKNOWN
    }
    if len(rules) > 1:
        text = ", ".join(f"{dataset} takes {rule.value}" for rule, dataset in rules.items())
        yield Finding(
            code="percentile_rules_differ",
            severity=Severity.INFO,
            message=f"Percentiles are not defined alike: {text}",
            consequence="A median of 16 differs by one rank; each prediction is compared under the rule of its report.",
            figures={"rules": text},
        )


def _key(run: Run) -> tuple[object, ...]:
    return (
        run.model,
        run.gpu,
        run.tensor_parallel_count,
        run.facts.get("arm"),
        run.concurrency_count,
        run.output_tokens,
    )


def _repeats(bursts: list[tuple[Dataset, Run]]) -> Iterator[Finding]:
    groups: dict[tuple[object, ...], list[tuple[str, float]]] = {}
    for dataset, run in bursts:
        if run.output_tokens_per_s:
            groups.setdefault(_key(run), []).append((dataset.id, run.output_tokens_per_s))
    singles = sum(len(values) == 1 for values in groups.values())
    for key, values in groups.items():
        rates = [rate for _, rate in values]
        spread = max(rates) / min(rates) - 1
        if len(rates) > 1 and spread > REPEAT_FRACTION:
            text = ", ".join(f"{name} {rate:g}" for name, rate in values)
            yield Finding(
                code="repeats_disagree",
                severity=Severity.WARNING,
                message=f"{key[3]} at concurrency {key[4]}: repeats differ by {100 * spread:.1f} % ({text} tok/s)",
                consequence="Repeatability is worse than 5 %; the band of every prediction contains it.",
                figures={"spread_fraction": spread, "arm": str(key[3]), "concurrency_count": float(str(key[4]))},
            )
    if singles:
        yield Finding(
            code="single_measurement",
            severity=Severity.WARNING,
            message=f"{singles} of {len(groups)} conditions were measured once",
            consequence="Their scatter is not known from themselves; ask for repeats.",
            figures={"singles_count": singles, "conditions_count": len(groups)},
        )


def _recompute(runs: list[Run]) -> Iterator[Finding]:
    """Seconds per prefill under load (wall time / prefills of an engine) against a sequential injection."""
    sequential = {
        run.tensor_parallel_count: run.duration_s
        * float(run.facts.get("instances_count", 1))
        / float(run.facts["sessions_count"])
        for run in runs
        if run.duration_s and "sessions_count" in run.facts
    }
    seen: set[int | None] = set()
    for run in runs:
        if not (run.rig and run.rig.tier == "recompute" and run.duration_s and run.concurrency_count):
            continue
        alone, parallel = sequential.get(run.tensor_parallel_count), run.tensor_parallel_count
        if alone is None or parallel in seen:
            continue
        loaded = run.duration_s * run.rig.instances_count / run.concurrency_count
        if loaded > OUT_OF_LINE_RATIO * alone:
            seen.add(parallel)
            yield Finding(
                code="recompute_out_of_line",
                severity=Severity.WARNING,
                message=f"Recompute at TP{parallel} takes {loaded:.1f} s per session under load and {alone:.1f} s when "
                "the same prompts are prefilled in sequence",
                consequence="The recompute baseline may be under-tuned: gains against it are an upper bound; show the "
                "sequential rate too.",
                figures={"under_load_s": loaded, "sequential_s": alone, "tensor_parallel_count": parallel or 0},
            )
