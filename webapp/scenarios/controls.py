"""One input as a page shows it: label, unit, range, help, default and choices in the reader's language."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _

import pricing
from planner.fields import Field, fields
from planner.hardware import catalog
from planner.llm import load_model
from planner.wording import Wording
from webapp.home.templatetags.fx import TAX_BASES, basis_phrase
from webapp.scenarios.inputs import as_text
from webapp.scenarios.problems import range_text


@dataclass(frozen=True, slots=True, kw_only=True)
class Control:
    """A control with what stands in it and what is wrong with it; ``options`` make it a list to choose from."""

    path: str
    record: Field
    label: str
    help: str
    value: str
    options: Sequence[tuple[str, str]]
    errors: Sequence[str]
    range: str
    basis: str
    placeholder: str

    @property
    def id(self) -> str:
        """Return the id of the element."""
        return self.path.replace(".", "-")


def control(path: str, locale: str, *, value: str, errors: Mapping[str, Sequence[str]], with_default: bool) -> Control:
    """Return the control of a field.

    Parameters
    ----------
    path : str
        Dotted path of the field.
    locale : str
        Language of label, help and choices.
    value : str
        What stands in it.
    errors : mapping
        Texts by path.
    with_default : bool
        Whether an empty control stands for the default, which is then shown in its place.
    """
    record = fields()[path]
    options = choices(record, locale)
    default = as_text(record.default)
    if with_default and options:
        word = dict(options).get(default, default)
        options = [("", _("%(value)s (default)") % {"value": word}), *options]
    if value and options and value not in dict(options):
        options = [*options, (value, value)]  # what is stored stays visible until something else is chosen
    return Control(
        path=path,
        record=record,
        label=record.label[locale],
        help=record.help.get(locale, ""),
        value=value,
        options=options,
        errors=errors.get(path, ()),
        range=range_text(record.low, record.high, record.unit) if record.kind in {"number", "whole"} else "",
        basis=basis_phrase(record.basis) if record.default is not None else "",
        placeholder=(default if with_default else "") or (_("not known") if record.optional else ""),
    )


def choices(record: Field, locale: str) -> list[tuple[str, str]]:
    """Return the values a field may take as (value, words); empty for what is typed."""
    if record.path == "money.book":
        return [(book.id, book.title) for book in pricing.list_books()]
    if record.kind != "choice":
        return []
    say = Wording(locale)
    words: dict[str, Callable[[str], str]] = {
        "model.id": lambda name: load_model(name).name,
        "cluster.node": lambda name: catalog().nodes[name].name,
        "storage.baseline": lambda name: say.text(f"tier.{name}"),
        "workload.regime": lambda name: say.text(f"regime.{name}"),
        "money.price_tax_basis": lambda name: str(TAX_BASES[name]),
    }
    word = words.get(record.path, str.upper)
    return [(name, word(name)) for name in record.allowed()]
