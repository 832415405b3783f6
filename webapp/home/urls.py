"""Addresses of the dashboard."""

from django.urls import path

from webapp.home import views

app_name = "home"
urlpatterns = [
    path("", views.dashboard, name="dashboard"),
    path("health/", views.health, name="health"),
]
