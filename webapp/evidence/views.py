"""Pages of the evidence library."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from webapp.accounts.rights import signed_in
from webapp.evidence.selectors import dataset_get, dataset_list


@require_safe
def index(request: HttpRequest) -> HttpResponse:
    """List the datasets."""
    return render(request, "evidence/list.html", {"datasets": dataset_list(user=signed_in(request))})


@require_safe
def detail(request: HttpRequest, dataset_id: str) -> HttpResponse:
    """Show the points of one dataset and what the checks found."""
    return render(
        request, "evidence/detail.html", {"dataset": dataset_get(user=signed_in(request), dataset_id=dataset_id)}
    )
