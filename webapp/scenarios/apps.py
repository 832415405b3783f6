"""Scenarios: the stored arguments of an evaluation."""

from django.apps import AppConfig


class ScenariosConfig(AppConfig):
    """The app's registration."""

    name = "webapp.scenarios"
