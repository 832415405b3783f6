"""The gates of the joint test as rows of a table."""

import tomllib
from collections.abc import Iterator
from importlib.resources import files

from planner.wording import Wording


def gate_rows(locale: str) -> Iterator[tuple[str, str, str]]:
    """Yield (gate with its name, week, criteria one to a line)."""
    say = Wording(locale)
    raw = tomllib.loads(files("planner").joinpath("catalog/gates.toml").read_text("utf-8"))
    for gate in raw["gate"]:
        prefix = f"word.gate.{gate['id']}"
        criteria = [say.text(f"{prefix}.criterion_{number + 1}") for number in range(gate["criteria_count"])]
        name = f"{gate['id'].upper()} {say.text(f'{prefix}.name')}"
        yield name, str(gate["week"]), "\n".join(f"· {criterion}" for criterion in criteria)
