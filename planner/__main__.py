"""The command line: ``python -m planner …``. The one module of the planner that also imports measurements and pricing.

Exit codes: 0 done; 1 done, but the answer is "no"; 2 bad input; 3 no result possible.
"""

import argparse
import json
import sys
from collections.abc import Callable, Mapping
from datetime import date
from pathlib import Path
from typing import Any

from planner.errors import InputProblems, NoResult, Problem, shown

Answer = tuple[Any, str, int]
"""The JSON document, the text for people, and the exit code."""

DONE, ANSWER_IS_NO, BAD_INPUT, NO_RESULT = 0, 1, 2, 3


def _literal(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


def with_settings(raw: Mapping[str, Any], settings: list[str]) -> dict[str, Any]:
    """Return the scenario mapping with ``path=value`` settings put in; values are JSON, or text where they are not."""
    changed: dict[str, Any] = json.loads(json.dumps(raw, default=str))
    for setting in settings:
        path, equals, text = setting.partition("=")
        section, dot, name = path.strip().partition(".")
        if not (equals and section and ((dot and name) or section == "title")):
            hint = "section.field=value, such as workload.output_tokens=512"
            raise InputProblems([Problem("not_a_setting", "--set", shown(setting), hint)])
        if not dot:
            changed[section] = text
            continue
        table = changed.setdefault(section, {})
        if isinstance(table, dict):
            table[name] = _literal(text)
    return changed


def evaluate_scenario(source: str, settings: list[str]) -> Any:
    """Load a scenario with its evidence and prices, and evaluate it."""
    import measurements
    import planner
    import pricing
    from planner.scenario import read_mapping

    scenario = planner.load_scenario(with_settings(read_mapping(source), settings))
    runs = measurements.load_evidence(scenario.evidence.datasets)
    prices = pricing.load_book(scenario.money.book, on=date.fromisoformat(scenario.money.book_date))
    return planner.evaluate(scenario, runs, prices)


def _evaluate(args: argparse.Namespace) -> Answer:
    from planner.report import evaluation_text, promise_is_missed

    evaluation = evaluate_scenario(args.scenario, args.set)
    code = ANSWER_IS_NO if promise_is_missed(evaluation) else DONE
    return evaluation.document(), evaluation_text(evaluation), code


def _compare(args: argparse.Namespace) -> Answer:
    from planner.report import comparison_document, comparison_text

    evaluations = [(name, evaluate_scenario(name, args.set)) for name in args.scenario]
    return comparison_document(evaluations), comparison_text(evaluations), DONE


def _kv(args: argparse.Namespace) -> Answer:
    from planner.llm import kv_document
    from planner.report import mapping_text

    source = Path(args.model) if Path(args.model).suffix == ".json" or Path(args.model).is_file() else args.model
    document = kv_document(
        source,
        kv_dtype=args.kv_dtype,
        tensor_parallel_count=args.tp,
        gpu=args.gpu,
        gpu_memory_utilization_fraction=args.gpu_memory_utilization,
    )
    return document, mapping_text(document), DONE


def _backtest(args: argparse.Namespace) -> Answer:
    import measurements
    from planner.backtest import backtest
    from planner.report import backtest_text

    document = backtest([measurements.load_dataset(name) for name in args.dataset])
    return document, backtest_text(document), DONE


def _import(args: argparse.Namespace) -> Answer:
    import measurements
    from measurements.streams import STREAM_MAX_BYTES
    from planner.evaluation import plain
    from planner.report import import_text

    results = [measurements.read(Path(name), tool=args.tool, max_stream_bytes=STREAM_MAX_BYTES) for name in args.file]
    document = {
        "schema": "import",
        "version": 1,
        "runs": [plain(run) for result in results for run in result.runs],
        "findings": [plain(finding) for result in results for finding in result.findings],
        "errors": [plain(error) for result in results for error in result.errors],
    }
    return document, import_text(document), BAD_INPUT if document["errors"] else DONE


def _check(args: argparse.Namespace) -> Answer:
    import measurements
    from planner.evaluation import plain

    findings: list[Any] = []
    for name in args.file:
        stored = measurements.stored_runs(name)
        if stored is not None:
            findings += measurements.check_runs(stored)
            continue
        result = measurements.read(Path(name))
        if result.errors:
            refused = [Problem(error.code, "file", shown(error.file), error.message, name) for error in result.errors]
            raise InputProblems(refused)
        findings += result.findings
    document = {"schema": "check", "version": 1, "findings": [plain(finding) for finding in findings]}
    text = "\n".join(f"[{finding.severity}] {finding.message}" for finding in findings) or "nothing found"
    return document, text, DONE


def _numbers(text: str | None) -> list[float] | None:
    if text is None:
        return None
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        hint = "numbers separated by commas, such as 1000,3000"
        raise InputProblems([Problem("not_a_list", "capacity", shown(text), hint)]) from None


def _hit_rate(args: argparse.Namespace) -> Answer:
    from measurements.traces import read_trace
    from planner import reuse
    from planner.llm import kv_bytes_per_token
    from planner.report import mapping_text

    result = read_trace(args.trace, block_tokens=args.block_tokens, skip_bad_lines=args.skip_bad_lines)
    blocks = _numbers(args.capacity_blocks)
    document = reuse.document(
        result.trace,
        kv_bytes_per_token=kv_bytes_per_token(args.model) if args.model else None,
        capacities_blocks=None if blocks is None else [int(count) for count in blocks],
        capacities_bytes=_numbers(args.capacity_bytes),
        warmup_fraction=args.warmup_fraction,
    )
    document["skipped_lines_count"] = result.skipped_lines_count
    return document, mapping_text(document), DONE


def _examples(_args: argparse.Namespace) -> Answer:
    from planner.scenario import list_examples, read_mapping

    rows = [{"name": name, "title": read_mapping(name)["title"]} for name in list_examples()]
    document = {"schema": "examples", "version": 1, "examples": rows}
    return document, "\n".join(f"{row['name']}: {row['title']}" for row in rows), DONE


def _schema(args: argparse.Namespace) -> Answer:
    from planner.schemas import BUILDERS, schema_document

    if args.name not in BUILDERS:
        raise InputProblems([Problem("unknown_schema", "NAME", shown(args.name), "one of " + ", ".join(BUILDERS))])
    document = schema_document(args.name)
    return document, json.dumps(document, indent=2, ensure_ascii=False), DONE


def _proposal(args: argparse.Namespace) -> Answer:
    from planner.proposal.write import write_proposal

    evaluation = evaluate_scenario(args.scenario, args.set)
    written = write_proposal(evaluation, locale=args.locale, folder=Path(args.out), recipient=args.recipient)
    document = {"schema": "proposal", "version": 1, "files": written}
    return document, "\n".join(f"{entry['sha256']}  {entry['path']}" for entry in written), DONE


def _quote(args: argparse.Namespace) -> Answer:
    import measurements
    import planner
    import pricing
    from planner.scenario import read_mapping
    from pricing.scenario_quotes import discounts_of, quote_text, scenario_quote

    scenario = planner.load_scenario(with_settings(read_mapping(args.scenario), args.set))
    day = date.fromisoformat(scenario.money.book_date)
    found = scenario_quote(
        scenario,
        pricing.load_book(scenario.money.book, on=day),
        evidence={item.id: item.sha256 for item in measurements.load_evidence(scenario.evidence.datasets)},
        option=args.option,
        discounts=discounts_of(args.discount),
        valid_days=args.valid_days,
    )
    return found.document(), quote_text(found), DONE


def _simulate(args: argparse.Namespace) -> Answer:
    import measurements
    import planner
    from planner.evaluate import calibrate_for, gather_runs
    from planner.llm import kv_bytes_per_token
    from planner.options import all_technical
    from planner.scenario import read_mapping
    from planner.simulated_options import simulated_options, simulation_text

    scenario = planner.load_scenario(with_settings(read_mapping(args.scenario), args.set))
    flat, excluded, _ = gather_runs(measurements.load_evidence(scenario.evidence.datasets))
    calibration = calibrate_for(scenario, flat, excluded)
    kv_bytes = kv_bytes_per_token(scenario.model.id, scenario.model.kv_dtype)
    document = simulated_options(
        scenario,
        calibration,
        all_technical(scenario, calibration, kv_bytes),
        kv_bytes=kv_bytes,
        variability=args.variability,
        seed=args.seed,
    )
    return document, simulation_text(document), DONE


def _scenario_arguments(parser: argparse.ArgumentParser, *, many: bool = False) -> None:
    help_text = "a scenario file, or the name of a shipped example"
    parser.add_argument("scenario", metavar="SCENARIO.toml", nargs="+" if many else None, help=help_text)
    parser.add_argument("--set", action="append", default=[], metavar="path=value", help="change one field")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m planner", description="Size, predict and price FX arrays for LLM clusters."
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")

    def command(name: str, handler: Callable[[argparse.Namespace], Answer], help_text: str) -> argparse.ArgumentParser:
        sub = commands.add_parser(name, help=help_text)
        sub.add_argument("--json", action="store_true", help="print one JSON document")
        sub.set_defaults(handler=handler)
        return sub

    _scenario_arguments(command("evaluate", _evaluate, "predict, size, price and compare one scenario"))
    _scenario_arguments(command("compare", _compare, "one table over scenarios and options"), many=True)
    kv = command("kv", _kv, "KV bytes per token of a model or config.json")
    kv.add_argument("model", metavar="MODEL|CONFIG.json")
    kv.add_argument("--kv-dtype", choices=("bf16", "fp8"), default="bf16")
    kv.add_argument("--tp", type=int, default=1, metavar="N")
    kv.add_argument("--gpu", metavar="NAME")
    kv.add_argument("--gpu-memory-utilization", type=float, default=0.9, metavar="F")
    test = command("backtest", _backtest, "error table of the model on the shipped measurements")
    test.add_argument("dataset", nargs="*", default=["r2", "r3"], help="datasets (default: r2 r3)")
    read = command("import", _import, "read benchmark files into canonical runs")
    read.add_argument("file", nargs="+", metavar="FILE")
    read.add_argument("--tool", metavar="NAME")
    check = command("check", _check, "findings on benchmark files, or on runs that import wrote")
    check.add_argument("file", nargs="+", metavar="RUNS.json|FILE")
    hits = command("hit-rate", _hit_rate, "hit rate of a trace over cache capacity")
    hits.add_argument("trace", metavar="TRACE")
    hits.add_argument("--block-tokens", type=int, metavar="N")
    hits.add_argument("--capacity-blocks", metavar="LIST")
    hits.add_argument("--capacity-bytes", metavar="LIST")
    hits.add_argument("--model", metavar="M")
    hits.add_argument("--warmup-fraction", type=float, default=0.0, metavar="F")
    hits.add_argument("--skip-bad-lines", action="store_true")
    command("examples", _examples, "the shipped example scenarios")
    schema = command("schema", _schema, "the JSON Schema of a document")
    schema.add_argument("name", metavar="NAME", help="such as evaluation, scenario or run")
    simulation = command("simulate", _simulate, "simulated percentiles of the burst beside the predicted ones")
    _scenario_arguments(simulation)
    simulation.add_argument("--seed", type=int, default=0, metavar="N")
    simulation.add_argument("--variability", type=float, default=0.0, metavar="CV", help="of the load sizes, 0 to 3")
    quote = command("quote", _quote, "lines, totals, open items and validity of one array option")
    _scenario_arguments(quote)
    quote.add_argument("--option", metavar="ID", help="an array option of the scenario (default: its first candidate)")
    quote.add_argument("--discount", action="append", default=[], metavar="SKU=F", help="fraction off; * is every SKU")
    quote.add_argument("--valid-days", type=int, default=30, metavar="DAYS")
    proposal = command("proposal", _proposal, "write proposal.pdf, proposal.xlsx and evaluation.json")
    _scenario_arguments(proposal)
    proposal.add_argument("--locale", choices=("zh-hans", "ko", "en"), default="zh-hans")
    proposal.add_argument("--out", required=True, metavar="DIR")
    proposal.add_argument("--recipient", default="", metavar="TEXT")
    return parser


def main(argv: list[str] | None = None) -> int:
    """Run one command and return its exit code."""
    args = _parser().parse_args(argv)
    try:
        document, text, code = args.handler(args)
    except InputProblems as error:
        sys.stderr.write("".join(f"error: {problem}\n" for problem in error.problems))
        return BAD_INPUT
    except NoResult as error:
        sys.stderr.write(f"no result: {error.message} [{error.code}]\n")
        return NO_RESULT
    if args.json:
        text = json.dumps(document, ensure_ascii=False, allow_nan=False, indent=2)
    sys.stdout.write(text + "\n")
    return int(code)


if __name__ == "__main__":
    sys.exit(main())
