"""Discrete-event simulation of the stations, step by step as a continuous-batching engine schedules.

Loads share the tier (processor sharing). Each engine runs steps: at most one prefill chunk, first come first served,
beside one token of every request in its batch; a step lasts as long as the slower of the two. Seeded, deterministic.
It judges the formulas of ``burst`` and ``queueing``. Identical requests started together stay in step; ``variability``
moves a case from that world (0) to the one of independent users (1: exponentially distributed load sizes).
"""

import heapq
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from math import inf

import numpy as np
from numpy.typing import NDArray

from planner.errors import collecting

Array = NDArray[np.float64]

REQUESTS_COUNT_MAX = 1_000_000
SAME_INSTANT_FRACTION = 1e-12


@dataclass(frozen=True, slots=True, kw_only=True)
class Stations:
    """What the simulated requests pass. ``prefill_s`` is one whole prefill, done in ``chunks_count`` steps."""

    load_bytes: float
    overhead_s: float
    bytes_per_s: float
    prefill_s: float
    chunks_count: int
    interval_base_s: float
    interval_per_request_s: float
    engines_count: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Simulated:
    """Outcome in order of completion: arrays of shape (requests,); the rate counts every finished answer."""

    ttft_s: Array
    tpot_s: Array
    finished_s: Array
    output_tokens_per_s: float


@dataclass(slots=True)
class _Request:
    user: int
    started_s: float
    chunks_left: int
    tokens_left: int
    first_s: float = inf


@dataclass(slots=True)
class _Engine:
    waiting: deque[_Request] = field(default_factory=deque)
    joining: list[_Request] = field(default_factory=list)
    batch: list[_Request] = field(default_factory=list)
    busy: bool = False


class _SharedTier:
    """Processor sharing by virtual time: every load in progress advances at the same rate ``C / n``."""

    def __init__(self, bytes_per_s: float) -> None:
        self.rate, self.virtual, self.at_s, self.order = bytes_per_s, 0.0, 0.0, 0
        self.active: list[tuple[float, int, _Request]] = []

    def advance(self, now: float) -> None:
        if self.active:
            self.virtual += (now - self.at_s) * self.rate / len(self.active)
        self.at_s = now

    def add(self, now: float, load_bytes: float, request: _Request) -> None:
        self.advance(now)
        self.order += 1
        heapq.heappush(self.active, (self.virtual + load_bytes, self.order, request))

    def next_s(self) -> float:
        if not self.active:
            return inf
        return self.at_s + max(self.active[0][0] - self.virtual, 0.0) * len(self.active) / self.rate

    def pop(self, now: float) -> _Request:
        self.advance(now)
        finish, _, request = heapq.heappop(self.active)
        self.virtual = max(self.virtual, finish)
        return request


class _Run:
    """State of one simulation; ``results`` collects (TTFT, TPOT, time of completion)."""

    def __init__(self, stations: Stations, output_tokens: int, think_s: float, sizes: Iterator[float]) -> None:
        self.stations, self.output_tokens, self.think_s, self.sizes = stations, output_tokens, think_s, sizes
        self.tier = _SharedTier(stations.bytes_per_s)
        self.engines = [_Engine() for _ in range(stations.engines_count)]
        self.events: list[tuple[float, int, str, int, _Request | None]] = []
        self.order = 0
        self.results: list[tuple[float, float, float]] = []

    def push(self, at_s: float, kind: str, index: int, request: _Request | None = None) -> None:
        self.order += 1
        heapq.heappush(self.events, (at_s, self.order, kind, index, request))

    def start(self, now: float, user: int) -> None:
        chunks = self.stations.chunks_count if self.stations.prefill_s > 0 else 0
        request = _Request(user, now, chunks, self.output_tokens)
        if self.stations.load_bytes > 0:
            self.push(now + self.stations.overhead_s, "load", user, request)
        else:
            self.arrive(now, request)

    def arrive(self, now: float, request: _Request) -> None:
        """Hand a loaded request to its engine: to the prefill queue, or with its first token into the batch."""
        index = request.user % len(self.engines)
        engine = self.engines[index]
        if request.chunks_left:
            engine.waiting.append(request)
        else:
            self.first_token(now, request)
            engine.joining.append(request)
        if not engine.busy:
            engine.busy = True
            self.push(now, "begin", index)  # after everything else of this instant, so that a common start is one

    def first_token(self, now: float, request: _Request) -> None:
        request.first_s = now
        request.tokens_left -= 1

    def begin(self, now: float, index: int) -> None:
        engine, stations = self.engines[index], self.stations
        engine.batch += [request for request in engine.joining if request.tokens_left]
        engine.joining = []
        if not engine.batch and not engine.waiting:
            engine.busy = False
            return
        lasts = stations.prefill_s / stations.chunks_count if engine.waiting else 0.0
        if engine.batch:
            interval = stations.interval_base_s + stations.interval_per_request_s * len(engine.batch)
            lasts = max(lasts, interval)
        self.push(now + lasts, "end", index)

    def end(self, now: float, index: int) -> None:
        engine = self.engines[index]
        for request in engine.batch:
            request.tokens_left -= 1
            if not request.tokens_left:
                self.finish(now, request)
        engine.batch = [request for request in engine.batch if request.tokens_left]
        if engine.waiting:
            head = engine.waiting[0]
            head.chunks_left -= 1
            if not head.chunks_left:
                self.first_token(now, engine.waiting.popleft())
                engine.joining.append(head)
        self.push(now, "begin", index)

    def finish(self, now: float, request: _Request) -> None:
        gaps = self.output_tokens - 1
        self.results.append((request.first_s - request.started_s, (now - request.first_s) / gaps, now))
        if self.think_s < inf:
            self.push(now + self.think_s, "start", request.user)

    def step(self) -> None:
        """Handle the next event; a load that ends with an event of the same instant goes first."""
        loaded_s, event_s = self.tier.next_s(), self.events[0][0] if self.events else inf
        if loaded_s <= event_s * (1 + SAME_INSTANT_FRACTION):
            self.arrive(loaded_s, self.tier.pop(loaded_s))
            return
        now, _, kind, index, request = heapq.heappop(self.events)
        if kind == "load" and request is not None:
            self.tier.add(now, next(self.sizes) * self.stations.load_bytes, request)
        elif kind == "start":
            self.start(now, index)
        elif kind == "begin":
            self.begin(now, index)
        else:
            self.end(now, index)


