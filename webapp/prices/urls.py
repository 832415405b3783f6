"""Addresses of the price books."""

from django.urls import path

from webapp.prices import views

app_name = "prices"
urlpatterns = [
    path("", views.index, name="list"),
    path("<slug:book_id>/<slug:version>/", views.detail, name="detail"),
]
