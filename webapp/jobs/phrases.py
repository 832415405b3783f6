"""What a job is doing, in words: code -> phrase. A handler may use any code; one that is not here is shown as it is."""

from django.utils.translation import gettext_lazy as _

PHRASES = {
    "waiting": _("Waiting for a worker"),
    "starting": _("Starting"),
    "evaluating": _("Evaluating the scenario"),
    "drawing": _("Drawing the charts"),
    "writing_pdf": _("Writing the PDF"),
    "writing_xlsx": _("Writing the spreadsheet"),
    "writing_json": _("Writing the evaluation"),
    "storing": _("Storing the files"),
    "done": _("Done"),
    "failed": _("Failed"),
    "cancelled": _("Cancelled"),
}

ERRORS = {
    "attempts_used_up": _("The worker died at every attempt. The input or the server needs a look before another try."),
    "disk_full": _("The disk of the server is full. Nothing was stored; free space and try again."),
    "internal_error": _("This is a fault of the program, not of your input. The attempt below says what happened."),
    "time_limit": _("The job took longer than jobs of its kind may take, and was stopped."),
    "bad_input": _("The input was refused."),
    "unknown_proposal": _("There is no proposal for this job."),
    "unknown_kind": _("This version of the program does not know this kind of job."),
}

OUTCOMES = {
    "worker_lost": _("The worker was gone"),
    "succeeded": _("Done"),
    "failed": _("Failed"),
    "cancelled": _("Cancelled"),
}


def phrase(code: str) -> str:
    """Return the phrase for a progress code."""
    return str(PHRASES.get(code, code))


def error_phrase(code: str) -> str:
    """Return what an error code means for the user, or nothing when the error text says it all."""
    return str(ERRORS.get(code, ""))


def outcome_phrase(code: str) -> str:
    """Return how an attempt ended, in words."""
    return str(OUTCOMES.get(code, code))
