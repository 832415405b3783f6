"""Evaluations: a scenario's result page and its what-if."""
