"""The evidence library."""

from django.apps import AppConfig


class EvidenceConfig(AppConfig):
    """The app's registration."""

    name = "webapp.evidence"
