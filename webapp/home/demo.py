"""What an empty database starts with: people of each role to sign in as, and a customer that does not exist."""

from django.db import transaction

from webapp.accounts.models import Organisation, User
from webapp.customers.services import customer_create

DEMO_PASSWORD = "fx-planner-demo"
DEMO_PEOPLE = (
    ("presales@demo.example", "Demo Presales", User.Role.PRESALES),
    ("engineer@demo.example", "Demo Engineer", User.Role.ENGINEER),
    ("pricing@demo.example", "Demo Pricing Manager", User.Role.PRICING_MANAGER),
    ("admin@demo.example", "Demo Administrator", User.Role.ADMINISTRATOR),
)


@transaction.atomic
def demo_load() -> bool:
    """Fill an empty database; say whether there was anything to do."""
    if User.objects.exists():
        return False
    ours = Organisation.objects.create(name="FX Demo", kind=Organisation.Kind.OURS)
    people = [
        User.objects.create_user(email, DEMO_PASSWORD, name=name, role=role, organisation=ours)
        for email, name, role in DEMO_PEOPLE
    ]
    customer_create(
        user=people[0],
        name="示例智算中心 (Demo AI Computing Centre)",
        contact_name="Demo Contact",
        contact_email="contact@demo.example",
        notes="An invented customer, to try things out.",
    )
    return True
