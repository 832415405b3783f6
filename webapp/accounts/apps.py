"""Organisations, people, roles and sign-in."""

from django.apps import AppConfig


class AccountsConfig(AppConfig):
    """The app's registration."""

    name = "webapp.accounts"
