"""The language of the page as the libraries name it."""

from django.utils.translation import get_language

from planner.wording import LOCALES


def planner_locale() -> str:
    """Return the planner's locale for the language of the request; English where it has none."""
    language = get_language() or "en"
    return language if language in LOCALES else "en"
