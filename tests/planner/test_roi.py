"""The vendor's ROI rule at its published defaults."""

import pytest

from planner.errors import InputProblems
from planner.roi import vendor_cases, vendor_roi


@pytest.mark.parametrize(
    ("uplift", "share", "roi", "gpus", "nodes"),
    [(0.29, 0.10, 0.108, 3.7, 18.5), (0.35, 0.30, 0.391, 13.4, 5.1), (0.40, 0.50, 0.745, 25.6, 2.7)],
)
def test_published_cases(uplift: float, share: float, roi: float, gpus: float, nodes: float) -> None:
    got = vendor_roi(uplift, share)
    assert got.roi_ratio == pytest.approx(roi, abs=5e-4)
    assert got.gpu_equivalents_count == pytest.approx(gpus, abs=0.05)
    assert got.break_even_nodes_per_array_count == pytest.approx(nodes, abs=0.05)
    assert {"operating_cost", "tax", "time_value"} <= set(got.leaves_out)


def test_the_cases_come_from_the_data_and_changes_are_heard() -> None:
    assert [round(case["roi_ratio"], 3) for case in vendor_cases()] == [0.108, 0.391, 0.745]
    assert vendor_roi(0.29, 0.10, arrays_count=16).roi_ratio == pytest.approx(0.108 / 2, abs=5e-4)
    assert vendor_roi(0.0, 0.10).break_even_nodes_per_array_count is None


def test_it_refuses_shares_above_one_and_unknown_terms() -> None:
    with pytest.raises(InputProblems):
        vendor_roi(0.3, 30)
    with pytest.raises(InputProblems):
        vendor_roi(0.3, 0.3, arrays_count=0)
    with pytest.raises(InputProblems):
        vendor_roi(0.3, 0.3, gpu_price_cny=1)
