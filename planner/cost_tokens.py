"""Cost per million tokens: definitions that are named, goodput only, load factor applied, and an identity that holds.

The pool is what one node costs per hour: GPUs, its share of the storage, and network. It is paid around the clock.

- fully loaded per output token: pool / (output tokens/s × 3600) × 1e6; comparable, hard on long prompts;
- per processed token: pool / ((new + cached input + output) tokens/s × 3600) × 1e6; dilutes;
- stream prices: the GPU cost is split by the GPU seconds of prefill and decode, storage goes to cached input. Then
  Σ price × tokens = pool. The three fully loaded figures must never be added: each carries the whole pool.

Floats: these are model results, not amounts on a quote.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from planner.errors import Checker, collecting

TOKENS_PER_M = 1e6
SECONDS_PER_HOUR = 3600.0
TOP = 1e15


@dataclass(frozen=True, slots=True, kw_only=True)
class Pool:
    """Cost of one node per hour, by part; ``total`` is what its tokens must carry."""

    gpu_cny_per_hour: float
    gpus_count: int = 1
    storage_cny_per_hour: float = 0.0
    network_cny_per_hour: float = 0.0

    def __post_init__(self) -> None:
        with collecting() as check:
            for name in ("gpu_cny_per_hour", "storage_cny_per_hour", "network_cny_per_hour"):
                check.number(f"pool.{name}", getattr(self, name), low=0, high=1e9)
            check.number("pool.gpus_count", self.gpus_count, low=1, high=1e6, whole=True)

    @property
    def gpu(self) -> float:
        """Return the cost of all GPUs of the node per hour."""
        return self.gpu_cny_per_hour * self.gpus_count

    @property
    def total(self) -> float:
        """Return the whole cost per hour."""
        return self.gpu + self.storage_cny_per_hour + self.network_cny_per_hour


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenRates:
    """Tokens per second of a node that met the promise (goodput), and the GPU seconds they take per second.

    ``prefill_gpu_seconds`` and ``decode_gpu_seconds`` need only be in proportion. ``load_factor`` is the mean of demand
    over capacity; rates are those at full load.
    """

    uncached_input_tokens_per_s: float
    cached_input_tokens_per_s: float
    output_tokens_per_s: float
    prefill_gpu_seconds: float
    decode_gpu_seconds: float
    load_factor: float = 1.0

    def __post_init__(self) -> None:
        with collecting() as check:
            for name in self.__slots__:
                top = 1.0 if name == "load_factor" else TOP
                check.number(f"tokens.{name}", getattr(self, name), low=0, high=top)


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenCosts:
    """Cost per million tokens; None with a ``reason`` where it is not defined. ``cny_per_hour`` always holds."""

    cny_per_hour: float
    output_cny_per_mtok: float | None
    processed_cny_per_mtok: float | None
    stream_uncached_input_cny_per_mtok: float | None
    stream_cached_input_cny_per_mtok: float | None
    stream_output_cny_per_mtok: float | None
    pool_parts: Mapping[str, float]
    reason: str = ""
    prompt_to_output_ratio: float | None = None


def per_million(cny_per_hour: float, tokens_per_s: float) -> float | None:
    """Return ¥ per million tokens at a rate, or None at rate 0: then it is not defined, and never infinite.

    >>> round(per_million(8 * 6, 4.1))
    3252
    """
    check = Checker()
    check.number("cny_per_hour", cny_per_hour, low=0, high=1e12)
    check.number("tokens_per_s", tokens_per_s, low=0, high=TOP)
    check.raise_if_any()
    if tokens_per_s == 0:
        return None
    return cny_per_hour / (tokens_per_s * SECONDS_PER_HOUR) * TOKENS_PER_M


def token_costs(pool: Pool, rates: TokenRates) -> TokenCosts:
    """Return every cost per million tokens of a node.

    Allocation of the stream prices: GPU and network cost are split in proportion to the GPU seconds of prefill and
    decode; prefill goes to the uncached input, decode to the output, and the storage to the cached input. What a
    stream without tokens would carry goes to the output, so that the whole pool is carried.

    Returns
    -------
    TokenCosts
        ``reason`` is ``not_served_within_promise`` without goodput, ``no_load`` at load factor 0.
    """
    factor = rates.load_factor
    uncached = rates.uncached_input_tokens_per_s * factor
    cached, output = rates.cached_input_tokens_per_s * factor, rates.output_tokens_per_s * factor
    reason = "no_load" if factor == 0 else "not_served_within_promise" if output == 0 else ""
    parts = _parts(pool, rates) if not reason else {}
    streams = {
        name: per_million(parts[name], rate) for name, rate in _streams(uncached, cached, output) if name in parts
    }
    return TokenCosts(
        cny_per_hour=pool.total,
        output_cny_per_mtok=None if reason else per_million(pool.total, output),
        processed_cny_per_mtok=None if reason else per_million(pool.total, uncached + cached + output),
        stream_uncached_input_cny_per_mtok=streams.get("uncached_input"),
        stream_cached_input_cny_per_mtok=streams.get("cached_input"),
        stream_output_cny_per_mtok=streams.get("output"),
        pool_parts=MappingProxyType(parts),
        reason=reason,
        prompt_to_output_ratio=(uncached + cached) / output if output else None,
    )


def _streams(uncached: float, cached: float, output: float) -> tuple[tuple[str, float], ...]:
    return (("uncached_input", uncached), ("cached_input", cached), ("output", output))


def _parts(pool: Pool, rates: TokenRates) -> dict[str, float]:
    """Return the pool per hour by stream; what a stream without tokens would carry goes to the output."""
    shared = pool.gpu + pool.network_cny_per_hour
    seconds = rates.prefill_gpu_seconds + rates.decode_gpu_seconds
    prefill = shared * rates.prefill_gpu_seconds / seconds if seconds else 0.0
    storage = pool.storage_cny_per_hour
    if rates.uncached_input_tokens_per_s == 0:
        prefill = 0.0
    if rates.cached_input_tokens_per_s == 0:
        storage = 0.0
    # never below 0: the difference of equal amounts may miss it by a rounding
    output = max(0.0, pool.total - prefill - storage)
    return {"uncached_input": prefill, "cached_input": storage, "output": output}


def served_tokens(demand_tokens_per_s: Sequence[float], capacity_tokens_per_s: float) -> tuple[float, float]:
    """Return the tokens served in the hours of a demand profile, and the load factor: Σ min(demand, capacity)."""
    check = Checker()
    check.number("capacity_tokens_per_s", capacity_tokens_per_s, low=0, high=TOP)
    for hour, demand in enumerate(demand_tokens_per_s):
        check.number(f"demand_tokens_per_s[{hour}]", demand, low=0, high=TOP)
    if len(demand_tokens_per_s) == 0:
        check.add("too_few", "demand_tokens_per_s", 0, "at least one hour")
    check.raise_if_any()
    served = sum(min(demand, capacity_tokens_per_s) for demand in demand_tokens_per_s) * SECONDS_PER_HOUR
    possible = capacity_tokens_per_s * SECONDS_PER_HOUR * len(demand_tokens_per_s)
    return served, served / possible if possible else 0.0


def storage_share(array_cny_per_hour: float, own: float, everyone: Sequence[float]) -> float:
    """Return one node's part of a shared array's cost: by KV bytes moved, or by nodes (weights of 1 each)."""
    check = Checker()
    for name, value in (("array_cny_per_hour", array_cny_per_hour), ("own", own), ("everyone", sum(everyone))):
        check.number(f"storage_share.{name}", value, low=0, high=1e18)
    if not sum(everyone) or own > sum(everyone) * (1 + 1e-12):
        check.add("out_of_range", "storage_share.own", own, "a part of a sum above 0")
    check.raise_if_any()
    return array_cny_per_hour * own / sum(everyone)


def full_price_equivalent_tokens(tokens: float, cached_tokens: float, cached_price_fraction: float) -> float:
    """Return the input tokens at full price that cost the same: uncached + cached × price fraction.

    >>> full_price_equivalent_tokens(10_000, 5_000, 0.2)
    6000.0
    """
    check = Checker()
    check.number("tokens", tokens, low=0, high=TOP)
    check.number("cached_tokens", cached_tokens, low=0, high=tokens if tokens >= 0 else 0)
    check.number("cached_price_fraction", cached_price_fraction, low=0, high=10)
    check.raise_if_any()
    return tokens - cached_tokens + cached_tokens * cached_price_fraction


def unit_costs(
    pool: Pool, *, requests_per_s: float, sessions_per_s: float, power_w: float, co2_g_per_kwh: float | None
) -> Mapping[str, float | None]:
    """Return ¥ per request and per recovered session, kWh and grams of CO₂ per request; None where a rate is 0."""
    check = Checker()
    for name, value in (("requests_per_s", requests_per_s), ("sessions_per_s", sessions_per_s), ("power_w", power_w)):
        check.number(name, value, low=0, high=1e12)
    if co2_g_per_kwh is not None:
        check.number("co2_g_per_kwh", co2_g_per_kwh, low=0, high=1e5)
    check.raise_if_any()
    kwh = power_w / 1000 / SECONDS_PER_HOUR / requests_per_s if requests_per_s else None
    return MappingProxyType(
        {
            "cny_per_request": pool.total / SECONDS_PER_HOUR / requests_per_s if requests_per_s else None,
            "cny_per_session": pool.total / SECONDS_PER_HOUR / sessions_per_s if sessions_per_s else None,
            "kwh_per_request": kwh,
            "co2_g_per_request": None if kwh is None or co2_g_per_kwh is None else kwh * co2_g_per_kwh,
        }
    )
