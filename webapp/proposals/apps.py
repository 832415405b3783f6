"""Proposals: a scenario frozen under a serial number, and the files made of it."""

from django.apps import AppConfig


class ProposalsConfig(AppConfig):
    """The app's registration."""

    name = "webapp.proposals"
