"""Customers and scenarios: who sees and changes them, and that nothing is overwritten."""

import re
from uuid import uuid4

import pytest
from django.test import Client

from tests.webapp.people import browser_of
from tests.webapp.scenario_form import filled
from webapp.accounts.models import User
from webapp.customers.models import Customer
from webapp.customers.services import customer_create
from webapp.scenarios.models import Scenario
from webapp.scenarios.services import scenario_create


@pytest.fixture
def customer(alice: User) -> Customer:
    return customer_create(user=alice, name="Lakeside Computing", contact_name="Ms Liu")


@pytest.fixture
def scenario(alice: User, customer: Customer) -> Scenario:
    return scenario_create(
        user=alice, customer=customer, title="Cold recovery", inputs={"workload": {"output_tokens": 64}}
    )


def addresses(customer: Customer, scenario: Scenario) -> list[str]:
    return [
        f"/customers/{customer.id}/",
        f"/customers/{customer.id}/edit/",
        f"/scenarios/{scenario.id}/",
        f"/scenarios/{scenario.id}/edit/",
    ]


def without_tokens(client: Client, address: str) -> str:
    """Return the page without what differs at each request: the CSRF token and the address itself."""
    text = client.get(address).content.decode().replace(address, "")
    return re.sub(r"[A-Za-z0-9]{64}", "", text)


def test_the_team_sees_its_customers(alice: User, bob: User, customer: Customer, scenario: Scenario) -> None:
    for user in (alice, bob):
        page = browser_of(user).get("/customers/").content.decode()
        assert "Lakeside Computing" in page
        assert browser_of(user).get(f"/customers/{customer.id}/").status_code == 200
        assert "Cold recovery" in browser_of(user).get("/").content.decode()


@pytest.mark.parametrize("who", ["charlie", "dora"])
def test_other_organisations_see_nothing_of_them(
    who: str, request: pytest.FixtureRequest, customer: Customer, scenario: Scenario
) -> None:
    client = browser_of(request.getfixturevalue(who))
    for page in ("/", "/customers/", "/customers/?q=Lakeside", "/scenarios/", "/scenarios/?q=Cold"):
        text = client.get(page).content.decode()
        assert "Lakeside Computing" not in text
        assert "Cold recovery" not in text


def test_ids_of_another_organisation_do_not_exist(charlie: User, customer: Customer, scenario: Scenario) -> None:
    client = browser_of(charlie)
    for address in addresses(customer, scenario):
        assert client.get(address).status_code == 404
        unknown = address.replace(str(customer.id), str(uuid4())).replace(str(scenario.id), str(uuid4()))
        assert without_tokens(client, unknown) == without_tokens(client, address)
    assert client.post(f"/customers/{customer.id}/archive/", {"archived": "1"}).status_code == 404
    assert client.post(f"/scenarios/{scenario.id}/duplicate/").status_code == 404
    foreign = client.post("/scenarios/new/", {"title": "x", "customer": str(customer.id), "inputs": "{}"})
    assert foreign.status_code == 200
    assert Scenario.objects.count() == 1


@pytest.mark.parametrize("who", ["bob", "dora"])
def test_a_role_without_the_right_changes_nothing(who: str, request: pytest.FixtureRequest, customer: Customer) -> None:
    client = browser_of(request.getfixturevalue(who))
    assert client.post("/customers/new/", {"name": "x"}).status_code == 403
    assert client.get("/customers/new/").status_code == 403
    assert Customer.objects.count() == 1
    assert "/customers/new/" not in client.get("/customers/").content.decode()


def test_presales_notes_a_customer_and_cannot_choose_its_team(alice: User, charlie: User) -> None:
    form = {
        "name": " North Lake ",
        "contact_email": "a@b.example",
        "team": str(charlie.organisation_id),
        "id": str(uuid4()),
    }
    response = browser_of(alice).post("/customers/new/", form)
    customer = Customer.objects.get()
    assert response["Location"] == f"/customers/{customer.id}/"
    assert (customer.name, customer.team, customer.created_by) == ("North Lake", alice.organisation, alice)


@pytest.mark.parametrize("name", ["", "   ", "x" * 201, "a\x00b"])
def test_it_refuses_a_bad_name_beside_the_field(alice: User, name: str) -> None:
    response = browser_of(alice).post("/customers/new/", {"name": name})
    assert response.context["form"].errors["name"]
    assert 'id="id_name_error"' in response.content.decode()


def test_it_refuses_a_second_customer_of_the_same_name_in_the_team_only(
    alice: User, charlie: User, customer: Customer
) -> None:
    assert b"already" in browser_of(alice).post("/customers/new/", {"name": customer.name}).content
    assert browser_of(charlie).post("/customers/new/", {"name": customer.name}).status_code == 302


