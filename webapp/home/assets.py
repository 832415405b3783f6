"""Static files, served by the application itself, at addresses that change with their content."""

from functools import cache
from hashlib import sha256
from pathlib import Path

from django.conf import settings
from django.contrib.staticfiles import finders
from django.contrib.staticfiles.storage import StaticFilesStorage
from django.http import HttpRequest, HttpResponse
from whitenoise.middleware import WhiteNoiseMiddleware
from whitenoise.responders import StaticFile


class VersionedStorage(StaticFilesStorage):
    """Adds ``?v=`` and the hash of the file: a browser may keep it for a year and still sees a change at once."""

    def url(self, name: str | None) -> str:
        """Return the address of the static file ``name``."""
        address = super().url(name)
        version = _version(name or "") if not settings.DEBUG else ""
        return f"{address}?v={version}" if version else address


@cache
def _version(name: str) -> str:
    """Return 12 digits of the hash of static file ``name``, or nothing when there is no such file."""
    path = finders.find(name)
    return sha256(Path(path).read_bytes()).hexdigest()[:12] if isinstance(path, str) and Path(path).is_file() else ""


class StaticFilesMiddleware(WhiteNoiseMiddleware):  # type: ignore[misc]
    """WhiteNoise whose answers are whole: its file iterators are synchronous, which the ASGI handler warns about."""

    @staticmethod
    def serve(static_file: StaticFile, request: HttpRequest) -> HttpResponse:
        """Answer with the file."""
        answer = static_file.get_response(request.method, request.META)
        if answer.file is None:
            content = b""
        else:
            with answer.file as file:
                content = file.read()
        response = HttpResponse(content, status=int(answer.status))
        del response["content-type"]
        for key, value in answer.headers:
            response[key] = value
        return response
