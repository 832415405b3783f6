"""One call from a scenario, its evidence and its prices to everything that is shown: a pure function."""

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from types import MappingProxyType
from typing import Any

from planner.assumptions import assumptions, input_basis
from planner.backtest import blocked_runs
from planner.calibration import Calibration, calibrate, decode_interval_measured_s
from planner.compare import against
from planner.cost import HOURS_PER_YEAR, Tco
from planner.evaluation import Cost, Evaluation, Option
from planner.hardware import catalog
from planner.llm import kv_bytes_per_token, load_model
from planner.money import Money
from planner.option_cost import array_tco, cost_lines, local_tco, not_counted, price_per_tb
from planner.options import Technical, all_technical, option_name
from planner.prices import PriceBook
from planner.provenance import Source
from planner.roi import vendor_cases
from planner.runs import Dataset, Finding, Run
from planner.scenario import Scenario
from planner.sensitivity_table import by_answer_length, by_nodes_per_array, pays_by_answer_length
from planner.uncertainty import Band, band
from planner.verdicts import headline, recommend, subject, verdict
from planner.version import __version__
from planner.why import option_why


def evaluate(scenario: Scenario, runs: Iterable[Run | Dataset] | Dataset, prices: PriceBook) -> Evaluation:
    """Evaluate a scenario on measured runs and a price book.

    Parameters
    ----------
    scenario : Scenario
        From ``load_scenario``.
    runs : Dataset, or iterable of Run and Dataset
        The evidence. Runs with a finding that blocks sizing do not feed the model.
    prices : PriceBook
        From ``pricing.load_book``.

    Returns
    -------
    Evaluation
        The same arguments give the same digits. Where something cannot be known, the figure is None and says why.
    """
    evidence = [runs] if isinstance(runs, Dataset) else list(runs)
    flat, excluded, findings = gather_runs(evidence)
    calibration = calibrate_for(scenario, flat, excluded)
    kv_bytes = kv_bytes_per_token(scenario.model.id, scenario.model.kv_dtype)
    found = all_technical(scenario, calibration, kv_bytes)
    tcos = {option.id: _tco(scenario, option, prices) for option in found}
    baseline = next(option for option in found if option.id == scenario.storage.baseline)
    dataset_ids = tuple(item.id for item in evidence if isinstance(item, Dataset))
    options = tuple(_option(scenario, prices, option, tcos, baseline, dataset_ids) for option in found)
    recommendation = recommend(options)
    spoken = subject(options, recommendation, scenario.storage.candidates[0].id)
    base_option = next(option for option in options if option.id == baseline.id)
    chosen = next(option for option in found if option.id == spoken.id)
    lengths = pays_by_answer_length(scenario, calibration, prices, chosen, baseline, kv_bytes)
    return Evaluation(
        inputs=scenario.document(),
        input_basis=input_basis(scenario),
        options=options,
        recommendation=recommendation,
        headline=headline(scenario, base_option, spoken, lengths["longest_paying_tokens"]),
        answer_length=lengths,
        kv_bytes_per_token=kv_bytes,
        request_bytes=kv_bytes * scenario.workload.prompt_tokens * scenario.workload.hit_fraction,
        output_sensitivity=by_answer_length(scenario, found, baseline),
        fan_in=by_nodes_per_array(
            scenario, calibration, prices, spoken.id, found, baseline, tcos[baseline.id], kv_bytes
        ),
        measured_points=_measured_points(flat, excluded),
        methods=vendor_cases(),
        assumptions=assumptions(scenario, options, prices),
        sources=_sources(scenario, evidence, prices),
        findings=findings + prices.findings,
        versions=_versions(evidence, prices),
        prices_valid_to=prices.valid_to.isoformat(),
    )


def gather_runs(evidence: Sequence[Run | Dataset]) -> tuple[list[Run], dict[int, str], tuple[Finding, ...]]:
    """Return the runs in one list, the reason of each that may not feed the model, and all findings."""
    flat: list[Run] = []
    excluded: dict[int, str] = {}
    findings: list[Finding] = []
    for item in evidence:
        if isinstance(item, Dataset):
            excluded |= {len(flat) + index: code for index, code in blocked_runs(item).items()}
            findings.extend(item.findings)
            flat.extend(item.runs)
        else:
            flat.append(item)
    return flat, excluded, tuple(findings)


def calibrate_for(scenario: Scenario, flat: Sequence[Run], excluded: Mapping[int, str]) -> Calibration:
    """Calibrate on runs of the asked model and GPU, or, where there are none, of the model that the evidence has."""
    gpu = scenario.cluster.node_record.gpu
    models = [run.model for run in flat if run.model and run.gpu == gpu and run.rig]
    model = scenario.model.id if scenario.model.id in models or not models else models[0]
    return calibrate(flat, model=str(model), gpu=gpu, excluded=excluded)


def _tco(scenario: Scenario, option: Technical, prices: PriceBook) -> Tco:
    if option.array is not None:
        return array_tco(scenario, option.array, prices)
    return local_tco(scenario, prices, uses_drive=option.candidate == "local-nvme")


