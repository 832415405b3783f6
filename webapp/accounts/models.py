"""Organisations, users and sign-in attempts."""

import uuid
from typing import ClassVar

from django.conf import settings
from django.contrib.auth.base_user import AbstractBaseUser, BaseUserManager
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _


class Organisation(models.Model):
    """Ours or a customer's: what its people may see depends on which."""

    class Kind(models.TextChoices):
        """Which side of the table it sits on."""

        OURS = "ours", _("Ours")
        CUSTOMER = "customer", _("Customer")

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    name = models.CharField(_("name"), max_length=200, unique=True)
    kind = models.CharField(_("kind"), max_length=16, choices=Kind)
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    def __str__(self) -> str:
        return self.name


class UserManager(BaseUserManager["User"]):
    """Makes users; an e-mail address is kept in lower case, so that it is found however it is typed."""

    def create_user(
        self, email: str, password: str | None = None, *, name: str, role: str, organisation: Organisation
    ) -> "User":
        """Store and return a user; without ``password`` nobody can sign in as them."""
        user = self.model(email=email.strip().lower(), name=name, role=role, organisation=organisation)
        user.set_password(password)
        user.save(using=self._db)
        return user

    def create_superuser(self, email: str, password: str | None = None, *, name: str = "") -> "User":
        """Store and return an administrator of the oldest organisation of ours, making one where there is none."""
        ours = Organisation.objects.filter(kind=Organisation.Kind.OURS).order_by("created_at").first()
        organisation = ours or Organisation.objects.create(name="FX", kind=Organisation.Kind.OURS)
        return self.create_user(
            email, password, name=name or email, role=User.Role.ADMINISTRATOR, organisation=organisation
        )

    def get_by_natural_key(self, username: str | None) -> "User":
        """Return the user with this e-mail address, in whatever case it was typed."""
        return self.get(email=(username or "").strip().lower())


class User(AbstractBaseUser):
    """A person, who signs in with an e-mail address."""

    class Role(models.TextChoices):
        """What the person does here; ``webapp.accounts.rights`` says what that allows."""

        PRESALES = "presales", _("Presales")
        ENGINEER = "engineer", _("Engineer")
        PRICING_MANAGER = "pricing_manager", _("Pricing manager")
        ADMINISTRATOR = "administrator", _("Administrator")

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    email = models.EmailField(_("e-mail address"), unique=True)
    name = models.CharField(_("name"), max_length=200)
    role = models.CharField(_("role"), max_length=20, choices=Role)
    organisation = models.ForeignKey(Organisation, on_delete=models.PROTECT, related_name="people")
    language = models.CharField(_("language"), max_length=10, choices=settings.LANGUAGES, blank=True)
    is_active = models.BooleanField(default=True)
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    objects: ClassVar[UserManager] = UserManager()
    USERNAME_FIELD = "email"
    EMAIL_FIELD = "email"
    REQUIRED_FIELDS: ClassVar[list[str]] = []

    def __str__(self) -> str:
        return self.name or self.email


class SignInAttempt(models.Model):
    """One try to sign in; failed ones are counted per account and per address."""

    account = models.CharField(max_length=254)
    address = models.GenericIPAddressField(null=True)
    at = models.DateTimeField(default=timezone.now)
    succeeded = models.BooleanField(default=False)

    class Meta:
        indexes: ClassVar[list[models.Index]] = [
            models.Index(fields=["account", "at"], name="attempt_account"),
            models.Index(fields=["address", "at"], name="attempt_address"),
        ]

    def __str__(self) -> str:
        return f"{self.account} {self.at:%Y-%m-%d %H:%M:%S}"
