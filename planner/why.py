"""Where each figure of an option comes from: formula with its values, basis, grade, sources, what would change it."""

from collections.abc import Mapping
from types import MappingProxyType

from planner.cost import HOURS_PER_YEAR
from planner.economics import annuity_factor, gpu_hours
from planner.evaluation import Against, Cost, Why
from planner.hardware import catalog
from planner.option_cost import list_price
from planner.options import Technical
from planner.prices import PriceBook
from planner.provenance import Basis, Grade, worst
from planner.scenario import Scenario


def option_why(
    scenario: Scenario,
    option: Technical,
    cost: Cost,
    baseline: Technical,
    compared: Against | None,
    prices: PriceBook,
    datasets: tuple[str, ...],
) -> Mapping[str, Why]:
    """Return the origin of every figure of an option that is known, by the name of the figure."""
    technical = _technical_why(scenario, option, datasets)
    money = _cost_why(scenario, option, cost, prices)
    against = {} if compared is None else _against_why(scenario, option, baseline, compared, prices, datasets)
    return MappingProxyType({**technical, **money, **against})


def _technical_why(scenario: Scenario, option: Technical, datasets: tuple[str, ...]) -> Mapping[str, Why]:
    at = option.at
    if at.ttft_s is None:
        return MappingProxyType({})
    parts = at.parts_s
    sources = datasets + (() if option.array is None else ("fx-series",))
    total = at.concurrency_count * (option.supply.nodes_sharing_count if option.supply else 1)
    if option.supply is not None and parts["load"] > 0:
        supply = option.supply
        load = f"t0 + n·B/C = {supply.curve.line.intercept:.2f} s + {total} × B / ({supply.binding.rule})"
    else:
        load = "0"
    ttft = f"{load} + queue {parts['queue']:.2f} s + prefill {parts['prefill']:.2f} s = {at.ttft_s.p50:.2f} s"
    why = {
        "ttft_s": Why(
            formula=ttft,
            basis=Basis.ESTIMATED.value,
            grade=at.grade.value,
            sources=sources,
            changes_with=(
                "workload.concurrency_count",
                "workload.prompt_tokens",
                "storage.candidates",
                "workload.hit_fraction",
            ),
        )
    }
    if at.output_tokens_per_s is not None and at.tpot_s is not None:
        n, o = at.concurrency_count, scenario.workload.output_tokens
        why["output_tokens_per_s"] = Why(
            formula=f"N·O / (TTFT + (O−1)·τ) = {n} × {o} / ({at.ttft_s.p50:.2f} s"
            f" + {o - 1} × {1000 * at.tpot_s.p50:.1f} ms) = {at.output_tokens_per_s.p50:.1f} tok/s",
            basis=Basis.ESTIMATED.value,
            grade=at.rate_grade.value,
            sources=sources,
            changes_with=("workload.output_tokens", "workload.concurrency_count", "workload.prompt_tokens"),
        )
        why["tpot_s"] = Why(
            formula=f"τ(n) = d0 + d1·n = {1000 * at.tpot_s.p50:.1f} ms",
            basis=Basis.ESTIMATED.value,
            grade=(Grade.B if at.grade is Grade.A else at.grade).value,
            sources=datasets,
            changes_with=("workload.concurrency_count", "cluster.tensor_parallel_count"),
        )
    return MappingProxyType(why)


def _cost_why(scenario: Scenario, option: Technical, cost: Cost, prices: PriceBook) -> Mapping[str, Why]:
    why: dict[str, Why] = {}
    book, terms = prices.source.id, scenario.money
    output = cost.per_mtok["output"]
    if output is not None and option.at.output_tokens_per_s is not None and terms.gpu_cny_per_hour is not None:
        annual = cost.equivalent_annual_cost.amount if cost.equivalent_annual_cost else 0
        gpus = scenario.cluster.node_record.gpus_count
        why["per_mtok_output"] = Why(
            formula=f"({gpus} × ¥{terms.gpu_cny_per_hour:g}/h + ¥{annual:,} / {HOURS_PER_YEAR} h"
            f" / {scenario.cluster.nodes_count}) / ({option.at.output_tokens_per_s.p50:.1f} tok/s × 3600 s) × 1,000,000"
            f" = ¥{output.p50:,.2f}",
            basis="assumed",
            grade=option.at.rate_grade.value,
            sources=(book,),
            changes_with=("money.gpu_cny_per_hour", "workload.output_tokens", "workload.concurrency_count"),
        )
    raw = cost.per_tb.get("raw")
    if raw is not None and option.array is not None:
        listed = list_price(option.array, prices)
        tb = (catalog().arrays[option.array.id].raw_bytes(option.array.drives_count) or 0) / 1e12
        why["per_tb_raw"] = Why(
            formula=f"¥{listed:,} / {tb:g} TB = ¥{raw.amount:,}",
            basis="vendor",
            grade="A",
            sources=(book,),
            changes_with=("storage.candidates", "money.book"),
        )
    if cost.capex is not None and option.array is not None:
        first = [line.amounts[0].amount for line in cost.lines if line.amounts]
        parts = [f"¥{amount:,}" for amount in first if amount > 0]
        why["capex"] = Why(
            formula=" + ".join(parts) + f" = ¥{cost.capex.amount:,}",
            basis="vendor",
            grade="A",
            sources=(book,),
            changes_with=("storage.candidates", "cluster.nodes_count", "money.book", "money.price_tax_basis"),
        )
    return why | _horizon_why(scenario, option, cost, book)


