"""Sign-in, sign-out, password, language and theme."""

from django.conf import settings
from django.contrib import messages
from django.contrib.auth import login, logout, update_session_auth_hash
from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.forms import PasswordChangeForm
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render, resolve_url
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST

from webapp.accounts import services
from webapp.accounts.forms import SignInForm
from webapp.accounts.models import User
from webapp.accounts.rights import signed_in

THEMES = ("light", "dark")
YEAR_S = 365 * 24 * 3600


def _own_url(request: HttpRequest, url: str, fallback: str) -> str:
    """Return ``url`` when it stays on this host, else ``fallback``."""
    allowed = url_has_allowed_host_and_scheme(
        url, allowed_hosts={request.get_host()}, require_https=request.is_secure()
    )
    return url if allowed else resolve_url(fallback)


def _keep(response: HttpResponse, name: str, value: str) -> HttpResponse:
    response.set_cookie(name, value, max_age=YEAR_S, samesite="Lax", secure=settings.HTTPS, httponly=True)
    return response


@login_not_required
@never_cache
@sensitive_post_parameters("password")
@require_http_methods(["GET", "POST"])
def sign_in(request: HttpRequest) -> HttpResponse:
    """Show the sign-in form and let people in."""
    target = _own_url(request, request.POST.get("next") or request.GET.get("next", ""), settings.LOGIN_REDIRECT_URL)
    if request.user.is_authenticated:
        return redirect(target)
    form = SignInForm(request.POST or None)
    status = 200
    if request.method == "POST" and form.is_valid():
        try:
            user = services.user_sign_in(request, **form.cleaned_data)
        except services.TooManyAttempts as refusal:
            minutes = max(1, refusal.wait_s // 60)
            form.add_error(
                None, _("Too many failed attempts. Try again in %(minutes)d minutes.") % {"minutes": minutes}
            )
            status = 429
        else:
            if user is not None:
                login(request, user)
                response = redirect(target)
                return _keep(response, settings.LANGUAGE_COOKIE_NAME, user.language) if user.language else response
            form.add_error(None, _("This e-mail address and password do not match."))
    return render(request, "accounts/sign_in.html", {"form": form, "next": target}, status=status)


@require_POST
def sign_out(request: HttpRequest) -> HttpResponse:
    """End the session."""
    logout(request)
    return redirect(settings.LOGOUT_REDIRECT_URL)


@never_cache
@sensitive_post_parameters()
@require_http_methods(["GET", "POST"])
def account(request: HttpRequest) -> HttpResponse:
    """Show who is signed in, and change the password; other sessions of the user end with the old password."""
    user = signed_in(request)
    form = PasswordChangeForm(user, request.POST or None)
    if request.method == "POST" and form.is_valid():
        changed = form.save()
        update_session_auth_hash(request, changed)
        messages.success(request, _("Your password is changed. Other sessions have been signed out."))
        return redirect("accounts:account")
    return render(request, "accounts/account.html", {"form": form})


@login_not_required
@require_POST
def set_language(request: HttpRequest) -> HttpResponse:
    """Switch the language of the pages, and remember it for a signed-in user."""
    language = request.POST.get("language", "")
    response = redirect(_own_url(request, request.POST.get("next", ""), settings.LOGIN_REDIRECT_URL))
    if language not in dict(settings.LANGUAGES):
        return response
    if isinstance(request.user, User):
        services.user_set_language(request.user, language)
    return _keep(response, settings.LANGUAGE_COOKIE_NAME, language)


@login_not_required
@require_POST
def set_theme(request: HttpRequest) -> HttpResponse:
    """Switch between light and dark."""
    theme = request.POST.get("theme", "")
    response = redirect(_own_url(request, request.POST.get("next", ""), settings.LOGIN_REDIRECT_URL))
    return _keep(response, "theme", theme) if theme in THEMES else response
