"""What holds the code together: layers, sizes, unit names, data, and what must not stand in a tracked file."""

import ast
import importlib.metadata
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from functools import cache
from itertools import chain
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
LIBRARIES = ("planner", "measurements", "pricing")
PACKAGES = (*LIBRARIES, "webapp")
FILE_LINES, FUNCTION_LINES = 400, 60

MAY_IMPORT = {
    "planner": set(),
    "measurements": {"planner"},
    "pricing": {"planner"},
    "webapp": {"planner", "measurements", "pricing"},
}
COMMAND_LINE = "planner/__main__.py"  # the one module of the planner that joins all three
BLOCKED = ("django", "celery", "kombu", "reportlab", "xlsxwriter", "redis", "psycopg", "uvicorn", "webapp")
DOCUMENT_WRITERS = {"reportlab", "xlsxwriter", "fontTools"}
IMPURE_NAMES = {"environ", "getenv", "utcnow", "now", "today"}
IMPURE_MODULES = {"time", "socket", "urllib.request", "http.client", "requests", "subprocess", "logging"}

AMOUNT = (
    "s|years|hours|days|months|bytes|bits|gbit|tokens|blocks|requests|sessions|writes|iops|gpu_seconds|cny|w|kw|kwh"
    "|count|fraction|ratio|rate|factor|probability|percentile|sigma|skew"
)
DENOMINATOR = "s|h|hour|day|month|year|token|mtok|tb|kwh|block|user|gpu|node|array|array_port"
UNIT = re.compile(rf"_({AMOUNT})(_per_({DENOMINATOR}))*(_(mean|p50|p90|p99|bf16|fp8))?$")
UNITLESS_NAMES = {
    # statistics and estimates: the unit is that of the quantity they belong to, which the owner's field names
    "mean", "p10", "p50", "p90", "p95", "p99", "value", "low", "high",
    # a fitted line and its hull: the units are those of its two axes
    "slope", "intercept", "covariance", "x_low", "x_high",
    # a rate of return, cash flows in the evaluation's currency, and mappings whose keys carry the unit
    "irr", "flows", "slack", "figures", "facts", "pool_parts",
    # counts of turns and the simulated cache in the unit that its caller chose
    "turns_mean", "capacity", "held", "seconds",
}  # fmt: skip

TEXT_SUFFIXES = {".py", ".toml", ".csv", ".json", ".md", ".po", ".html", ".css", ".js", ".svg", ".txt", ".sh", ".yaml"}
LOCKS = {"requirements.txt", "package-lock.json"}
KNOWN_HOSTS = re.compile(
    r"^(localhost|127\.0\.0\.1|\[::1\]|testserver|www\.w3\.org|json-schema\.org|(.+\.)?[a-z]*\.?example(\.(com|org|net))?)$"
)
ADDRESS = re.compile(r"\bhttps?://([^\s/\"'`<>()|]+)")


@cache
def tracked() -> tuple[Path, ...]:
    """Return the files of the repository: what git tracks, or would track."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    if not (ROOT / ".git").exists():
        pytest.skip("not a git checkout: what belongs to the repository is not known")
    names = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout.split("\0")
    return tuple(ROOT / name for name in sorted(filter(None, names)) if (ROOT / name).is_file())


def sources(*packages: str) -> Iterator[Path]:
    """Yield the Python files of packages, migrations excepted: those are written by Django."""
    for path in tracked():
        parts = path.relative_to(ROOT).parts
        if path.suffix == ".py" and parts[0] in packages and "migrations" not in parts:
            yield path


@cache
def tree(path: Path) -> ast.Module:
    """Return the syntax tree of a file."""
    return ast.parse(path.read_text(encoding="utf-8"))


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def imported(path: Path) -> set[str]:
    """Return the absolute names that a file imports."""
    found: set[str] = set()
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            assert node.level == 0, f"{name_of(path)}:{node.lineno}: imports are absolute"
            found.add(node.module)
    return found


def roots(path: Path) -> set[str]:
    return {name.partition(".")[0] for name in imported(path)}


def test_the_libraries_work_where_nothing_of_the_web_and_no_document_writer_is_installed() -> None:
    script = f"""
import importlib, pkgutil, sys
for blocked in {BLOCKED!r}:
    sys.modules[blocked] = None  # an import of it raises ImportError
