"""What the templates of proposals ask."""

from collections.abc import Iterable
from pathlib import PurePath

from django import template

from webapp.jobs.models import JobArtefact
from webapp.proposals.models import Proposal

register = template.Library()


@register.filter
def any_live(proposals: Iterable[Proposal]) -> bool:
    """Say whether a file of one of them is still being made."""
    return any(proposal.job.is_live for proposal in proposals)


@register.filter
def format_name(artefact: JobArtefact) -> str:
    """Return the format of a file as its button says it: PDF, XLSX, JSON."""
    return PurePath(artefact.name).suffix.removeprefix(".").upper()
