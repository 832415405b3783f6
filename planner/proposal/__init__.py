"""Evaluation -> PDF, XLSX and JSON: the only part of the planner that knows reportlab and xlsxwriter."""

from planner.proposal.write import write_proposal

__all__ = ["write_proposal"]
