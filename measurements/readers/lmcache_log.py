"""LMCache's log: hit tokens per request, and store rates, which are GiB/s of a copy into host memory, no storage rate.

A negative "need to load" means that the engine's own prefix cache held more than LMCache: such requests do not count
towards LMCache's hit share, and are counted apart.
"""

import re

from measurements.documents import Document
from measurements.fields import Draft, Reading, number
from planner.runs import Severity

NAME = "lmcache-log"
TITLE = "LMCache log"

GIB = float(1 << 30)

_REQUEST = re.compile(
    r"Reqid: (\S{1,80}), Total tokens (\d{1,12}), LMCache hit tokens: (\d{1,12}), need to load: (-?\d{1,12})"
)
_STORED = re.compile(
    r"Stored (\d{1,12}) out of total (\d{1,12}) tokens\. size: ([\d.]{1,20}) gb, cost ([\d.]{1,20}) ms"
)
_MODEL = re.compile(r"with config: model='([^'\n]{1,200})'")


def recognise(document: Document) -> float:
    """Return 0.95 for request lines of the connector."""
    return (
        0.95
        if _REQUEST.search(document.text) or ("LMCache" in document.text and _STORED.search(document.text))
        else 0.0
    )


def read(document: Document) -> Reading:
    """Return one run over all requests of the log."""
    totals, hits, loads, requests, engine = 0, 0, 0, 0, 0
    for match in _REQUEST.finditer(document.text):
        if int(match[4]) < 0:  # the engine's own prefix cache held more than LMCache: LMCache was not asked
            engine += 1
            continue
        requests += 1
        totals += int(match[2])
        hits += int(match[3])
        loads += int(match[4])
    stored = [
        (int(match[1]), number(match[3], "size") or 0.0, number(match[4], "cost") or 0.0)
        for match in _STORED.finditer(document.text)
    ]
    draft = Draft(document, NAME, part=f"{requests} requests" if requests else "")
    model = _MODEL.search(document.text)
    draft.model = model[1] if model else None
    if requests:
        draft.set("requests_ok_count", float(requests), found="Reqid lines")
        draft.set("prompt_tokens", totals / requests, "tokens", found="Total tokens / Reqid lines")
        draft.fact("loaded_tokens", float(loads))
        draft.fact("requests_served_by_engine_cache_count", float(engine))
    if totals:
        draft.set("hit_fraction", hits / totals, found="LMCache hit tokens / Total tokens")
    milliseconds = sum(cost for _, _, cost in stored)
    if milliseconds > 0:
        draft.fact("stored_tokens", float(sum(tokens for tokens, _, _ in stored)))
        draft.fact("store_bytes_per_s", sum(size for _, size, _ in stored) * GIB / (milliseconds / 1e3))
        draft.note(
            "host_copy_rate",
            Severity.INFO,
            "the store rate is that of the copy into host memory; the log's 'gb' and 'GB/s' are GiB and GiB/s",
            "it is kept as a fact and is not a storage bandwidth",
            stores_count=len(stored),
        )
    reading = Reading()
    if requests or milliseconds > 0:
        reading.add(draft)
    return reading
