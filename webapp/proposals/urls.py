"""Addresses of the proposal pages."""

from django.urls import path

from webapp.proposals import views

app_name = "proposals"
urlpatterns = [
    path("", views.index, name="list"),
    path("new/<uuid:scenario_id>/", views.create, name="create"),
    path("of/<uuid:scenario_id>/", views.panel, name="panel"),
    path("<uuid:proposal_id>/", views.detail, name="detail"),
]
