"""Work in the background: the job row is the truth."""

from django.apps import AppConfig


class JobsConfig(AppConfig):
    """The app's registration."""

    name = "webapp.jobs"
