"""Customers, visible to their team."""

from django.apps import AppConfig


class CustomersConfig(AppConfig):
    """The app's registration."""

    name = "webapp.customers"
