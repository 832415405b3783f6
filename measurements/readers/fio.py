"""fio JSON and json+: one run per job. fio 3 writes bytes, KiB/s and ns; fio 2 KiB, KiB/s and µs.

Text may stand before and after, several documents may follow each other; with ``--status-interval`` they are cumulative
and the last one counts. An idle direction is missing, not 0 B/s.
"""

import re
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any

from measurements.documents import Document, Refused
from measurements.fields import Draft, Key, Reading, finding, mapping, number, text_of
from measurements.storage_fields import SIDES, check_side, size_bytes
from planner.runs import PercentileRule, Severity

NAME = "fio"
TITLE = "fio JSON"

KEYS = (
    Key("bw_bytes", "bytes_per_s", "B/s"),
    Key("bw", "bytes_per_s", "KiB/s"),
    Key("iops", "iops", "IOPS"),
)
"""The keys of a direction; ``read_`` or ``write_`` is put before ours. ``bw`` counts where ``bw_bytes`` is absent."""

PERCENTILES = (("50.000000", "p50"), ("90.000000", "p90"), ("95.000000", "p95"), ("99.000000", "p99"))
CLOCKS = (("_ns", "ns"), ("_us", "us"), ("_ms", "ms"), ("", "us"))
SYNC_ENGINES = frozenset({"sync", "psync", "vsync", "pvsync", "pvsync2", "mmap"})
MIXED = ("rw", "readwrite", "randrw", "trimwrite", "randtrimwrite")
BANDWIDTH_FRACTION = 0.02

_VERSION = re.compile(r"fio-(\d{1,3})\.")
_ERROR_LINE = re.compile(r"^fio: (?:pid=\d+, )?err=\s*(\d+)[^\n]*$", re.MULTILINE)
_HAS_JSON = re.compile(r'"fio version"\s*:')


def recognise(document: Document) -> float:
    """Return 1 for a document with a fio version."""
    if "fio version" in mapping(document.head):
        return 1.0
    return 0.99 if _HAS_JSON.search(document.text) else 0.0


def read(document: Document) -> Reading:
    """Return one run per job and document."""
    documents = [mapping(part.value) for part in document.parts() if "fio version" in mapping(part.value)]
    errors = _ERROR_LINE.findall(document.text)
    if not documents:
        raise Refused("broken_json", "the JSON of fio is broken" + _first_problem(document))
    kept, reading = _last_of_cumulative(documents), Reading()
    if len(kept) < len(documents):
        reading.findings.append(
            finding(
                "cumulative_documents",
                Severity.INFO,
                f"{len(documents)} status documents of the same run; each contains the ones before",
                "the last one is read",
                documents_count=len(documents),
            )
        )
    for count, content in enumerate(kept, start=1):
        place = f"doc {count} of {len(kept)}" if len(kept) > 1 else ""
        drafts = [_job(document, content, job, place) for job in _jobs(content)]
        for draft in drafts:
            if errors:
                _failed(draft, f"{len(errors)} error lines before the result", int(errors[0]))
            if draft.values.keys() - {"duration_s", "queue_depth_count", "block_bytes"}:
                reading.add(draft)
        _together(reading, drafts, content)
    return reading


def _first_problem(document: Document) -> str:
    return "".join(f"; line {line}: {reason}" for line, reason in document.json_problems[:1])


