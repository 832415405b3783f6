"""The shipped evidence and price book, as people see them."""

import pytest

from tests.webapp.people import browser_of
from webapp.accounts.models import User


def test_the_list_names_every_shipped_report(alice: User) -> None:
    text = browser_of(alice).get("/evidence/").content.decode()
    for address in ("r1", "r2", "r3", "r3-repeat", "r9"):
        assert f'href="/evidence/{address}/"' in text


def test_r2_shows_the_figures_of_its_table_and_the_findings(alice: User) -> None:
    text = browser_of(alice).get("/evidence/r2/").content.decode()
    # R2, TTFT p50 on the array at 16 and on the local drive at 16 (facts/measured.toml)
    assert "11.85" in text
    assert "17.31" in text
    assert "14.2" in text  # the marginal rate from 8 to 16 that no 12.5 GB/s port can carry


def test_fx400_is_on_request_and_never_zero(alice: User) -> None:
    client = browser_of(alice)
    text = client.get("/prices/").content.decode()
    assert "/prices/fx-reference/2026-08/" in text
    page = client.get("/prices/fx-reference/2026-08/").content.decode()
    rows = {row.split("<div")[0]: row for row in page.split('<tr><td class="fx-name">')[1:]}
    fx400 = [row for name, row in rows.items() if "FX400" in name]
    assert fx400
    assert all("on request" in row for row in fx400)
    assert "160,000.00" in page
    assert "8,800.00" in page
    assert ">0.00<" not in page


def test_names_of_items_follow_the_language(alice: User) -> None:
    client = browser_of(alice)
    client.post("/language/", {"language": "ko"})
    assert "FX100 플랫폼" in client.get("/prices/fx-reference/2026-08/").content.decode()


def test_people_of_a_customer_see_public_evidence_and_no_price(dora: User) -> None:
    client = browser_of(dora)
    assert client.get("/evidence/r2/").status_code == 200
    assert client.get("/prices/").status_code == 404
    assert client.get("/prices/fx-reference/2026-08/").status_code == 404
    assert 'href="/prices/"' not in client.get("/").content.decode()


@pytest.mark.parametrize(
    "address", ["/evidence/r99/", "/evidence/..%2f/", "/prices/nope/1/", "/prices/fx-reference/1999/"]
)
def test_what_there_is_not_is_not_found(alice: User, address: str) -> None:
    assert browser_of(alice).get(address).status_code == 404
