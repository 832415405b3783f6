"""The three files of a proposal, each written whole or not at all."""

import json
import os
from hashlib import sha256
from pathlib import Path

from planner.errors import InputProblems, Problem, shown
from planner.evaluation import Evaluation
from planner.proposal.cover import Cover
from planner.proposal.pdf import proposal_pdf
from planner.proposal.xlsx import proposal_xlsx


def evaluation_json(evaluation: Evaluation) -> bytes:
    """Return the evaluation's document as UTF-8 JSON."""
    return (json.dumps(evaluation.document(), ensure_ascii=False, allow_nan=False, indent=1) + "\n").encode("utf-8")


def proposal_files(evaluation: Evaluation, locale: str, cover: Cover) -> dict[str, bytes]:
    """Return the files of a proposal by name: ``proposal.pdf``, ``proposal.xlsx``, ``evaluation.json``."""
    return {
        "proposal.pdf": proposal_pdf(evaluation, locale, cover),
        "proposal.xlsx": proposal_xlsx(evaluation, locale, cover),
        "evaluation.json": evaluation_json(evaluation),
    }


def write_proposal(
    evaluation: Evaluation, *, locale: str, folder: Path, recipient: str = "", cover: Cover | None = None
) -> list[dict[str, str]]:
    """Write a proposal's files into ``folder`` and return their paths and sha256.

    Raises
    ------
    InputProblems
        When the folder cannot be written.
    """
    files = proposal_files(evaluation, locale, cover or Cover(recipient=recipient))
    written = []
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, content in files.items():
            part, target = folder / f".{name}.part", folder / name
            with part.open("wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            part.replace(target)
            written.append({"name": name, "path": str(target), "sha256": sha256(content).hexdigest()})
    except OSError as error:
        raise InputProblems(
            [Problem("unwritable", "--out", shown(str(folder)), error.strerror or "a writable folder")]
        ) from error
    return written