def _jobs(content: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Yield the jobs; in client/server mode those of the clients, without the sum at the end."""
    jobs = content.get("jobs") or content.get("client_stats")
    for job in jobs if isinstance(jobs, list) else ():
        if isinstance(job, dict) and job.get("jobname") != "All clients":
            yield job


def _last_of_cumulative(documents: list[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Drop a document whose jobs go on in the next one: same names and options, same start, more bytes."""
    kept = [document for document, following in pairwise(documents) if not _goes_on(document, following)]
    return [*kept, documents[-1]]


def _goes_on(earlier: Mapping[str, Any], later: Mapping[str, Any]) -> bool:
    pairs = list(zip(_jobs(earlier), _jobs(later), strict=False))
    first, second = number(earlier.get("timestamp"), "timestamp"), number(later.get("timestamp"), "timestamp")
    if not pairs or first is None or second is None:
        return False
    for old, new in pairs:
        alike = all(old.get(key) == new.get(key) for key in ("jobname", "groupid", "job options"))
        before, after = number(old.get("elapsed"), "elapsed"), number(new.get("elapsed"), "elapsed")
        if not alike or before is None or after is None or after < before:
            return False
        if abs((second - first) - (after - before)) > 1:
            return False
        if any(_moved(old, side) > _moved(new, side) for side in SIDES):
            return False
    return True


def _moved(job: Mapping[str, Any], side: str) -> float:
    return number(mapping(job.get(side)).get("io_bytes"), f"{side}.io_bytes") or 0.0


def _job(document: Document, content: Mapping[str, Any], job: Mapping[str, Any], place: str) -> Draft:
    version = text_of(content.get("fio version")) or ""
    name = text_of(job.get("jobname"))
    part = ", ".join(text for text in (place, f"job {name}" if name else "") if text)
    draft = Draft(document, NAME, part=part, version=version)
    options = {**mapping(content.get("global options")), **mapping(job.get("job options"))}
    _options(draft, options)
    major = _VERSION.match(version)
    kib = major is not None and int(major.group(1)) < 3
    times = [_side(draft, side, mapping(job.get(side)), kib) for side in SIDES]
    _unified(draft, options, mapping(job.get("mixed")), kib)
    if longest := max(times):
        draft.set("duration_s", longest, "s", found="runtime [ms]")
    _compare_sides(draft, job, text_of(options.get("rw") or options.get("readwrite")))
    code = number(job.get("error"), "error") or number(job.get("total_err"), "total_err")
    if code:
        _failed(draft, "the job ended with an error", code)
    if job.get("latency_target_failed"):
        draft.note("latency_target_failed", Severity.WARNING, "the job missed its latency target", "see its log")
    return draft


def _options(draft: Draft, options: Mapping[str, Any]) -> None:
    draft.set("block_bytes", size_bytes(options.get("bs") or options.get("blocksize")), found="bs")
    engine = text_of(options.get("ioengine"))
    depth = number(options.get("iodepth"), "iodepth")
    if engine in SYNC_ENGINES:
        draft.set("queue_depth_count", 1.0, found=f"ioengine {engine}: one at a time")
    elif depth is not None or engine is not None:
        draft.set("queue_depth_count", depth or 1.0, found="iodepth" if depth else "iodepth absent: 1")
    for key in ("rw", "ioengine", "direct", "numjobs", "rwmixread"):
        draft.fact(key, text_of(options.get(key)))


def _side(draft: Draft, side: str, record: Mapping[str, Any], kib: bool) -> float:
    """Read one direction and return its run time in seconds, 0 where it was idle."""
    moved = number(record.get("io_bytes"), f"{side}.io_bytes")
    seconds = (number(record.get("runtime"), f"{side}.runtime") or 0.0) / 1000
    if not moved and not number(record.get("iops"), f"{side}.iops"):
        return 0.0
    moved = None if moved is None else moved * (1024 if kib else 1)
    for key in KEYS:
        if draft.get(f"{side}_{key.ours}") is None:
            draft.take(record, [Key(key.theirs, f"{side}_{key.ours}", key.unit)], prefix=f"{side}.")
    if "bw_bytes" in record and "bw" in record:
        _two_rates(draft, side, draft.get(f"{side}_bytes_per_s"), number(record.get("bw"), f"{side}.bw"))
    if moved and seconds:
        draft.fact(f"{side}_computed_bytes_per_s", moved / seconds)
    check_side(draft, side, moved, seconds)
    _latency(draft, side, record)
    return seconds


def _two_rates(draft: Draft, side: str, rate: float | None, kib_per_s: float | None) -> None:
    if rate and kib_per_s and abs(kib_per_s * 1024 - rate) > max(1024.0, BANDWIDTH_FRACTION * rate):
        draft.note(
            "contradictory_fields",
            Severity.WARNING,
            f"{side}: bw is {kib_per_s:g} KiB/s, bw_bytes {rate:g} B/s: they differ",
            "bw_bytes is taken; the file was edited or two runs are mixed",
            bw_kib_per_s=kib_per_s,
            bw_bytes_per_s=rate,
            side=side,
        )


def _latency(draft: Draft, side: str, record: Mapping[str, Any]) -> None:
    """Completion latency, or total latency where only that has percentiles (``lat_percentiles=1``)."""
    found = [
        (mapping(record.get(kind + suffix)), unit, kind + suffix)
        for kind in ("clat", "lat")
        for suffix, unit in CLOCKS
        if mapping(record.get(kind + suffix))
    ]
    if not found:
        return
    block, unit, name = next((item for item in found if mapping(item[0].get("percentile"))), found[0])
    table = [Key(theirs, f"{side}_latency_s.{ours}", unit) for theirs, ours in PERCENTILES]
    draft.take(mapping(block.get("percentile")), table, prefix=f"{side}.{name}.percentile.")
    draft.take(block, [Key("mean", f"{side}_latency_s.mean", unit)], prefix=f"{side}.{name}.")
    draft.rule = PercentileRule.BUCKET


def _unified(draft: Draft, options: Mapping[str, Any], record: Mapping[str, Any], kib: bool) -> None:
    """``unified_rw_reporting``: one block for both directions, which says nothing of either unless only one ran."""
    if not record:
        return
    kind = text_of(options.get("rw")) or ""
    if kind.endswith(SIDES) and kind not in MIXED:
        _side(draft, "read" if kind.endswith("read") else "write", record, kib)
        return
    rate = number(record.get("bw_bytes"), "mixed.bw_bytes")
    draft.fact("mixed_bytes_per_s", rate)
    draft.note("directions_mixed", Severity.WARNING, "reads and writes are reported as one", "neither rate is known")


def _compare_sides(draft: Draft, job: Mapping[str, Any], kind: str | None) -> None:
    read, write = mapping(job.get("read")), mapping(job.get("write"))
    keys = ("io_bytes", "bw", "iops", "runtime", "total_ios")
    if kind and kind not in MIXED and _moved(job, "read") and all(read.get(key) == write.get(key) for key in keys):
        draft.note(
            "copied_block",
            Severity.WARNING,
            f"the job is {kind}, yet read and write figures are the same",
            "one of the two blocks is a copy of the other",
            rw=kind,
        )


def _failed(draft: Draft, text: str, code: float) -> None:
    if not any(note.code == "job_failed" for note in draft.findings):
        draft.note("job_failed", Severity.BLOCKS_SIZING, f"{text} ({code:g})", "the run failed", error=code)


def _together(reading: Reading, drafts: list[Draft], content: Mapping[str, Any]) -> None:
    """Jobs of one group run at once: their rates add up; with a barrier between them they do not."""
    groups = {job.get("groupid") for job in _jobs(content)}
    if len(drafts) < 2:
        return
    if len(groups) > 1:
        message, sums = f"{len(drafts)} jobs in {len(groups)} groups, one after the other", {}
        consequence = "their rates do not add up"
    else:
        sums = {
            f"{side}_bytes_per_s": sum(draft.get(f"{side}_bytes_per_s") or 0.0 for draft in drafts) for side in SIDES
        }
        sums = {name: value for name, value in sums.items() if value}
        message, consequence = f"{len(drafts)} jobs ran at once", "each is a run; the device delivered their sum"
    reading.findings.append(finding("several_jobs", Severity.INFO, message, consequence, **sums))
