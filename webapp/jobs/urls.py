"""Addresses of the job pages."""

from django.urls import path

from webapp.jobs import views

app_name = "jobs"
urlpatterns = [
    path("", views.index, name="list"),
    path("<uuid:job_id>/", views.detail, name="detail"),
    path("<uuid:job_id>/cancel/", views.cancel, name="cancel"),
    path("<uuid:job_id>/retry/", views.retry, name="retry"),
    path("<uuid:job_id>/files/<uuid:artefact_id>/", views.download, name="download"),
]
