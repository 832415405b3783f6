"""What a role may do. Whose records a person sees is decided in the selectors, not here."""

from collections.abc import Callable
from enum import StrEnum
from functools import wraps
from typing import Concatenate, ParamSpec, cast

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse

from webapp.accounts.models import Organisation, User

P = ParamSpec("P")
View = Callable[Concatenate[HttpRequest, P], HttpResponse]


class Action(StrEnum):
    """Something that not everybody may do."""

    EDIT_CUSTOMERS = "edit_customers"
    EDIT_SCENARIOS = "edit_scenarios"
    START_JOBS = "start_jobs"
    EDIT_PRICES = "edit_prices"
    MANAGE_PEOPLE = "manage_people"


ACTIONS_OF_ROLE: dict[str, frozenset[Action]] = {
    User.Role.PRESALES: frozenset({Action.EDIT_CUSTOMERS, Action.EDIT_SCENARIOS, Action.START_JOBS}),
    User.Role.ENGINEER: frozenset({Action.EDIT_SCENARIOS, Action.START_JOBS}),
    User.Role.PRICING_MANAGER: frozenset({Action.EDIT_PRICES, Action.START_JOBS}),
    User.Role.ADMINISTRATOR: frozenset(Action),
}


def may(user: User, action: Action) -> bool:
    """Say whether ``user`` may do ``action``; people of a customer change nothing of ours."""
    return user.organisation.kind == Organisation.Kind.OURS and action in ACTIONS_OF_ROLE.get(user.role, frozenset())


def signed_in(request: HttpRequest) -> User:
    """Return the user behind a request that has passed the sign-in middleware."""
    return cast(User, request.user)


def requires(action: Action) -> Callable[[View[P]], View[P]]:
    """Refuse a view (403) to people whose role does not allow ``action``."""

    def decorate(view: View[P]) -> View[P]:
        @wraps(view)
        def guarded(request: HttpRequest, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
            if not may(signed_in(request), action):
                raise PermissionDenied
            return view(request, *args, **kwargs)

        return guarded  # type: ignore[return-value]

    return decorate
