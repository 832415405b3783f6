"""perf_analyzer's raw ``profile_export.json``: per request a time stamp and those of the response chunks, nanoseconds.

Chunks are not tokens, so no TPOT is computed; end-to-end time is to the last chunk. Percentiles are computed here
(linear).
"""

from collections.abc import Mapping
from typing import Any

from measurements.documents import Document
from measurements.fields import Draft, Reading, mapping, number, text_of
from measurements.percentiles import quantiles
from planner.runs import PercentileRule, Regime, Severity

NAME = "perf-analyzer"
TITLE = "perf_analyzer raw export"

NS = 1e-9


def recognise(document: Document) -> float:
    """Return 1 for ``experiments`` with ``requests`` and ``response_timestamps``."""
    experiments = _experiments(document)
    requests = experiments[0].get("requests") if experiments else None
    if not isinstance(requests, list):
        return 0.0
    return 1.0 if not requests or "response_timestamps" in mapping(requests[0]) else 0.0


def _experiments(document: Document) -> list[Mapping[str, Any]]:
    found = mapping(document.head).get("experiments")
    return [item for item in found if isinstance(item, dict)] if isinstance(found, list) else []


def read(document: Document) -> Reading:
    """Return one run per experiment."""
    reading, experiments = Reading(), _experiments(document)
    for count, experiment in enumerate(experiments, 1):
        draft = Draft(document, NAME, part=f"experiment {count}" if len(experiments) > 1 else "")
        draft.rule = PercentileRule.LINEAR
        load = mapping(experiment.get("experiment"))
        value, mode = number(load.get("value"), "experiment.value"), text_of(load.get("mode"))
        if mode == "concurrency":
            draft.regime = Regime.CLOSED
            draft.set("concurrency_count", value, found="experiment.value")
        elif mode == "request_rate":
            draft.regime = Regime.OPEN
            draft.set("request_rate_per_s", value, "req/s", found="experiment.value")
        requests = experiment.get("requests")
        _requests(draft, [item for item in requests if isinstance(item, dict)] if isinstance(requests, list) else [])
        reading.add(draft)
    return reading


def _requests(draft: Draft, requests: list[Mapping[str, Any]]) -> None:
    first, last, begin, end, empty = [], [], [], [], 0
    for request in requests:
        start = number(request.get("timestamp"), "timestamp")
        stamps = request.get("response_timestamps")
        times = (
            [value for value in (number(stamp, "response_timestamps") for stamp in stamps) if value]
            if isinstance(stamps, list)
            else []
        )
        if start is None or not times:
            empty += 1
            continue
        begin.append(start)
        end.append(times[-1])
        first.append((times[0] - start) * NS)
        last.append((times[-1] - start) * NS)
    for samples, ours in ((first, "ttft_s"), (last, "e2e_s")):
        computed = quantiles(samples, PercentileRule.LINEAR)
        for statistic in ("mean", "p50", "p90", "p95", "p99"):
            draft.set(
                f"{ours}.{statistic}",
                getattr(computed, statistic) if computed else None,
                "s",
                found="response_timestamps [ns]",
            )
    draft.set("requests_ok_count", float(len(begin)), found="requests with responses")
    draft.set("requests_failed_count", float(empty), found="requests without responses")
    if begin and max(end) > min(begin):
        duration = (max(end) - min(begin)) * NS
        draft.set("duration_s", duration, "s", found="response_timestamps [ns]")
        draft.set("requests_per_s", len(begin) / duration, "req/s", found="requests / duration")
    if any("request_inputs" in request or "response_outputs" in request for request in requests):
        draft.note(
            "payload_dropped",
            Severity.INFO,
            "the file holds prompts or answers, which are customers' data",
            "they are not imported",
        )