@pytest.mark.parametrize(
    "name", ["<b>x</b>", "</script><script>alert(1)</script>", "{{7*7}}", "{% load x %}", "\u202egnp.exe", "𠮷野家 🚀"]
)
def test_names_are_shown_as_typed(alice: User, name: str) -> None:
    client = browser_of(alice)
    client.post("/customers/new/", {"name": name})
    customer = Customer.objects.get()
    assert customer.name == name
    for page in ("/", "/customers/", f"/customers/{customer.id}/", f"/customers/{customer.id}/edit/"):
        text = client.get(page).content.decode()
        assert name.replace("<", "&lt;").replace(">", "&gt;") in text
        assert "<script>alert" not in text


def test_a_second_editor_sees_what_the_first_saved(alice: User, customer: Customer) -> None:
    client = browser_of(alice)
    assert client.post(f"/customers/{customer.id}/edit/", {"name": "First", "version": "1"}).status_code == 302
    second = client.post(f"/customers/{customer.id}/edit/", {"name": "Second", "version": "1"})
    text = second.content.decode()
    assert "Nothing was overwritten" in text
    assert "First" in text
    assert 'value="Second"' in text
    customer.refresh_from_db()
    assert (customer.name, customer.version) == ("First", 2)
    assert client.post(f"/customers/{customer.id}/edit/", {"name": "Second", "version": "2"}).status_code == 302
    customer.refresh_from_db()
    assert customer.name == "Second"


def test_an_archived_customer_leaves_the_list_and_comes_back(alice: User, customer: Customer) -> None:
    client = browser_of(alice)
    client.post(f"/customers/{customer.id}/archive/", {"archived": "1"})
    assert customer.name not in client.get("/customers/").content.decode().split("</aside>")[1]
    assert customer.name in client.get("/customers/?archived=1").content.decode()
    client.post(f"/customers/{customer.id}/archive/", {"archived": "0"})
    assert customer.name in client.get("/customers/").content.decode()


def test_every_save_of_a_scenario_is_a_version(alice: User, scenario: Scenario) -> None:
    client = browser_of(alice)
    url = f"/scenarios/{scenario.id}/edit/"
    sent = filled(client.get(url).context, title="Long answers", workload__output_tokens="2048")
    assert client.post(url, sent).status_code == 302
    scenario.refresh_from_db()
    assert (scenario.version, scenario.title) == (2, "Long answers")
    assert scenario.inputs == {"schema": "scenario", "version": 1, "workload": {"output_tokens": 2048}}
    saved = list(scenario.versions.values_list("number", "title"))
    assert saved == [(2, "Long answers"), (1, "Cold recovery")]


def test_two_editors_of_a_scenario_lose_nothing(alice: User, scenario: Scenario) -> None:
    client = browser_of(alice)
    url = f"/scenarios/{scenario.id}/edit/"
    opened = client.get(url).context
    client.post(url, filled(opened, title="A", workload__output_tokens="128"))
    stale = client.post(url, filled(opened, title="B", workload__output_tokens="256"))
    assert stale.context["current"].title == "A"
    assert 'value="256"' in stale.content.decode()  # what the second one typed
    scenario.refresh_from_db()
    assert (scenario.title, scenario.inputs["workload"], scenario.versions.count()) == ("A", {"output_tokens": 128}, 2)
    assert client.post(url, filled(stale.context)).status_code == 302  # "overwrite with mine"
    scenario.refresh_from_db()
    assert (scenario.title, scenario.inputs["workload"], scenario.version) == ("B", {"output_tokens": 256}, 3)


def test_a_copy_starts_at_version_one(alice: User, scenario: Scenario) -> None:
    response = browser_of(alice).post(f"/scenarios/{scenario.id}/duplicate/")
    copy = Scenario.objects.exclude(pk=scenario.pk).get()
    assert response["Location"] == f"/scenarios/{copy.id}/"
    assert (copy.title, copy.version, copy.inputs) == ("Cold recovery (copy)", 1, scenario.inputs)


@pytest.mark.parametrize("page", ["1000000000", "-1", "x", "", "1e9"])
def test_odd_page_numbers_show_a_page(alice: User, customer: Customer, page: str) -> None:
    assert browser_of(alice).get("/customers/", {"page": page}).status_code == 200


@pytest.mark.parametrize("address", ["/", "/customers/", "/scenarios/", "/jobs/"])
def test_the_number_of_queries_does_not_grow_with_the_rows(
    alice: User, address: str, django_assert_max_num_queries
) -> None:
    for number in range(30):
        customer = customer_create(user=alice, name=f"Customer {number}")
        scenario_create(user=alice, customer=customer, title=f"Scenario {number}", inputs={})
    client: Client = browser_of(alice)
    with django_assert_max_num_queries(12):
        client.get(address)
