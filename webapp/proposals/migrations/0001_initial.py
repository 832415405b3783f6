import uuid

import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        ("jobs", "0001_initial"),
        ("scenarios", "0001_initial"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="SerialCounter",
            fields=[
                ("year", models.PositiveSmallIntegerField(primary_key=True, serialize=False)),
                ("last_number", models.PositiveIntegerField(default=0)),
            ],
        ),
        migrations.CreateModel(
            name="Proposal",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("serial", models.CharField(max_length=20, unique=True)),
                ("scenario_version", models.PositiveIntegerField()),
                ("inputs", models.JSONField()),
                ("title", models.CharField(max_length=200)),
                ("customer_name", models.CharField(max_length=200)),
                ("recipient", models.CharField(blank=True, max_length=200)),
                (
                    "locale",
                    models.CharField(
                        choices=[("zh-hans", "Simplified Chinese"), ("ko", "Korean"), ("en", "English")], max_length=10
                    ),
                ),
                (
                    "data_class",
                    models.CharField(
                        choices=[
                            ("public", "Public: may be passed on"),
                            ("nda", "Under NDA: for those who have signed it"),
                            ("internal", "Internal: not for the customer"),
                        ],
                        max_length=10,
                    ),
                ),
                ("valid_until", models.DateField(null=True)),
                ("key", models.CharField(max_length=64)),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                (
                    "created_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
                (
                    "job",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT, related_name="proposal", to="jobs.job"
                    ),
                ),
                (
                    "scenario",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="proposals", to="scenarios.scenario"
                    ),
                ),
            ],
            options={
                "indexes": [models.Index(fields=["scenario", "-created_at"], name="proposal_recent")],
                "constraints": [models.UniqueConstraint(fields=("scenario", "key"), name="proposal_once_per_key")],
            },
        ),
    ]
