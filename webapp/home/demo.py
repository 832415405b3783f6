"""What an empty database starts with: people of each role to sign in as, an invented customer and its two cases."""

from django.db import transaction

from planner.scenario import list_examples, read_mapping
from webapp.accounts.models import Organisation, User
from webapp.customers.services import customer_create
from webapp.scenarios.services import scenario_create

DEMO_PASSWORD = "fx-planner-demo"
DEMO_PEOPLE = (
    ("presales@demo.example", "Demo Presales", User.Role.PRESALES),
    ("engineer@demo.example", "Demo Engineer", User.Role.ENGINEER),
    ("pricing@demo.example", "Demo Pricing Manager", User.Role.PRICING_MANAGER),
    ("admin@demo.example", "Demo Administrator", User.Role.ADMINISTRATOR),
)
DEMO_TITLES = {
    "cold-recovery": "冷恢复 (Cold recovery)",
    "cold-recovery-long-answers": "冷恢复，长回答 (Cold recovery, long answers)",
}


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
    customer = customer_create(
        user=people[0],
        name="示例智算中心 (Demo AI Computing Centre)",
        contact_name="Demo Contact",
        contact_email="contact@demo.example",
        notes="An invented customer, to try things out.",
    )
    for name in reversed(list_examples()):  # the latest stands first in the lists
        inputs = dict(read_mapping(name))
        scenario_create(user=people[0], customer=customer, title=DEMO_TITLES[name], inputs=inputs)
    return True
