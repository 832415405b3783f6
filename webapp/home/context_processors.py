"""What every page needs for its frame."""

from typing import Any

from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import gettext as _

from webapp.accounts.models import Organisation, User
from webapp.accounts.rights import Action, may


def shell(request: HttpRequest) -> dict[str, Any]:
    """Return theme, navigation and rights for the base template."""
    theme = request.COOKIES.get("theme", "")
    context: dict[str, Any] = {
        "theme": theme if theme in ("light", "dark") else "light",
        "theme_is_chosen": bool(theme),
    }
    user = getattr(request, "user", None)  # absent when a request was refused before anybody looked who sent it
    if isinstance(user, User):
        context["navigation"] = _navigation(request, user)
        context["may"] = {action.value: may(user, action) for action in Action}
    return context


def _navigation(request: HttpRequest, user: User) -> list[dict[str, Any]]:
    """Return the entries of the main navigation, the one being shown marked."""
    app = request.resolver_match.app_name if request.resolver_match else ""
    entries = [
        ("home", "home:dashboard", "home", _("Dashboard")),
        ("customers", "customers:list", "users", _("Customers")),
        ("scenarios", "scenarios:list", "layers", _("Scenarios")),
        ("evidence", "evidence:list", "chart", _("Evidence")),
        ("prices", "prices:list", "tag", _("Prices")),
        ("proposals", "proposals:list", "file", _("Proposals")),
        ("jobs", "jobs:list", "clock", _("Jobs")),
    ]
    if user.organisation.kind != Organisation.Kind.OURS:
        entries = [entry for entry in entries if entry[0] != "prices"]
    return [
        {"url": reverse(url), "icon": icon, "text": text, "active": app == name} for name, url, icon, text in entries
    ]
