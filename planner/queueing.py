"""The closed loop: N independent users over queueing stations and delays, by exact mean value analysis.

Users are independent: their sizes and starts vary, as customers' do. Identical requests started together stay in
step and are served much worse (benchmarks with fixed lengths); that world is the burst, and the simulation's.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

FIXED_POINT_TOLERANCE = 1e-12
FIXED_POINT_STEPS_MAX = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class ClosedLoop:
    """Steady state of a closed loop: requests/s, seconds at the queueing stations and in total, decode interval."""

    requests_per_s: float
    residence_s: tuple[float, ...]
    response_s: float
    decode_interval_s: float
    decoding_count: float


def mean_value_analysis(
    demands_s: tuple[float, ...], delay_s: float, users_count: int
) -> tuple[float, tuple[float, ...]]:
    """Return throughput (1/s) and residence time per station (s) of a closed product-form network.

    Exact MVA (Reiser and Lavenberg 1980): ``R_k = D_k·(1 + Q_k(n−1))``, ``X = n / (delay + Σ R_k)``, ``Q_k = X·R_k``.

    Parameters
    ----------
    demands_s : tuple of float, shape (stations,)
        Mean service demand of a request at each queueing station, seconds.
    delay_s : float
        Total time without queueing (think time, decode, fixed overhead), seconds.
    users_count : int
        Customers in the loop, at least 1.

    Examples
    --------
    >>> mean_value_analysis((1.0, 0.5), 0.0, 1)[0]
    0.6666666666666666
    """
    demands = np.asarray(demands_s, dtype=float)
    queue = np.zeros_like(demands)
    residence, throughput = demands, 0.0
    for count in range(1, users_count + 1):
        residence = demands * (1 + queue)
        throughput = count / (delay_s + float(residence.sum()))
        queue = throughput * residence
    return throughput, tuple(float(value) for value in residence)


def closed_loop(
    *,
    demands_s: tuple[float, ...],
    fixed_s: float,
    think_s: float,
    gaps_count: int,
    interval: Callable[[float], float],
    users_count: int,
) -> ClosedLoop:
    """Solve the loop whose decode slows with the number of requests in decode.

    Decode is a delay of ``gaps_count`` intervals; the interval depends on the requests in decode, which Little's law
    gives from the throughput: a fixed point, found by damped iteration (it contracts: more in decode is slower, slower
    is fewer per second).

    Raises
    ------
    ArithmeticError
        When the iteration does not settle; it never returns an unsettled figure.
    """
    decoding = 0.0
    for _ in range(FIXED_POINT_STEPS_MAX):
        tau = interval(decoding)
        throughput, residence = mean_value_analysis(demands_s, fixed_s + think_s + gaps_count * tau, users_count)
        update = throughput * gaps_count * tau
        if abs(update - decoding) <= FIXED_POINT_TOLERANCE * max(update, 1.0):
            return ClosedLoop(
                requests_per_s=throughput,
                residence_s=residence,
                response_s=fixed_s + sum(residence) + gaps_count * tau,
                decode_interval_s=tau,
                decoding_count=update,
            )
        decoding = 0.5 * (decoding + update)
    message = "the closed loop did not settle"
    raise ArithmeticError(message)
