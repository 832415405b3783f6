"""Organisations, people, roles and sign-in."""
