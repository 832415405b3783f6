"""People and their browsers."""

from django.test import Client

from webapp.accounts.models import Organisation, User

PASSWORD = "correct horse battery staple"


def person(email: str, role: str, organisation: Organisation) -> User:
    """Store a user."""
    name = email.split("@")[0].title()
    return User.objects.create_user(email, PASSWORD, name=name, role=role, organisation=organisation)


def browser_of(user: User) -> Client:
    """Return a test client in which ``user`` is signed in, reading English."""
    client = Client(headers={"accept-language": "en"})
    client.force_login(user)
    return client
