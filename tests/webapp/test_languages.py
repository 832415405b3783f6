"""Every text in every language, and the switch between them."""

import ast
import re
from datetime import date
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog
from babel.messages.pofile import read_po
from django.conf import settings as django_settings
from django.test import Client
from django.utils import translation
from django.utils.formats import date_format
from django.utils.translation.template import templatize

from tests.webapp.people import PASSWORD, browser_of
from webapp.accounts.models import User

WEBAPP = Path(django_settings.BASE_DIR) / "webapp"
CALLS = {"_": 1, "gettext": 1, "gettext_lazy": 1, "ngettext": 2, "ngettext_lazy": 2}
CJK = re.compile(r"[\u4e00-\u9fff]")
HANGUL = re.compile(r"[\uac00-\ud7a3]")


def texts_in_python() -> set[str]:
    """Return every literal given to a gettext function; a text that is not a literal cannot be translated."""
    found = set()
    for path in WEBAPP.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in CALLS:
                argument = node.args[0]
                assert isinstance(argument, ast.Constant), f"{path.name}:{node.lineno} translates what is no literal"
                found.add(argument.value)
    return found


def texts_in_templates() -> set[str]:
    """Return every text of a translate or blocktranslate tag, by Django's own reading of templates."""
    found = set()
    for path in (WEBAPP / "templates").rglob("*.html"):
        source = templatize(path.read_text(encoding="utf-8"))
        for literal in re.findall(r"""gettext\(\s*u?('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")""", source):
            found.add(ast.literal_eval(literal))
    return found


def catalogue(language: str) -> Catalog:
    path = WEBAPP / "locale" / language / "LC_MESSAGES" / "django.po"
    with path.open("rb") as file:
        return read_po(file, locale=language)


@pytest.mark.parametrize("language", ["zh_Hans", "ko"])
def test_no_text_is_untranslated_or_fuzzy(language: str) -> None:
    known = catalogue(language)
    texts = texts_in_python() | texts_in_templates()
    assert len(texts) > 100
    missing = []
    for text in sorted(texts):
        message = known.get(text)
        strings = [] if message is None else [message.string] if isinstance(message.string, str) else message.string
        if message is None or message.fuzzy or not strings or not all(strings):
            missing.append(text)
    assert missing == []


@pytest.mark.parametrize("language", ["zh_Hans", "ko"])
def test_translations_keep_the_placeholders_and_the_markup(language: str) -> None:
    kept = re.compile(r"%\(\w+\)[sd]|</?\w+>")
    for message in catalogue(language):
        if not message.id:
            continue
        singular = message.id if isinstance(message.id, str) else message.id[0]
        string = message.string if isinstance(message.string, str) else message.string[0]
        assert sorted(kept.findall(singular)) == sorted(kept.findall(string)), singular


@pytest.mark.parametrize("language", ["zh_Hans", "ko"])
def test_the_catalogue_holds_nothing_that_no_page_says(language: str) -> None:
    texts = texts_in_python() | texts_in_templates()
    singulars = {m.id if isinstance(m.id, str) else m.id[0] for m in catalogue(language) if m.id}
    assert singulars - texts == set()


def test_the_browser_chooses_the_first_language(db: None) -> None:
    for accepted, word in {"zh-CN": "登录", "ko-KR": "로그인", "en-GB": "Sign in", "fr": "登录"}.items():
        assert word in Client().get("/sign-in/", headers={"accept-language": accepted}).content.decode()


def test_the_switch_changes_the_language_and_stays(alice: User) -> None:
    client = browser_of(alice)
    assert "Dashboard" in client.get("/").content.decode()
    response = client.post("/language/", {"language": "ko", "next": "/customers/"})
    assert response["Location"] == "/customers/"
    text = client.get("/customers/").content.decode()
    assert 'lang="ko"' in text
    assert "아직 고객이 없습니다" in text
    alice.refresh_from_db()
    assert alice.language == "ko"


def test_the_language_comes_back_at_the_next_sign_in(alice: User) -> None:
    User.objects.update(language="zh-hans")
    client = Client(headers={"accept-language": "en"})
    client.post("/sign-in/", {"email": alice.email, "password": PASSWORD})
    assert "工作台" in client.get("/").content.decode()


@pytest.mark.parametrize("language", ["xx", "", "../../etc", "en'"])
def test_an_unknown_language_changes_nothing(alice: User, language: str) -> None:
    client = browser_of(alice)
    assert client.post("/language/", {"language": language, "next": "//evil.example"})["Location"] == "/"
    assert "Dashboard" in client.get("/").content.decode()


@pytest.mark.parametrize(("language", "letters", "alien"), [("zh-hans", CJK, HANGUL), ("ko", HANGUL, CJK)])
@pytest.mark.parametrize("page", ["/", "/customers/", "/customers/new/", "/scenarios/", "/jobs/", "/account/", "/no/"])
def test_pages_speak_one_language(
    alice: User, language: str, letters: re.Pattern, alien: re.Pattern, page: str
) -> None:
    client = browser_of(alice)
    client.post("/language/", {"language": language})
    text = client.get(page).content.decode()
    body = re.sub(r'<form[^>]*class="fx-languages".*?</form>', "", text, flags=re.DOTALL)
    assert letters.search(body)
    assert not alien.search(body)


def test_the_theme_is_kept_in_the_page(alice: User) -> None:
    client = browser_of(alice)
    assert 'data-bs-theme="light"' in client.get("/").content.decode()
    client.post("/theme/", {"theme": "dark"})
    assert '<html lang="en" data-bs-theme="dark">' in client.get("/").content.decode()
    client.post("/theme/", {"theme": '"><script>'})
    assert '<html lang="en" data-bs-theme="dark">' in client.get("/").content.decode()


@pytest.mark.parametrize(
    ("language", "written"), [("en", "5 Dec 2026"), ("zh-hans", "2026年12月5日"), ("ko", "2026-12-5")]
)
def test_a_short_date_is_read_in_one_way(language: str, written: str) -> None:
    with translation.override(language):
        assert date_format(date(2026, 12, 5), "SHORT_DATE_FORMAT").rstrip(".") == written
