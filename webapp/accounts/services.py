"""Signing in, throttled, and the preferences of a user."""

from datetime import timedelta

from django.conf import settings
from django.contrib.auth import authenticate
from django.http import HttpRequest
from django.utils import timezone

from webapp.accounts.models import SignInAttempt, User


class TooManyAttempts(Exception):
    """Signing in is closed for a while; ``wait_s`` says for how long at most."""

    def __init__(self, wait_s: int) -> None:
        self.wait_s = wait_s
        super().__init__(f"sign-in closed for {wait_s} s")


def user_sign_in(request: HttpRequest, *, email: str, password: str) -> User | None:
    """Return the user whose address and password these are, or None.

    The try is written down before the password is looked at, so that a burst of parallel tries is counted whole;
    an unknown address costs the same time as a wrong password.

    Raises
    ------
    TooManyAttempts
        When the account or the network address has failed too often lately.
    """
    account, address = email.strip().lower()[:254], request.META.get("REMOTE_ADDR") or None
    attempt = SignInAttempt.objects.create(account=account, address=address)
    since = attempt.at - timedelta(seconds=settings.SIGN_IN_WINDOW_S)
    failed = SignInAttempt.objects.filter(at__gte=since, succeeded=False)
    per_account = failed.filter(account=account).count()
    per_address = failed.filter(address=address).count()
    if per_account > settings.SIGN_IN_FAILURES_PER_ACCOUNT or per_address > settings.SIGN_IN_FAILURES_PER_ADDRESS:
        # A refused try is not kept: it must not prolong the wait.
        attempt.delete()
        raise TooManyAttempts(settings.SIGN_IN_WINDOW_S)
    user = authenticate(request, username=account, password=password)
    if user is not None:
        SignInAttempt.objects.filter(account=account).delete()
    SignInAttempt.objects.filter(at__lt=timezone.now() - timedelta(days=1)).delete()
    return user if isinstance(user, User) else None


def user_set_language(user: User, language: str) -> None:
    """Remember the language ``user`` works in."""
    if user.language != language:
        user.language = language
        user.save(update_fields=["language"])
