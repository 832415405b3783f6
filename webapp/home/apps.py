"""Dashboard, page shell and the commands that start the product."""

from django.apps import AppConfig


class HomeConfig(AppConfig):
    """The app's registration."""

    name = "webapp.home"
