"""The planner's examples as presets of the form, named in the language of the page."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from planner.scenario import list_examples, read_mapping
from webapp.home.templatetags.fx import number


@dataclass(frozen=True, slots=True, kw_only=True)
class Preset:
    """A case to start from."""

    name: str
    title: str
    text: str
    inputs: Mapping[str, Any]


def presets() -> Sequence[Preset]:
    """Return every example; one without words of its own keeps the title of its file."""
    titles = {"cold-recovery": _("Cold recovery"), "cold-recovery-long-answers": _("Cold recovery, long answers")}
    return [_preset(name, titles.get(name, "")) for name in list_examples()]


def _preset(name: str, title: str) -> Preset:
    inputs = read_mapping(name)
    work = inputs["workload"]
    words = _("Prompts of %(prompt)s tokens, all read back at once after a restart; answers of %(output)s tokens.")
    text = words % {"prompt": number(work["prompt_tokens"]), "output": number(work["output_tokens"])}
    return Preset(name=name, title=title or str(inputs["title"]), text=text, inputs=inputs)


def preset_named(name: str) -> Preset | None:
    """Return the preset, or None when there is no such one."""
    return next((preset for preset in presets() if preset.name == name), None)
