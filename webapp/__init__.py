"""The web application: accounts, customers, scenarios, jobs and pages around the planner."""

from webapp.celery import app as celery_app

__all__ = ["celery_app"]
