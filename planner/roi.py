"""The vendor's own ROI rule, as one named method beside ours, with what it leaves out."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from planner.errors import collecting


@dataclass(frozen=True, slots=True, kw_only=True)
class VendorRoi:
    """Result of the vendor's rule: GPUs that the uplift is said to equal, their value over the arrays' price."""

    gpu_equivalents_count: float
    roi_ratio: float
    break_even_nodes_per_array_count: float | None
    leaves_out: tuple[str, ...]


@cache
def vendor_defaults() -> Mapping[str, Any]:
    """Return the defaults and cases that the vendor publishes with the rule."""
    return tomllib.loads(files("planner").joinpath("catalog/vendor-roi.toml").read_text("utf-8"))


def vendor_roi(uplift_fraction: float, cold_share_fraction: float, **changed: float) -> VendorRoi:
    """Return the vendor's ROI: ``uplift × share × GPUs × price per GPU / (arrays × price per array)``.

    Parameters
    ----------
    uplift_fraction, cold_share_fraction : float
        Throughput uplift, and share of the GPU time in cold recovery.
    **changed : float
        Values other than the vendor's defaults: ``nodes_count``, ``gpus_per_node_count``, ``arrays_count``,
        ``array_price_cny``, ``gpu_price_usd``, ``cny_per_usd``.

    Examples
    --------
    >>> [round(vendor_roi(u, s).roi_ratio, 3) for u, s in ((0.29, 0.10), (0.35, 0.30), (0.40, 0.50))]
    [0.108, 0.391, 0.745]
    """
    terms = vendor_defaults()["defaults"] | changed
    with collecting() as check:
        check.number("uplift_fraction", uplift_fraction, low=-1, high=1000)
        check.number("cold_share_fraction", cold_share_fraction, low=0, high=1)
        for name, value in terms.items():
            if name not in vendor_defaults()["defaults"]:
                check.add("unknown", name, value, "one of " + ", ".join(vendor_defaults()["defaults"]))
            else:
                check.number(name, value, low=1e-6, high=1e12, hint="a number above 0")
    gpus = terms["gpus_per_node_count"]
    equivalents = uplift_fraction * cold_share_fraction * terms["nodes_count"] * gpus
    array_usd = terms["array_price_cny"] / terms["cny_per_usd"]
    value_per_node = uplift_fraction * cold_share_fraction * gpus * terms["gpu_price_usd"]
    return VendorRoi(
        gpu_equivalents_count=equivalents,
        roi_ratio=equivalents * terms["gpu_price_usd"] / (terms["arrays_count"] * array_usd),
        break_even_nodes_per_array_count=array_usd / value_per_node if value_per_node > 0 else None,
        leaves_out=tuple(vendor_defaults()["leaves_out"]),
    )


def vendor_cases() -> tuple[Mapping[str, Any], ...]:
    """Return the vendor's published cases with the result of its rule."""
    cases = []
    for case in vendor_defaults()["case"]:
        result = vendor_roi(case["uplift_fraction"], case["cold_share_fraction"])
        cases.append(
            {
                "method": "vendor_roi",
                **case,
                "gpu_equivalents_count": result.gpu_equivalents_count,
                "roi_ratio": result.roi_ratio,
                "break_even_nodes_per_array_count": result.break_even_nodes_per_array_count,
                "leaves_out": list(result.leaves_out),
            }
        )
    return tuple(cases)
