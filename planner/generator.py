"""Traffic for a customer without a trace: users, turns, growing context, pauses and shared prefixes give a ``Trace``.

The trace goes the same way as a recorded one, so that there is one code path; its basis is "assumed".
"""

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, fields
from importlib.resources import files

import numpy as np
from numpy.typing import NDArray

from planner.errors import Checker, InputProblems, NoResult, Problem, collecting, shown
from planner.provenance import Basis
from planner.trace import Trace, dense

REQUESTS_MAX = 2_000_000
TOUCHES_MAX = 50_000_000
TURNS_MAX = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class TrafficProfile:
    """Assumptions of a traffic. Lengths are log-normal with the stated mean, pauses exponential, turns geometric.

    A prompt is system (the same for all), group (one of ``groups_count`` documents, popularity rank^-skew), the
    first question and, from the second turn on, the former answers and the new question. With
    ``return_probability`` a pause between turns has the mean ``return_after_s_mean`` instead of the think time.
    """

    users_count: int
    duration_s: float
    sessions_per_user_per_h: float
    turns_mean: float
    first_prompt_tokens_mean: float
    first_prompt_sigma: float
    turn_tokens_mean: float
    output_tokens_mean: float
    length_sigma: float
    think_time_s_mean: float
    system_tokens: int
    group_tokens: int
    groups_count: int
    group_skew: float
    return_probability: float
    return_after_s_mean: float
    max_context_tokens: int
    block_tokens: int
    basis: Basis = Basis.ASSUMED
    source: str = ""
    checked: str = ""

    def __post_init__(self) -> None:
        with collecting() as check:
            for name, (low, high, whole) in LIMITS.items():
                check.number(name, getattr(self, name), low=low, high=high, whole=whole)
            if not check.problems:
                _check_size(self, check)


LIMITS: dict[str, tuple[float, float, bool]] = {
    "users_count": (1, 10_000_000, True),
    "duration_s": (1, 90 * 86_400, False),
    "sessions_per_user_per_h": (1e-6, 3600, False),
    "turns_mean": (1, 1000, False),
    "first_prompt_tokens_mean": (1, 10_000_000, False),
    "first_prompt_sigma": (0, 3, False),
    "turn_tokens_mean": (1, 1_000_000, False),
    "output_tokens_mean": (1, 1_000_000, False),
    "length_sigma": (0, 3, False),
    "think_time_s_mean": (0, 1e7, False),
    "system_tokens": (0, 10_000_000, True),
    "group_tokens": (0, 10_000_000, True),
    "groups_count": (1, 10_000_000, True),
    "group_skew": (0, 5, False),
    "return_probability": (0, 1, False),
    "return_after_s_mean": (0, 1e7, False),
    "max_context_tokens": (1, 100_000_000, True),
    "block_tokens": (1, 1_000_000, True),
}


def _check_size(profile: TrafficProfile, check: Checker) -> None:
    sessions = profile.users_count * profile.sessions_per_user_per_h * profile.duration_s / 3600
    if sessions * profile.turns_mean > REQUESTS_MAX:
        hint = f"at most {REQUESTS_MAX} requests; shorten duration_s: hit rates need some hours, not months"
        check.add("too_large", "users_count", round(sessions * profile.turns_mean), hint)
    if profile.system_tokens + profile.group_tokens >= profile.max_context_tokens:
        hint = "more than system_tokens + group_tokens"
        check.add("out_of_range", "max_context_tokens", profile.max_context_tokens, hint)


def list_profiles() -> tuple[str, ...]:
    """Return the names of the shipped profiles."""
    return tuple(_catalog())


def load_profile(name: str) -> TrafficProfile:
    """Return a shipped profile by name."""
    found = _catalog()
    if name not in found:
        hint = "one of " + ", ".join(found)
        raise InputProblems([Problem("unknown", "profile", shown(name), hint)])
    return profile_from(found[name])


def profile_from(values: dict[str, object]) -> TrafficProfile:
    """Return a profile from a mapping such as a form or a TOML table; every field without a default is needed."""
    known = {field.name for field in fields(TrafficProfile)}
    with collecting() as check:
        for name in values.keys() - known:
            check.add("unknown", name, values[name], "one of " + ", ".join(sorted(known)))
        for name in LIMITS.keys() - values.keys():
            check.add("missing", name, None, "a value")
        basis = check.choice("basis", values.get("basis", "assumed"), [basis.value for basis in Basis])
    given = dict(values)
    given["basis"] = Basis(basis or "assumed")
    return TrafficProfile(**given)  # type: ignore[arg-type]


