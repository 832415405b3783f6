"""Every page needs a signed-in user unless it says otherwise."""

from typing import Any

from django.contrib.auth.middleware import LoginRequiredMiddleware
from django.http import HttpRequest, HttpResponse
from django.shortcuts import resolve_url
from django.utils.http import urlencode
from django_htmx.http import HttpResponseClientRedirect


class SignInRequiredMiddleware(LoginRequiredMiddleware):
    """Django's rule; a fragment request whose session has ended sends the whole page to sign-in, not the fragment."""

    def handle_no_permission(  # type: ignore[override]
        self, request: HttpRequest, view_func: Any
    ) -> HttpResponse:
        """Send the browser to the sign-in page."""
        htmx = getattr(request, "htmx", None)
        if not htmx:
            return super().handle_no_permission(request, view_func)
        login = resolve_url(self.get_login_url(view_func))
        query = urlencode({"next": htmx.current_url_abs_path or "/"})
        return HttpResponseClientRedirect(f"{login}?{query}")
