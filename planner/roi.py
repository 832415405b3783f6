"""The vendor's own ROI rule, as one named method beside ours, with what it leaves out."""

from dataclasses import dataclass

LEAVES_OUT = ("operating_cost", "tax", "time_value", "life_of_the_array", "one_port_serves_all_nodes")


@dataclass(frozen=True, slots=True, kw_only=True)
class VendorRoi:
    """Result of the vendor's rule: GPUs that the uplift is said to equal, their value over the arrays' price."""

    gpu_equivalents_count: float
    roi_ratio: float
    break_even_nodes_per_array_count: float
    leaves_out: tuple[str, ...] = LEAVES_OUT


def vendor_roi(
    uplift_fraction: float,
    cold_share_fraction: float,
    *,
    nodes_count: int = 16,
    gpus_per_node_count: int = 8,
    arrays_count: int = 8,
    array_price_cny: float = 371_200.0,
    gpu_price_usd: float = 12_000.0,
    cny_per_usd: float = 7.2,
) -> VendorRoi:
    """Return the vendor's ROI: ``uplift × share × GPUs × $12,000 / (arrays × ¥371,200 / 7.2)``; defaults are the vendor's.

    Examples
    --------
    >>> [round(vendor_roi(u, s).roi_ratio, 3) for u, s in ((0.29, 0.10), (0.35, 0.30), (0.40, 0.50))]
    [0.108, 0.391, 0.745]
    """
    equivalents = uplift_fraction * cold_share_fraction * nodes_count * gpus_per_node_count
    array_usd = array_price_cny / cny_per_usd
    value_per_node = uplift_fraction * cold_share_fraction * gpus_per_node_count * gpu_price_usd
    return VendorRoi(
        gpu_equivalents_count=equivalents,
        roi_ratio=equivalents * gpu_price_usd / (arrays_count * array_usd),
        break_even_nodes_per_array_count=array_usd / value_per_node if value_per_node else float("inf"),
    )
