"""All addresses."""

from django.urls import include, path

urlpatterns = [
    path("", include("webapp.home.urls")),
    path("", include("webapp.accounts.urls")),
    path("customers/", include("webapp.customers.urls")),
    path("scenarios/", include("webapp.scenarios.urls")),
    path("evidence/", include("webapp.evidence.urls")),
    path("prices/", include("webapp.prices.urls")),
    path("proposals/", include("webapp.proposals.urls")),
    path("jobs/", include("webapp.jobs.urls")),
]
