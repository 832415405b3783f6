"""KV bytes that one request loads, as far as the run and the model catalog say."""

from planner.calibration import loaded_bytes
from planner.errors import InputProblems
from planner.runs import Run


def session_bytes(run: Run) -> float | None:
    """Return the bytes one request of ``run`` loads; the run's own bytes per token count before the catalog's.

    None where the run does not say how much is reloaded, or its model (as a file spells it) is not in the catalog.
    """
    own, hit = run.facts.get("kv_bytes_per_token"), run.facts.get("hit_tokens")
    if hit is None and run.prompt_tokens is not None and run.hit_fraction is not None:
        hit = run.prompt_tokens * run.hit_fraction
    if isinstance(own, (int, float)) and isinstance(hit, (int, float)):
        return float(own) * float(hit)
    try:
        return loaded_bytes(run)
    except InputProblems:
        return None
