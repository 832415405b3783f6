"""Signing in, out, and being kept out."""

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from tests.webapp.people import PASSWORD
from webapp.accounts.models import SignInAttempt, User


@pytest.fixture
def visitor() -> Client:
    """Somebody who is not signed in."""
    return Client(headers={"accept-language": "en"})


def sign_in(client: Client, email: str, password: str, **more: str):
    return client.post("/sign-in/", {"email": email, "password": password, **more})


def test_it_lets_the_right_password_in_whatever_the_case_of_the_address(visitor: Client, alice: User) -> None:
    response = sign_in(visitor, "Alice@Ours.example", PASSWORD)
    assert response.status_code == 302
    assert response["Location"] == "/"
    assert visitor.get("/").status_code == 200


def test_it_refuses_a_wrong_password_and_an_unknown_address_with_the_same_words(visitor: Client, alice: User) -> None:
    wrong = sign_in(visitor, alice.email, "wrong").content.decode()
    unknown = sign_in(visitor, "nobody@ours.example", "wrong").content.decode()
    message = "This e-mail address and password do not match."
    assert message in wrong
    assert message in unknown


def test_it_refuses_a_disabled_user(visitor: Client, alice: User) -> None:
    User.objects.filter(pk=alice.pk).update(is_active=False)
    assert sign_in(visitor, alice.email, PASSWORD).status_code == 200
    assert visitor.get("/").status_code == 302


def test_every_page_sends_a_visitor_to_sign_in_and_back(visitor: Client, db: None) -> None:
    response = visitor.get("/customers/?q=x")
    assert response["Location"] == "/sign-in/?next=/customers/%3Fq%3Dx"


def test_a_fragment_of_an_ended_session_sends_the_whole_page_to_sign_in(visitor: Client, db: None) -> None:
    headers = {"HX-Request": "true", "HX-Current-URL": "http://testserver/jobs/?page=2"}
    response = visitor.get("/jobs/", headers=headers)
    assert response["HX-Redirect"] == "/sign-in/?next=%2Fjobs%2F%3Fpage%3D2"


@pytest.mark.parametrize(
    "target", ["//evil.example", "https://evil.example/", "javascript:alert(1)", "/\\evil.example"]
)
def test_it_refuses_to_redirect_to_another_host(visitor: Client, alice: User, target: str) -> None:
    assert sign_in(visitor, alice.email, PASSWORD, next=target)["Location"] == "/"


def test_it_returns_to_the_page_that_was_asked_for(visitor: Client, alice: User) -> None:
    assert sign_in(visitor, alice.email, PASSWORD, next="/customers/?q=x")["Location"] == "/customers/?q=x"


def test_the_session_gets_a_new_name_at_sign_in(visitor: Client, alice: User) -> None:
    visitor.get("/sign-in/")
    session = visitor.session
    session["x"] = 1
    session.save()
    before = session.session_key
    sign_in(visitor, alice.email, PASSWORD)
    assert visitor.session.session_key != before


def test_it_closes_after_ten_failures_even_for_the_right_password(visitor: Client, alice: User) -> None:
    statuses = [sign_in(visitor, alice.email, "wrong").status_code for _ in range(12)]
    assert statuses == [200] * 10 + [429] * 2
    assert sign_in(visitor, alice.email, PASSWORD).status_code == 429


def test_it_opens_again_when_the_window_is_over(visitor: Client, alice: User) -> None:
    for _ in range(10):
        sign_in(visitor, alice.email, "wrong")
    assert sign_in(visitor, alice.email, PASSWORD).status_code == 429
    SignInAttempt.objects.update(at=timezone.now() - timedelta(minutes=16))
    assert sign_in(visitor, alice.email, PASSWORD).status_code == 302


def test_one_address_cannot_try_many_accounts(visitor: Client, alice: User, settings) -> None:
    settings.SIGN_IN_FAILURES_PER_ADDRESS = 3
    statuses = [sign_in(visitor, f"user{n}@ours.example", "wrong").status_code for n in range(5)]
    assert statuses == [200, 200, 200, 429, 429]
    elsewhere = Client(REMOTE_ADDR="192.0.2.7")
    assert sign_in(elsewhere, alice.email, PASSWORD).status_code == 302


def test_a_success_forgives_the_failures_of_the_account(visitor: Client, alice: User) -> None:
    for _ in range(9):
        sign_in(visitor, alice.email, "wrong")
    assert sign_in(visitor, alice.email, PASSWORD).status_code == 302
    assert not SignInAttempt.objects.filter(account=alice.email).exists()


def test_sign_out_ends_the_session_and_needs_a_post(visitor: Client, alice: User) -> None:
    visitor.force_login(alice)
    assert visitor.get("/sign-out/").status_code == 405
    assert visitor.post("/sign-out/")["Location"] == "/sign-in/"
    assert visitor.get("/").status_code == 302


def test_a_new_password_ends_the_other_sessions(visitor: Client, alice: User) -> None:
    elsewhere = Client()
    visitor.force_login(alice)
    elsewhere.force_login(alice)
    new = "a wholly different phrase 9"
    form = {"old_password": PASSWORD, "new_password1": new, "new_password2": new}
    assert visitor.post("/account/", form).status_code == 302
    assert visitor.get("/").status_code == 200
    assert elsewhere.get("/").status_code == 302
    alice.refresh_from_db()
    assert alice.check_password(new)


@pytest.mark.parametrize("password", ["short", "1234567890123", "password1234", "alice@ours.example"])
def test_it_refuses_a_weak_password(visitor: Client, alice: User, password: str) -> None:
    visitor.force_login(alice)
    form = {"old_password": PASSWORD, "new_password1": password, "new_password2": password}
    assert visitor.post("/account/", form).status_code == 200
    alice.refresh_from_db()
    assert alice.check_password(PASSWORD)


def test_a_nul_in_the_address_is_a_form_error(visitor: Client, db: None) -> None:
    assert sign_in(visitor, "a\x00@ours.example", "x").status_code == 200
