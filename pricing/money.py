"""Money and prices: the planner's types under the name that users of price books look for."""

from planner.money import Fixed, Money, OnRequest, Price, Range, TaxBasis, Total, round_half_up, total

__all__ = ["Fixed", "Money", "OnRequest", "Price", "Range", "TaxBasis", "Total", "round_half_up", "total"]
