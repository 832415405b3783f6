"""Scenarios: the stored arguments of an evaluation."""