def _horizon_why(scenario: Scenario, option: Technical, cost: Cost, book: str) -> dict[str, Why]:
    """Return the origin of the sums over the horizon; they rest on assumed terms."""
    if cost.npv is None or cost.tco is None or cost.equivalent_annual_cost is None:
        return {}
    years, rate = scenario.money.horizon_years, scenario.money.discount_fraction_per_year
    annual, annuity = cost.equivalent_annual_cost.amount, annuity_factor(rate, years)
    terms = ("money.horizon_years", "money.support_fraction_per_year", "money.array_power_w")
    formulas = {
        "tco": f"Σ C_t, t = 0 … {years} = ¥{cost.tco.amount:,}",
        "cost_npv": f"Σ C_t / (1 + {rate:g})^t, t = 0 … {years} = ¥{cost.npv.amount:,}",
        "equivalent_annual_cost": f"¥{cost.npv.amount:,} / {annuity:.4f} = ¥{annual:,}",
    }
    month = cost.per_tb.get("raw_per_month")
    if month is not None and option.sizing.raw_bytes is not None:
        raw_tb = option.sizing.raw_bytes / 1e12
        formulas["per_tb_raw_per_month"] = f"¥{annual:,} / 12 / {raw_tb:,.2f} TB = ¥{month.amount:,}"
    return {
        name: Why(
            formula=formula,
            basis="assumed",
            grade="B",
            sources=(book,),
            changes_with=terms if name == "tco" else ("money.discount_fraction_per_year", *terms),
        )
        for name, formula in formulas.items()
    }


def _against_why(
    scenario: Scenario,
    option: Technical,
    baseline: Technical,
    compared: Against,
    prices: PriceBook,
    datasets: tuple[str, ...],
) -> Mapping[str, Why]:
    """Return the origin of the comparison. ``p50[…]`` is the median over the draws, not the ratio of two medians."""
    why: dict[str, Why] = {}
    terms, base = scenario.money, baseline.id
    grade = worst(option.at.rate_grade, baseline.at.rate_grade).value

    def add(name: str, formula: str, *changes_with: str, basis: Basis, priced: bool = False) -> None:
        sources = (*datasets, prices.source.id) if priced else datasets
        why[name] = Why(
            formula=formula, basis=basis.value, grade=grade, sources=sources, changes_with=tuple(changes_with)
        )

    reduction, uplift = compared.ttft_reduction_fraction, compared.throughput_uplift_fraction
    hours, npv = compared.gpu_hours_avoided_per_year, compared.npv
    if reduction is not None and option.at.ttft_s is not None and baseline.at.ttft_s is not None:
        values = f"{option.at.ttft_s.p50:.2f} s, {baseline.at.ttft_s.p50:.2f} s"
        formula = f"p50[1 − TTFT / TTFT({base})], {values} = {reduction.p50:.1%}"
        add(
            "ttft_reduction_fraction",
            formula,
            "workload.concurrency_count",
            "storage.baseline",
            basis=Basis.ESTIMATED,
        )
    rate, base_rate = option.at.output_tokens_per_s, baseline.at.output_tokens_per_s
    if uplift is not None and rate is not None and base_rate is not None:
        formula = f"p50[X / X({base}) − 1], {rate.p50:.1f} / {base_rate.p50:.1f} tok/s = {uplift.p50:+.1%}"
        add("throughput_uplift_fraction", formula, "workload.output_tokens", "storage.baseline", basis=Basis.ESTIMATED)
    if hours is not None:
        formula = f"{gpu_hours(scenario):,.0f} h × p50[1 − X({base}) / X] = {hours.p50:,.0f} h"
        changes = ("money.cold_share_fraction", "money.released_use_fraction", "cluster.nodes_count")
        add("gpu_hours_avoided_per_year", formula, *changes, basis=Basis.ASSUMED)
    if npv is not None and hours is not None and terms.gpu_cny_per_hour is not None:
        annuity = annuity_factor(terms.discount_fraction_per_year, terms.horizon_years)
        value = f"{hours.p50:,.0f} h × ¥{terms.gpu_cny_per_hour:g}/h × {annuity:.4f}"
        extra = hours.p50 * terms.gpu_cny_per_hour * annuity - npv.p50
        formula = f"{value} − Σ (C_t − C_t({base})) / (1 + r)^t = … − ¥{extra:,.0f} = ¥{npv.p50:,.0f}"
        changes = ("money.gpu_cny_per_hour", "money.cold_share_fraction", "money.horizon_years")
        add("npv", formula, *changes, basis=Basis.ASSUMED, priced=True)
        flows = "min t: Σ C_0…t ≥ 0"
        found = "∞" if compared.payback_years is None else f"{compared.payback_years:.2f}"
        returns = ("money.gpu_cny_per_hour", "money.cold_share_fraction")
        add("payback_years", f"{flows} = {found}", *returns, basis=Basis.ASSUMED, priced=True)
        if compared.irr is not None:
            formula = f"r: Σ C_t / (1 + r)^t = 0 → {compared.irr:.1%}"
            add("irr", formula, *returns, basis=Basis.ASSUMED, priced=True)
        if compared.pays_fraction is not None:
            formula = f"#(NPV > 0) / #draws = {compared.pays_fraction:.1%}"
            add("pays_fraction", formula, *returns, basis=Basis.ASSUMED, priced=True)
    return why
