"""Template filters that word what the rows of jobs say in codes."""

from django import template

from webapp.jobs import phrases
from webapp.jobs.kinds import JobRefused, job_kind
from webapp.jobs.models import Job, JobState

register = template.Library()

COLOURS = {
    JobState.QUEUED: "azure",
    JobState.RUNNING: "blue",
    JobState.SUCCEEDED: "green",
    JobState.FAILED: "red",
    JobState.CANCELLED: "secondary",
}

register.filter("phrase", phrases.phrase)
register.filter("error_phrase", phrases.error_phrase)
register.filter("outcome_phrase", phrases.outcome_phrase)


@register.filter
def state_colour(job: Job) -> str:
    """Return the colour of the badge of a job."""
    return COLOURS.get(JobState(job.state), "secondary")


@register.filter
def kind_label(job: Job) -> str:
    """Return what jobs of this kind are called."""
    try:
        return job_kind(job.kind).label
    except JobRefused:
        return job.kind
