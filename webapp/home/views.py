"""The dashboard and the health address."""

from django.contrib.auth.decorators import login_not_required
from django.db import connection
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from webapp.accounts.rights import signed_in
from webapp.customers.selectors import customer_list
from webapp.jobs.selectors import job_list, worker_is_listening
from webapp.scenarios.selectors import scenario_list

RECENT_COUNT = 6


@require_safe
def dashboard(request: HttpRequest) -> HttpResponse:
    """Show what is going on: recent customers, scenarios and jobs."""
    user = signed_in(request)
    jobs = list(job_list(user=user)[:RECENT_COUNT])
    context = {
        "customers": customer_list(user=user).order_by("-updated_at")[:RECENT_COUNT],
        "scenarios": scenario_list(user=user)[:RECENT_COUNT],
        "jobs": jobs,
        "is_live": any(job.is_live for job in jobs),
        "worker_is_listening": worker_is_listening(),
    }
    return render(request, "home/dashboard.html", context)


@login_not_required
@require_safe
def health(request: HttpRequest) -> JsonResponse:
    """Answer that the web process and its database work; for supervisors and load balancers."""
    connection.ensure_connection()
    return JsonResponse({"status": "ok"})
