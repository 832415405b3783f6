"""What an answer's length does to a headline uplift: the same TTFTs, diluted by decode (DESIGN section 4)."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

ANSWER_LENGTHS = (64, 128, 256, 512, 1024, 2048, 4096)


def uplift_fraction(
    baseline_ttft_s: ArrayLike, option_ttft_s: ArrayLike, interval_s: ArrayLike, output_tokens: ArrayLike
) -> NDArray[np.float64]:
    """Return the throughput uplift of a burst whose decode does not depend on the storage medium.

    ``(T_base + (O−1)·τ) / (T_option + (O−1)·τ) − 1``: never above the TTFT ratio, and to 0 as O grows.

    Examples
    --------
    >>> round(float(uplift_fraction(17.31, 11.85, 0.0287, 64)), 3)
    0.4
    """
    decode = (np.asarray(output_tokens, dtype=float) - 1) * np.asarray(interval_s)
    uplift: NDArray[np.float64] = (np.asarray(baseline_ttft_s) + decode) / (np.asarray(option_ttft_s) + decode) - 1
    return uplift
