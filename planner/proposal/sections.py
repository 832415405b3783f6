"""Evaluation -> named sections of blocks, in the order in which the PDF and the result page show them."""

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType

from planner.evaluation import Evaluation
from planner.proposal import content_evidence, content_money, content_prediction
from planner.proposal.blocks import Block
from planner.proposal.content import Content

SECTIONS: Mapping[str, Callable[[Content], Iterator[Block]]] = MappingProxyType(
    {
        "summary": content_prediction.summary,
        "workload": content_prediction.workload,
        "prediction": content_prediction.prediction,
        "options": content_prediction.options,
        "sizing": content_prediction.sizing,
        "price": content_money.price,
        "cost": content_money.cost,
        "comparison": content_money.comparison,
        "sensitivity": content_money.sensitivity,
        "evidence": content_evidence.evidence,
        "joint_test": content_evidence.joint_test,
        "assumptions": content_evidence.assumptions,
        "sources": content_evidence.sources,
        "glossary": content_evidence.glossary,
        "reproduce": content_evidence.reproduce,
    }
)


def section_blocks(evaluation: Evaluation, locale: str) -> Mapping[str, tuple[Block, ...]]:
    """Return the blocks of each section by its code; the first block of a section is its heading.

    Raises
    ------
    InputProblems
        When there is no such language.
    """
    content = Content(evaluation, locale)
    return MappingProxyType({code: tuple(section(content)) for code, section in SECTIONS.items()})
