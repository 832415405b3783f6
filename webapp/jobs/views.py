"""Pages of jobs. Live pages ask again every second and stop when the job has ended."""

from uuid import UUID

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.http import content_disposition_header
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from webapp.accounts.rights import Action, requires, signed_in
from webapp.jobs import services
from webapp.jobs.files import ArtefactDamaged, artefact_read
from webapp.jobs.selectors import artefact_get, job_get, job_list, worker_is_listening

PAGE_ROWS = 25


@require_safe
def index(request: HttpRequest) -> HttpResponse:
    """List the jobs of the organisation; asked by the page itself, answer with the table only."""
    page = Paginator(job_list(user=signed_in(request)), PAGE_ROWS).get_page(request.GET.get("page"))
    context = {
        "page": page,
        "jobs": page.object_list,
        "is_live": any(job.is_live for job in page.object_list),
        "worker_is_listening": worker_is_listening(),
    }
    return render(request, "jobs/_table.html" if request.htmx else "jobs/list.html", context)  # type: ignore[attr-defined]


@require_safe
def detail(request: HttpRequest, job_id: UUID) -> HttpResponse:
    """Show one job; asked by the page itself, answer with the status only."""
    job = job_get(user=signed_in(request), job_id=job_id)
    context = {"job": job, "attempts": job.attempts.all(), "worker_is_listening": worker_is_listening()}
    return render(request, "jobs/_status.html" if request.htmx else "jobs/detail.html", context)  # type: ignore[attr-defined]


@requires(Action.START_JOBS)
@require_POST
def cancel(request: HttpRequest, job_id: UUID) -> HttpResponse:
    """Stop a job."""
    job = services.job_cancel(job=job_get(user=signed_in(request), job_id=job_id))
    return redirect("jobs:detail", job_id=job.id)


@requires(Action.START_JOBS)
@require_POST
def retry(request: HttpRequest, job_id: UUID) -> HttpResponse:
    """Queue an ended job again."""
    job = services.job_retry(job=job_get(user=signed_in(request), job_id=job_id))
    return redirect("jobs:detail", job_id=job.id)


@require_safe
def download(request: HttpRequest, job_id: UUID, artefact_id: UUID) -> HttpResponse:
    """Hand out a file, rights and hash checked each time."""
    artefact = artefact_get(user=signed_in(request), job_id=job_id, artefact_id=artefact_id)
    try:
        content = artefact_read(artefact)
    except ArtefactDamaged:
        messages.error(request, _("The file is missing or damaged on the server. Start the job again to remake it."))
        return redirect("jobs:detail", job_id=job_id)
    response = HttpResponse(content, content_type=artefact.media_type)
    response["Content-Disposition"] = content_disposition_header(True, artefact.name)
    response["X-Content-SHA256"] = artefact.sha256
    return response
