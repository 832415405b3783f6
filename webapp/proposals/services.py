"""Making a proposal: freeze the scenario under a serial number, then write its files in the background."""

from collections.abc import Sequence
from datetime import date
from uuid import uuid4

from django.db import transaction
from django.utils import timezone

import measurements
from planner.evaluation import Evaluation
from planner.proposal.cover import Cover
from planner.proposal.pdf import proposal_pdf
from planner.proposal.write import evaluation_json
from planner.proposal.xlsx import proposal_xlsx
from webapp.accounts.models import User
from webapp.evaluations.services import evaluate_inputs
from webapp.jobs.kinds import ArtefactFile, JobRefused, ReportProgress
from webapp.jobs.models import Job
from webapp.jobs.services import job_create
from webapp.proposals.models import DataClass, Proposal, SerialCounter
from webapp.scenarios.models import Scenario

MEDIA_TYPES = (
    "application/pdf",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "application/json",
)


class ClassTooWide(Exception):
    """The evidence behind the proposal may not be shown to so many; ``least`` is the widest class that is allowed."""

    def __init__(self, least: DataClass) -> None:
        self.least = least
        super().__init__(least)


def scenario_evaluation(scenario: Scenario) -> Evaluation:
    """Evaluate a scenario under its title; raises ``InputProblems`` or ``NoResult``."""
    return evaluate_inputs(scenario.titled_inputs)


def prices_end(evaluation: Evaluation) -> date | None:
    """Return the first day on which the prices no longer hold, None where no date is stated."""
    try:
        return date.fromisoformat(evaluation.prices_valid_to)
    except ValueError:
        return None


def widest_class(evaluation: Evaluation) -> DataClass:
    """Return the widest data class that the evidence behind an evaluation allows."""
    order = list(DataClass)
    used = [DataClass(measurements.load_dataset(name).data_class) for name in evaluation.inputs["evidence"]["datasets"]]
    return max(used, key=order.index, default=DataClass.PUBLIC)


def proposal_create(
    *, user: User, scenario: Scenario, recipient: str, locale: str, data_class: str, key: str
) -> tuple[Proposal, bool]:
    """Freeze a scenario as it is and start the job that writes the files.

    Parameters
    ----------
    user : User
        Who makes it; the scenario is one of their organisation.
    scenario : Scenario
        What is proposed.
    recipient : str
        Whom the cover names; may be empty.
    locale : str
        Language of the files: zh-hans, ko or en.
    data_class : str
        A value of ``DataClass``.
    key : str
        Requests for one scenario with the same key are one proposal: a double click makes one.

    Returns
    -------
    tuple of Proposal and bool
        The proposal and whether it is new.

    Raises
    ------
    InputProblems, NoResult
        When the scenario has no result; no serial number is used up.
    ClassTooWide
        When the evidence allows only a narrower class.
    """
    inputs = scenario.titled_inputs
    evaluation = evaluate_inputs(inputs)
    widest, order = widest_class(evaluation), list(DataClass)
    if order.index(DataClass(data_class)) < order.index(widest):
        raise ClassTooWide(widest)
    year = timezone.localdate().year
    with transaction.atomic():
        # One creation at a time: whoever comes second waits here and then sees the first one's row.
        counter, _ = SerialCounter.objects.select_for_update().get_or_create(year=year)
        existing = Proposal.objects.filter(scenario=scenario, key=key).first()
        if existing is not None:
            return existing, False
        counter.last_number += 1
        counter.save(update_fields=["last_number"])
        proposal_id, serial = uuid4(), f"FXP-{year}-{counter.last_number:04d}"
        job, _ = job_create(
            user=user,
            kind="proposal",
            title=f"{serial} · {scenario.title}",
            arguments={"proposal": str(proposal_id)},
            key=f"{scenario.id}:{key}",
        )
        proposal = Proposal.objects.create(
            id=proposal_id,
            serial=serial,
            scenario=scenario,
            scenario_version=scenario.version,
            inputs=inputs,
            title=scenario.title,
            customer_name=scenario.customer.name,
            recipient=recipient,
            locale=locale,
            data_class=data_class,
            valid_until=prices_end(evaluation),
            key=key,
            job=job,
            created_by=user,
        )
    return proposal, True


def build_proposal(job: Job, report_progress: ReportProgress) -> Sequence[ArtefactFile]:
    """Write the PDF, the spreadsheet and the evaluation of a proposal, from what was frozen at its creation."""
    proposal = Proposal.objects.filter(pk=job.arguments.get("proposal"), job=job).first()
    if proposal is None:
        code = "unknown_proposal"
        raise JobRefused(code, "")
    report_progress(0.02, "evaluating")
    evaluation = evaluate_inputs(proposal.inputs)
    cover = Cover(
        customer=proposal.customer_name,
        recipient=proposal.recipient,
        serial=proposal.serial,
        data_class=proposal.data_class,
    )
    report_progress(0.2, "writing_pdf")
    pdf = proposal_pdf(evaluation, proposal.locale, cover)
    report_progress(0.8, "writing_xlsx")
    xlsx = proposal_xlsx(evaluation, proposal.locale, cover)
    report_progress(0.9, "writing_json")
    document = evaluation_json(evaluation)
    report_progress(0.95, "storing")
    contents = (pdf, xlsx, document)
    return [
        ArtefactFile(name=name, media_type=media_type, content=content)
        for name, media_type, content in zip(proposal.file_names, MEDIA_TYPES, contents, strict=True)
    ]