for package in {LIBRARIES!r}:
    for module in pkgutil.walk_packages(importlib.import_module(package).__path__, package + "."):
        if not module.name.startswith(("planner.proposal", "planner.__main__")):
            importlib.import_module(module.name)
import datetime, measurements, planner, pricing
scenario = planner.load_scenario("cold-recovery")
book = pricing.load_book("fx-reference", on=datetime.date(2026, 12, 1))
evaluation = planner.evaluate(scenario, measurements.load_evidence(scenario.evidence.datasets), book)
print(evaluation.option("fx100").candidate)
"""
    ran = subprocess.run([sys.executable, "-W", "error", "-c", script], cwd=ROOT, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.strip() == "fx100"


@pytest.mark.parametrize("package", PACKAGES)
def test_imports_run_in_one_direction(package: str) -> None:
    allowed = {package, *MAY_IMPORT[package]}
    wrong = {
        name_of(path): other
        for path in sources(package)
        if (other := (roots(path) & {*PACKAGES, "tests"}) - allowed) and name_of(path) != COMMAND_LINE
    }
    assert not wrong


def test_only_the_proposal_knows_the_document_writers() -> None:
    wrong = [
        name_of(path)
        for path in sources(*PACKAGES)
        if roots(path) & DOCUMENT_WRITERS and not name_of(path).startswith("planner/proposal/")
    ]
    assert not wrong


def test_the_planner_has_no_clock_no_environment_and_no_network() -> None:
    wrong = []
    for path in sources("planner"):
        if name_of(path) == COMMAND_LINE:
            continue
        wrong += [f"{name_of(path)}: {module}" for module in imported(path) & IMPURE_MODULES]
        wrong += [
            f"{name_of(path)}:{node.lineno}: .{node.attr}"
            for node in ast.walk(tree(path))
            if isinstance(node, ast.Attribute) and node.attr in IMPURE_NAMES
        ]
    assert not wrong


def test_what_is_imported_is_declared_where_it_belongs() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    core, extras = project["dependencies"], project["optional-dependencies"]
    declared = {
        **{package: _distributions(core) for package in LIBRARIES},
        "webapp": _distributions([*core, *extras["proposal"], *extras["web"]]),
    }
    by_module = importlib.metadata.packages_distributions()
    wrong = []
    for package in PACKAGES:
        for path in sources(package):
            names = declared[package]
            if name_of(path).startswith("planner/proposal/"):
                names = names | _distributions(extras["proposal"])
            foreign = roots(path) - set(sys.stdlib_module_names) - set(PACKAGES) - {"tests"}
            wrong += [
                f"{name_of(path)}: {module}"
                for module in sorted(foreign)
                if not {_normal(name) for name in by_module.get(module, [module])} & names
            ]
    assert not wrong


def _distributions(requirements: list[str]) -> set[str]:
    return {_normal(re.match(r"[A-Za-z0-9._-]+", requirement).group()) for requirement in requirements}  # type: ignore[union-attr]


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def test_every_pinned_package_carries_hashes_and_every_declared_one_is_pinned() -> None:
    lock = (ROOT / "requirements.txt").read_text(encoding="utf-8")
    entries = re.split(r"\n(?=\S)", lock.strip())
    assert [entry.splitlines()[0] for entry in entries if "--hash=sha256:" not in entry] == []
    pinned = {_normal(entry.partition("==")[0]) for entry in entries}
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted = _distributions([*project["dependencies"], *chain.from_iterable(project["optional-dependencies"].values())])
    assert wanted - pinned - {"fx-planner"} == set()


def test_files_stay_short() -> None:
    lengths = {
        name_of(path): len(path.read_text(encoding="utf-8").splitlines())
        for path in tracked()
        if path.suffix in {".py", ".js", ".css", ".html"}
    }
    assert {name: lines for name, lines in lengths.items() if lines > FILE_LINES} == {}


def test_functions_stay_short() -> None:
    wrong = {}
    for path in sources(*PACKAGES):
        for node in ast.walk(tree(path)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                first = node.body[0]
                documented = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
                body = node.body[1:] if documented and len(node.body) > 1 else node.body
                lines = (node.end_lineno or 0) - body[0].lineno + 1
                if lines > FUNCTION_LINES:
                    wrong[f"{name_of(path)}:{node.name}"] = lines
    assert wrong == {}


def test_the_name_of_every_float_in_the_planner_carries_its_unit() -> None:
    wrong = []
    for path in sources("planner"):
        if "proposal" in path.parts:  # sizes on paper: points, by reportlab's convention
            continue
        for owner, field in _float_fields(path):
            if field not in UNITLESS_NAMES and not UNIT.search(f"_{field}"):
                wrong.append(f"{name_of(path)}: {owner}.{field}")
    assert not wrong


def _float_fields(path: Path) -> Iterator[tuple[str, str]]:
    for node in ast.walk(tree(path)):
        if not isinstance(node, ast.ClassDef) or not any("dataclass" in ast.unparse(d) for d in node.decorator_list):
            continue
        for field in node.body:
            if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name):
                kind = ast.unparse(field.annotation)
                if re.search(r"\bfloat(64)?\b", kind) and "ClassVar" not in kind:
                    yield node.name, field.target.id


@pytest.mark.parametrize(
    ("name", "right"),
    [
        ("ttft_s", True),
        ("kv_bytes_per_token", True),
        ("cny_per_tb_per_month", True),
        ("hit_fraction", True),
        ("s", True),
        ("ttft", False),
        ("speed", False),
        ("bytes_read", False),
        ("cny_per_fortnight", False),
        ("hits", False),
    ],
)
def test_the_grammar_of_units_tells_right_from_wrong(name: str, right: bool) -> None:
    assert bool(UNIT.search(f"_{name}")) is right


def _texts() -> Iterator[tuple[str, int, str]]:
    """Yield every line of every tracked text, except of the locks and of this file, which names what it forbids."""
    for path in tracked():
        own = path == Path(__file__).resolve() or path.name in LOCKS
        if own or not (path.suffix in TEXT_SUFFIXES or path.name in {"Makefile", "run", ".npmrc", ".gitignore"}):
            continue
        for number, line in enumerate(path.read_text(encoding="utf-8-sig", errors="replace").splitlines(), 1):
            yield name_of(path), number, line


def test_nothing_is_left_to_do_in_the_code() -> None:
    mark = re.compile(r"\b(TODO|FIXME|HACK)\b")
    assert [f"{name}:{number}" for name, number, line in _texts() if mark.search(line)] == []


def test_no_path_of_one_machine_stands_in_a_file() -> None:
    path = re.compile(r"(?<![\w.~-])/(home|root|work|Users)/")
    assert [f"{name}:{number}" for name, number, line in _texts() if path.search(line)] == []


def test_no_address_of_another_host_stands_in_a_file() -> None:
    found = [
        f"{name}:{number}: {host}"
        for name, number, line in _texts()
        for host in ADDRESS.findall(line)
        if "{" not in host
        and "%" not in host
        and not KNOWN_HOSTS.match(re.sub(r"^[^@]*@|:\d*[.,;]?$|[.,;]$", "", host))
    ]
    assert found == []


def test_the_locks_name_no_registry() -> None:
    """A lock that names its registry fails wherever packages come from another one."""
    marks = re.compile(r"index-url|find-links|\"resolved\"|^\S+ @ |registry", re.MULTILINE)
    assert [name for name in sorted(LOCKS) if marks.search((ROOT / name).read_text(encoding="utf-8"))] == []


def test_every_data_file_parses() -> None:
    files = [path for path in tracked() if path.suffix == ".toml"]
    assert len(files) > 10
    for path in files:
        tomllib.loads(path.read_text(encoding="utf-8"))


def test_every_data_file_of_a_package_is_installed_with_it() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["setuptools"]
    patterns = settings["package-data"]["*"]
    left_out = [
        name_of(path)
        for path in tracked()
        if path.relative_to(ROOT).parts[0] in PACKAGES
        and path.suffix != ".py"
        and not any(path.match(pattern) for pattern in patterns)
    ]
    assert left_out == []


def test_the_version_stands_in_one_place() -> None:
    version = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["setuptools"]["dynamic"]
    from planner.version import __version__

    assert version == {"version": {"attr": "planner.version.__version__"}}
    assert [name for name, _, line in _texts() if line.startswith("__version__")] == ["planner/version.py"]
    assert importlib.metadata.version("fx-planner") == __version__
