"""Addresses of the scenario pages."""

from django.urls import path

from webapp.evaluations import compare_views
from webapp.evaluations.views import result, save
from webapp.scenarios import views

app_name = "scenarios"
urlpatterns = [
    path("", views.index, name="list"),
    path("new/", views.create, name="create"),
    path("compare/", compare_views.scenarios, name="compare"),
    path("<uuid:scenario_id>/", result, name="detail"),
    path("<uuid:scenario_id>/what-if/", save, name="what_if"),
    path("<uuid:scenario_id>/versions/<int:number>/", compare_views.version, name="version"),
    path("<uuid:scenario_id>/versions/<int:number>/restore/", compare_views.restore, name="restore"),
    path("<uuid:scenario_id>/edit/", views.edit, name="edit"),
    path("<uuid:scenario_id>/duplicate/", views.duplicate, name="duplicate"),
    path("<uuid:scenario_id>/archive/", views.archive, name="archive"),
]
