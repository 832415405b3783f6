"""Addresses of the account pages."""

from django.urls import path

from webapp.accounts import views

app_name = "accounts"
urlpatterns = [
    path("sign-in/", views.sign_in, name="sign-in"),
    path("sign-out/", views.sign_out, name="sign-out"),
    path("account/", views.account, name="account"),
    path("language/", views.set_language, name="language"),
    path("theme/", views.set_theme, name="theme"),
]