def _option(
    scenario: Scenario,
    prices: PriceBook,
    option: Technical,
    tcos: Mapping[str, Tco],
    baseline: Technical,
    dataset_ids: tuple[str, ...],
) -> Option:
    tco = tcos[option.id]
    cost = _cost(scenario, prices, option, tco)
    compared = None if option.id == baseline.id else against(scenario, prices, option, tco, baseline, tcos[baseline.id])
    maturity = catalog().arrays[option.array.id].maturity if option.array else ""
    return Option(
        id=option.id,
        candidate=option.candidate,
        name=option_name(option),
        maturity=maturity,
        sizing=option.sizing,
        prediction=option.curve,
        at=option.at,
        cost=cost,
        against_baseline=compared,
        verdict=verdict(scenario, option.at, cost, compared),
        why=option_why(scenario, option, cost, baseline, compared, prices, dataset_ids),
    )


def _cost(scenario: Scenario, prices: PriceBook, option: Technical, tco: Tco) -> Cost:
    capital = tco.money(tco.known_capital)
    annual = tco.equivalent_annual_cost
    per_tb: dict[str, Money | None] = {"raw": None, "raw_tib": None}
    if option.array is not None:
        per_tb |= price_per_tb(option.array, prices)
    return Cost(
        lines=cost_lines(tco),
        capex=None if tco.open_items else capital,
        capex_known=None if tco.open_items and tco.known_capital == 0 else capital,
        tco=tco.money(tco.total),
        npv=tco.money(tco.npv),
        equivalent_annual_cost=tco.money(annual),
        per_tb=MappingProxyType(per_tb | {"raw_per_month": tco.money(tco.per_tb()["raw_per_month"])}),
        per_mtok=_per_mtok(scenario, option, annual),
        open_items=tco.open_items,
        not_counted=not_counted(scenario, option.array, uses_drive=option.candidate == "local-nvme"),
    )


def _per_mtok(scenario: Scenario, option: Technical, annual: Decimal | None) -> Mapping[str, Band | None]:
    """Return ¥ per million output tokens and per million processed tokens, of the GPUs alone and with the storage.

    ``(GPUs × ¥/h + storage ¥/h of the node) / (output tokens/s × 3600) × 10⁶``; at full load.
    """
    rate, gpu_cost = option.at.rate_draws, scenario.money.gpu_cny_per_hour
    if rate is None or gpu_cost is None:
        return MappingProxyType({"output": None, "output_gpu_only": None, "processed": None})
    gpus = scenario.cluster.node_record.gpus_count * gpu_cost
    hourly = rate * 3600 / 1e6
    work = scenario.workload
    found: dict[str, Band | None] = {"output": None, "output_gpu_only": band(gpus / hourly), "processed": None}
    if annual is not None:
        storage = float(annual) / HOURS_PER_YEAR / scenario.cluster.nodes_count
        found["output"] = band((gpus + storage) / hourly)
        found["processed"] = band(
            (gpus + storage) / hourly * work.output_tokens / (work.output_tokens + work.prompt_tokens)
        )
    return MappingProxyType(found)


def _measured_points(flat: Sequence[Run], excluded: Mapping[int, str]) -> tuple[Mapping[str, Any], ...]:
    """Return the measured bursts for the charts, with the reason where one did not feed the model."""
    points = []
    for index, run in enumerate(flat):
        if run.rig is None or run.ttft_s is None or run.ttft_s.p50 is None or run.concurrency_count is None:
            continue
        points.append(
            {
                "tier": run.rig.tier,
                "dataset": run.source.file.removesuffix(".toml"),
                "part": run.source.part,
                "model": run.model,
                "gpu": run.gpu,
                "tensor_parallel_count": run.tensor_parallel_count,
                "concurrency_count": run.concurrency_count,
                "prompt_tokens": run.prompt_tokens,
                "output_tokens": run.output_tokens,
                "ttft_p50_s": run.ttft_s.p50,
                "ttft_p90_s": run.ttft_s.p90,
                "output_tokens_per_s": run.output_tokens_per_s,
                "decode_interval_s": decode_interval_measured_s(run) if run.rig.tier != "recompute" else None,
                "percentile_rule": run.percentile_rule.value,
                "excluded": excluded.get(index),
            }
        )
    return tuple(points)


def _sources(scenario: Scenario, evidence: Sequence[Run | Dataset], prices: PriceBook) -> tuple[Source, ...]:
    model = load_model(scenario.model.id)
    datasets = [item.source for item in evidence if isinstance(item, Dataset)]
    return (
        *datasets,
        prices.source,
        catalog().sources["fx-series"],
        Source(model.id, f"{model.name} config", "", model.source),
    )


def _versions(evidence: Sequence[Run | Dataset], prices: PriceBook) -> Mapping[str, str]:
    hashes = {f"dataset:{item.id}": item.sha256 for item in evidence if isinstance(item, Dataset)}
    return MappingProxyType({"fx-planner": __version__, f"book:{prices.id}@{prices.version}": prices.sha256, **hashes})
