"""The kinds of jobs that tests start; importable before Django is set up."""

NAMES = (
    "writes",
    "slow",
    "deaf",
    "dies",
    "dies_once",
    "breaks",
    "refuses",
    "finds_nothing",
    "fills_the_disk",
    "stumbles",
)
KINDS = {name: {"handler": f"tests.webapp.handlers.{name}", "label": name, "priority": 0} for name in NAMES}
