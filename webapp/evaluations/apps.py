"""Evaluations: a scenario's result page and its what-if."""

from django.apps import AppConfig


class EvaluationsConfig(AppConfig):
    """The app's registration."""

    name = "webapp.evaluations"
