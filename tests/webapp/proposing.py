"""Proposals for tests: made, run to their files, read back."""

import json
import re
from io import BytesIO
from uuid import uuid4

import pypdf

import planner
from webapp.accounts.models import User
from webapp.jobs.files import artefact_read
from webapp.jobs.models import Job, JobState
from webapp.jobs.runner import run_next_job
from webapp.proposals import services
from webapp.proposals.models import Proposal
from webapp.scenarios.models import Scenario

INPUTS = json.loads(json.dumps(planner.load_scenario("cold-recovery").document()))


def make(user: User, scenario: Scenario, **values: str) -> Proposal:
    """Make a proposal for Mr Kim in English, under NDA, unless ``values`` say otherwise."""
    given = {"recipient": "Mr Kim", "locale": "en", "data_class": "nda", "key": str(uuid4())} | values
    return services.proposal_create(user=user, scenario=scenario, **given)[0]


def files_of(proposal: Proposal) -> dict[str, bytes]:
    """Run the job and return its files."""
    run_next_job("w")
    job = Job.objects.get(pk=proposal.job_id)
    assert job.state == JobState.SUCCEEDED, job.error_text
    return {artefact.name: artefact_read(artefact) for artefact in job.artefacts.all()}


def squeezed(text: str) -> str:
    """Return the text without white space: a PDF breaks lines where it likes."""
    return re.sub(r"\s", "", text)


def text_of(pdf: bytes) -> str:
    """Return what a PDF says, without white space."""
    return squeezed("".join(page.extract_text() for page in pypdf.PdfReader(BytesIO(pdf)).pages))
