"""The product's settings with the test handlers and short waits, for worker processes that tests start."""

from tests.webapp.job_kinds import KINDS
from webapp.settings import *  # noqa: F403

JOB_KINDS = KINDS
JOB_LEASE_S = 3.0
JOB_RENEW_S = 0.3
JOB_SWEEP_S = 0.5
JOB_RESEND_S = 3.0