def _catalog() -> dict[str, dict[str, object]]:
    text = files("planner").joinpath("catalog", "traffic.toml").read_text(encoding="utf-8")
    profiles: dict[str, dict[str, object]] = tomllib.loads(text)["profiles"]
    return profiles


def generate(profile: TrafficProfile, *, seed: int) -> Trace:
    """Return the trace of a profile; the same seed gives the same trace.

    Sessions start at random from one ``duration_s`` before the trace on, so that it begins in full swing;
    requests outside the trace are dropped, and what they had cached is cold.
    """
    random = np.random.default_rng(seed)
    mean = profile.users_count * profile.sessions_per_user_per_h * profile.duration_s / 3600 * 2
    sessions = int(random.poisson(mean))
    starts = random.uniform(-profile.duration_s, profile.duration_s, sessions)
    weights = np.arange(1, profile.groups_count + 1, dtype=np.float64) ** -profile.group_skew
    groups = random.choice(profile.groups_count, size=sessions, p=weights / weights.sum())
    rows: list[tuple[float, int, int, NDArray[np.int64]]] = []
    ids = _Ids(profile, sessions)
    touches = 0
    for session in range(sessions):
        for turn, (at, prompt, output) in enumerate(_turns(profile, float(starts[session]), random)):
            if 0 <= at < profile.duration_s:
                rows.append((at, prompt, output, ids.blocks(session, int(groups[session]), turn, prompt)))
                touches += len(rows[-1][3])
        if touches > TOUCHES_MAX:
            hint = f"at most {TOUCHES_MAX} block touches: fewer users, a shorter duration_s or larger blocks"
            raise InputProblems([Problem("too_large", "users_count", str(profile.users_count), hint)])
    if not rows:
        raise NoResult("no_requests", "no request falls into the trace: more users, sessions or time are needed")
    rows.sort(key=lambda row: row[0])
    counts = np.array([len(row[3]) for row in rows], dtype=np.int64)
    return Trace(
        arrival_s=np.array([row[0] for row in rows]),
        input_tokens=np.array([row[1] for row in rows], dtype=np.int64),
        output_tokens=np.array([row[2] for row in rows], dtype=np.int64),
        block_ids=dense(np.concatenate([row[3] for row in rows])),
        offsets=np.concatenate(([0], np.cumsum(counts))).astype(np.int64),
        block_tokens=profile.block_tokens,
        basis=profile.basis,
        source=f"generated, seed {seed}",
    )


def _turns(profile: TrafficProfile, start: float, random: np.random.Generator) -> Iterator[tuple[float, int, int]]:
    at = start
    shared = profile.system_tokens + profile.group_tokens
    prompt = shared + _length(random, profile.first_prompt_tokens_mean, profile.first_prompt_sigma)
    for _ in range(min(int(random.geometric(1 / profile.turns_mean)), TURNS_MAX)):
        prompt = min(prompt, profile.max_context_tokens)
        output = _length(random, profile.output_tokens_mean, profile.length_sigma)
        yield at, prompt, output
        if prompt >= profile.max_context_tokens:
            return
        prompt += output + _length(random, profile.turn_tokens_mean, profile.length_sigma)
        returns = random.random() < profile.return_probability
        at += float(random.exponential(profile.return_after_s_mean if returns else profile.think_time_s_mean))


def _length(random: np.random.Generator, mean: float, sigma: float) -> int:
    return max(1, round(mean * float(np.exp(sigma * random.standard_normal() - sigma * sigma / 2))))


class _Ids:
    """Numbers blocks so that equal numbers mean equal prefixes: shared ones by group, own ones by session.

    A partial last block has a number of its own: the next turn fills it up and so changes it.
    """

    def __init__(self, profile: TrafficProfile, sessions: int) -> None:
        size = profile.block_tokens
        self.size = size
        self.system = profile.system_tokens // size
        self.shared = (profile.system_tokens + profile.group_tokens) // size
        self.stride = profile.max_context_tokens // size + 1
        self.first_session = 1 + profile.groups_count
        self.first_partial = (self.first_session + sessions) * self.stride

    def blocks(self, session: int, group: int, turn: int, prompt_tokens: int) -> NDArray[np.int64]:
        full = prompt_tokens // self.size
        place = np.arange(full, dtype=np.int64)
        owner = np.where(place < self.shared, 1 + group, self.first_session + session)
        ids = np.where(place < self.system, 0, owner) * self.stride + place
        if prompt_tokens % self.size:
            ids = np.append(ids, self.first_partial + session * TURNS_MAX + turn)
        return ids
