"""Addresses of the evidence library."""

from django.urls import path

from webapp.evidence import views

app_name = "evidence"
urlpatterns = [
    path("", views.index, name="list"),
    path("<slug:dataset_id>/", views.detail, name="detail"),
]