def _sizes(variability: float, generator: np.random.Generator) -> Iterator[float]:
    """Yield relative load sizes of mean 1: a gamma distribution whose coefficient of variation is ``variability``."""
    while True:
        if variability == 0:
            yield 1.0
        else:
            shape = variability**-2
            yield from generator.gamma(shape, 1 / shape, size=1024)


def simulate(
    stations: Stations,
    *,
    requests_count: int,
    output_tokens: int,
    completions_count: int | None = None,
    think_s: float = 0.0,
    variability: float = 0.0,
    seed: int = 0,
) -> Simulated:
    """Simulate a burst, or a closed loop of users.

    Parameters
    ----------
    stations : Stations
        Loads, prefill and decode; requests are spread evenly over the engines.
    requests_count : int
        Requests at t=0. In a closed loop they are the users.
    output_tokens : int
        Tokens of every answer, at least 2.
    completions_count : int, optional
        Answers after which a closed loop ends; None is a burst: every request once.
    think_s : float
        Seconds between an answer and the user's next request.
    variability : float
        Coefficient of variation of the load sizes, 0 (identical) to 3.
    seed : int
        Seed of the sizes: the same arguments give the same digits.

    Raises
    ------
    InputProblems
        For counts, times or rates out of bounds.
    """
    with collecting() as check:
        for name in ("load_bytes", "overhead_s", "prefill_s", "interval_per_request_s"):
            check.number(f"stations.{name}", getattr(stations, name), low=0, high=1e18)
        for name in ("bytes_per_s", "interval_base_s"):
            check.number(f"stations.{name}", getattr(stations, name), low=1e-9, high=1e18)
        for name in ("chunks_count", "engines_count"):
            check.number(f"stations.{name}", getattr(stations, name), low=1, high=100_000, whole=True)
        check.number("requests_count", requests_count, low=1, high=REQUESTS_COUNT_MAX, whole=True)
        check.number("output_tokens", output_tokens, low=2, high=1_000_000, whole=True)
        check.number("think_s", think_s, low=0, high=1e6)
        check.number("variability", variability, low=0, high=3)
        check.number("seed", seed, low=0, high=2**53, whole=True)
        if completions_count is not None:
            check.number("completions_count", completions_count, low=1, high=REQUESTS_COUNT_MAX, whole=True)
    burst = completions_count is None
    wanted = requests_count if completions_count is None else completions_count
    run = _Run(
        stations, output_tokens, inf if burst else think_s, iter(_sizes(variability, np.random.default_rng(seed)))
    )
    for user in range(requests_count):
        run.push(0.0, "start", user)
    while len(run.results) < wanted:
        run.step()
    ttft, tpot, finished = np.array(run.results[:wanted]).T
    return Simulated(
        ttft_s=ttft, tpot_s=tpot, finished_s=finished, output_tokens_per_s=wanted * output_tokens / float(finished[-1])
    )
