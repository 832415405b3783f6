"""Price books."""

from django.apps import AppConfig


class PricesConfig(AppConfig):
    """The app's registration."""

    name = "webapp.prices"
