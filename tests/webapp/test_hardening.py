"""Headers, settings and pages under attack."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import settings as django_settings
from django.test import Client

from tests.webapp.people import browser_of
from webapp.accounts.models import User

ROOT = Path(django_settings.BASE_DIR)
PAGES = ["/", "/customers/", "/customers/new/", "/scenarios/", "/scenarios/new/", "/jobs/", "/account/", "/nowhere/"]


def manage(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run manage.py in an environment of its own."""
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "FX_DATA_DIR") if name in os.environ}
    command = [sys.executable, "manage.py", *arguments]
    return subprocess.run(command, cwd=ROOT, env=kept | environment, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("page", [*PAGES, "/sign-in/"])
def test_no_page_has_inline_script_or_style(alice: User, page: str) -> None:
    client = Client() if page == "/sign-in/" else browser_of(alice)
    response = client.get(page)
    text = response.content.decode()
    policy = response["Content-Security-Policy"]
    assert "script-src 'self'" in policy
    assert "style-src 'self'" in policy
    assert "unsafe" not in policy
    assert not re.search(r"<style|\sstyle=|\son[a-z]+=", text)
    assert all("src=" in tag for tag in re.findall(r"<script[^>]*>", text))


def test_every_answer_carries_the_security_headers(db: None) -> None:
    response = Client().get("/sign-in/")
    assert response["X-Frame-Options"] == "DENY"
    assert response["X-Content-Type-Options"] == "nosniff"
    assert response["Referrer-Policy"] == "same-origin"
    assert response["Cross-Origin-Opener-Policy"] == "same-origin"
    assert "no-store" in response["Cache-Control"]


def test_nothing_is_fetched_from_elsewhere(alice: User) -> None:
    text = browser_of(alice).get("/").content.decode()
    assert re.findall(r'(?:src|href|action)="(?:https?:)?//[^"]*"', text) == []


def test_a_post_without_a_token_is_refused(alice: User) -> None:
    client = Client(enforce_csrf_checks=True, headers={"accept-language": "en"})
    client.force_login(alice)
    response = client.post("/customers/new/", {"name": "x"}, headers={"HX-Request": "true"})
    assert response.status_code == 403
    assert "This form has expired" in response.content.decode()


def test_a_post_from_another_origin_is_refused(alice: User) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(alice)
    client.get("/customers/new/")
    token = client.cookies["csrftoken"].value
    response = client.post(
        "/customers/new/", {"name": "x", "csrfmiddlewaretoken": token}, headers={"origin": "https://evil.example"}
    )
    assert response.status_code == 403


def test_a_wrong_host_is_refused(alice: User) -> None:
    assert browser_of(alice).get("/", headers={"host": "evil.example"}).status_code == 400


def test_too_many_fields_are_refused(alice: User) -> None:
    fields = {f"f{number}": "x" for number in range(10_000)}
    assert browser_of(alice).post("/customers/new/", fields).status_code == 400


def test_a_body_over_the_limit_is_refused(alice: User) -> None:
    body = "name=" + "x" * 3_000_000
    response = browser_of(alice).post("/customers/new/", body, content_type="application/x-www-form-urlencoded")
    assert response.status_code == 400


def test_a_huge_query_string_is_survived(alice: User) -> None:
    assert browser_of(alice).get("/customers/", {"q": "x" * 100_000}).status_code == 200


@pytest.mark.parametrize("page", ["/customers/", "/jobs/", "/"])
def test_a_method_that_a_page_does_not_have_is_refused(alice: User, page: str) -> None:
    assert browser_of(alice).post(page).status_code == 405
    assert browser_of(alice).delete(page).status_code == 405


def test_static_files_carry_their_hash_and_may_be_kept(db: None) -> None:
    text = Client().get("/sign-in/").content.decode()
    address = re.search(r'href="(/static/css/app\.css\?v=[0-9a-f]{12})"', text)
    assert address
    response = Client().get(address.group(1))
    assert response.status_code == 200
    assert "max-age=31536000" in response["Cache-Control"]


@pytest.mark.parametrize("name", ["../settings.py", "..%2fsettings.py", "%2e%2e/%2e%2e/manage.py", "css/"])
def test_static_files_are_only_static_files(alice: User, name: str) -> None:
    assert browser_of(alice).get(f"/static/{name}").status_code == 404


def test_it_refuses_to_start_without_a_secret_key() -> None:
    outcome = manage("check")
    assert outcome.returncode != 0
    assert "SECRET_KEY is not set" in outcome.stderr


@pytest.mark.parametrize("key", ["short", "django-insecure-0123456789012345678901234567890123456789"])
def test_it_refuses_to_start_with_a_default_or_short_secret_key(key: str) -> None:
    outcome = manage("check", SECRET_KEY=key)
    assert outcome.returncode != 0
    assert "SECRET_KEY" in outcome.stderr


def test_the_deployment_check_warns_of_nothing() -> None:
    key = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_"
    outcome = manage("check", "--deploy", "--fail-level", "WARNING", SECRET_KEY=key, ALLOWED_HOSTS="planner.example")
    assert outcome.returncode == 0, outcome.stderr
    assert "no issues" in outcome.stdout


def test_no_migration_is_missing() -> None:
    outcome = manage("makemigrations", "--check", "--dry-run", DEBUG="1")
    assert outcome.returncode == 0, outcome.stdout + outcome.stderr


def test_the_health_address_needs_no_sign_in(db: None) -> None:
    assert Client().get("/health/").json() == {"status": "ok"}
