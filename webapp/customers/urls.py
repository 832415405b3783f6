"""Addresses of the customer pages."""

from django.urls import path

from webapp.customers import views

app_name = "customers"
urlpatterns = [
    path("", views.index, name="list"),
    path("new/", views.create, name="create"),
    path("<uuid:customer_id>/", views.detail, name="detail"),
    path("<uuid:customer_id>/edit/", views.edit, name="edit"),
    path("<uuid:customer_id>/archive/", views.archive, name="archive"),
]
