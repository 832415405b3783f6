"""Fixtures of the web application: people of two organisations, a place for files, one database file."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from django.conf import settings as django_settings
from django.utils.translation import trans_real

from tests.webapp.people import person
from webapp.accounts.models import Organisation, User
from webapp.home.translations import compile_catalogues

compile_catalogues()
trans_real._translations.clear()  # what was looked up before the catalogues were there would stay missing


@pytest.fixture(scope="session")
def django_db_modify_db_settings(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Let SQLite use a file, as the product does: threads and processes then see one database."""
    database = django_settings.DATABASES["default"]
    if database["ENGINE"] == "django.db.backends.sqlite3":
        database.setdefault("TEST", {})["NAME"] = str(tmp_path_factory.mktemp("database") / "test.sqlite3")


@pytest.fixture(autouse=True)
def quick_passwords(settings: django_settings) -> None:  # type: ignore[valid-type]
    """Hash passwords fast: slowness is the hasher's business, not ours to test."""
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]


@pytest.fixture(autouse=True)
def own_files(settings: django_settings, tmp_path: Path) -> Iterator[Path]:  # type: ignore[valid-type]
    """Give each test its own folder of artefacts and its own folder broker."""
    settings.ARTEFACTS_DIR = tmp_path / "artefacts"
    yield tmp_path


@pytest.fixture
def ours(db: None) -> Organisation:
    """Our organisation."""
    return Organisation.objects.create(name="Ours", kind=Organisation.Kind.OURS)


@pytest.fixture
def others(db: None) -> Organisation:
    """Another team, which must see nothing of ours."""
    return Organisation.objects.create(name="Others", kind=Organisation.Kind.OURS)


@pytest.fixture
def alice(ours: Organisation) -> User:
    """Presales of ours."""
    return person("alice@ours.example", User.Role.PRESALES, ours)


@pytest.fixture
def bob(ours: Organisation) -> User:
    """Pricing manager of ours: sees the team's customers, may not change them."""
    return person("bob@ours.example", User.Role.PRICING_MANAGER, ours)


@pytest.fixture
def charlie(others: Organisation) -> User:
    """Presales of the other team."""
    return person("charlie@others.example", User.Role.PRESALES, others)


@pytest.fixture
def dora(db: None) -> User:
    """A customer's engineer."""
    customer = Organisation.objects.create(name="A customer", kind=Organisation.Kind.CUSTOMER)
    return person("dora@customer.example", User.Role.ENGINEER, customer)
