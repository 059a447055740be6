"""What is installed is what is in the tree, and what is locked is what is needed."""

import ast
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
from collections.abc import Callable, Container, Iterable, Iterator

import pytest
from sources import HOUSES, ROOT, imports

import emu

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())


def test_every_package_is_listed() -> None:
    found = {
        ".".join(file.parent.relative_to(ROOT).parts)
        for house in HOUSES
        for file in (ROOT / house).rglob("__init__.py")
    }
    assert set(PROJECT["tool"]["setuptools"]["packages"]) == found


def test_every_folder_with_modules_is_a_package() -> None:
    folders = {file.parent for house in HOUSES for file in (ROOT / house).rglob("*.py")}
    assert not [folder for folder in folders if not (folder / "__init__.py").exists()]


def test_data_files_are_packaged() -> None:
    listed = PROJECT["tool"]["setuptools"]["package-data"]
    data = [
        file
        for house in HOUSES
        for file in (ROOT / house).rglob("*")
        if file.is_file() and file.suffix not in (".py", ".pyc", ".md")
    ]
    missing = [
        str(file.relative_to(ROOT))
        for file in data
        if not any(file.match(pattern) for pattern in listed.get(".".join(file.parent.relative_to(ROOT).parts), []))
    ]
    assert not missing


def locked() -> dict[str, str]:
    lines = (ROOT / "requirements.lock").read_text().splitlines()
    assert all(re.fullmatch(r"[A-Za-z0-9_.-]+==[0-9][A-Za-z0-9.]*", line) for line in lines)
    return {name.lower().replace("_", "-"): version for name, version in (line.split("==") for line in lines)}


@pytest.mark.parametrize(
    "requirement",
    [
        *PROJECT["project"]["dependencies"],
        *PROJECT["project"]["optional-dependencies"]["test"],
        *PROJECT["build-system"]["requires"],
    ],
)
def test_direct_requirements_are_locked_within_their_bounds(requirement: str) -> None:
    name, relation, bound = re.fullmatch(r"([a-z0-9-]+)(>=|==)([0-9.]+)", requirement).groups()
    version = locked()[name]
    if relation == "==":
        assert version == bound
    else:
        assert [int(part) for part in version.split(".")] >= [int(part) for part in bound.split(".")]


def test_torch_is_pinned_within_the_bounds_of_its_extra() -> None:
    (line,) = re.findall(r"^TORCH := (.+)$", (ROOT / "Makefile").read_text(), re.M)
    pinned = dict(entry.split("==") for entry in line.split())
    wanted = dict(entry.split(">=") for entry in PROJECT["project"]["optional-dependencies"]["torch"])
    assert pinned.keys() == wanted.keys()
    for name, bound in wanted.items():
        assert [int(part) for part in pinned[name].split(".")] >= [int(part) for part in bound.split(".")]


def test_directions_of_import() -> None:
    """emu imports neither other house; the compiler imports only emu's descriptions, errors and reading of files.

    How cores are connected, what they send and where they are cut are descriptions, too, of which hosts ask the same.
    """
    allowed = {
        "emu": r"emu\b",
        "compiler": r"(compiler\b|emu$|emu\.(arch|isa|program|image|errors|graphs|files|output)\b)"
        r"|emu\.interop\.mop\b|emu\.noc\.(domains|traffic)\b|emu\.options\b|emu\.wording\b|emu\.timing\.chip\b",
    }
    wrong = [
        f"{file.relative_to(ROOT)}: {line.strip()}"
        for house, pattern in allowed.items()
        for file in (ROOT / house).rglob("*.py")
        for line in file.read_text().splitlines()
        if (match := re.match(r"\s*(?:from|import) ((?:emu|compiler|launch)\b[\w.]*)", line))
        and not re.match(pattern, match[1])
    ]
    assert not wrong


def arrows_between(unit: Callable[[str], str]) -> dict[str, set[str]]:
    """Per `unit` of modules of the houses, by dotted name, the others that its files import from, wherever they do."""
    modules = {".".join(file.relative_to(ROOT).with_suffix("").parts): nodes for file, nodes in imports().items()}
    unit_of = {name.removesuffix(".__init__"): unit(name) for name in modules}
    arrows: dict[str, set[str]] = {found: set() for found in unit_of.values()}
    for name, nodes in modules.items():
        arrows[unit(name)] |= {unit_of[module] for module in imported_modules(nodes, unit_of)} - {unit(name)}
    return arrows


def folder(module: str) -> str:
    return module.rpartition(".")[0]


def imported_modules(nodes: Iterable[ast.AST], known: Container[str]) -> Iterator[str]:
    """The `known` modules that are imported, by dotted name: for `from a.b import c` `a.b.c` if it is one, or `a.b`."""
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in known)
        elif isinstance(node, ast.ImportFrom) and node.module:
            names = (f"{node.module}.{alias.name}" for alias in node.names)
            yield from (found for name in names if (found := name if name in known else node.module) in known)


def imported_names(nodes: Iterable[ast.AST]) -> Iterator[str]:
    """Dotted names of all that is imported, and of what it is imported from."""
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield from (node.module, *(f"{node.module}.{alias.name}" for alias in node.names))


def reached(arrows: dict[str, set[str]], start: str) -> set[str]:
    """All that arrows lead to from `start`; `start` itself only if it is in a circle."""
    seen: set[str] = set()
    waiting = [start]
    while waiting:
        new = arrows[waiting.pop()] - seen
        seen |= new
        waiting += new
    return seen


def test_no_folders_import_each_other_in_a_circle() -> None:
    arrows = arrows_between(folder)
    assert arrows["launch.runs"] >= {"launch.chips", "launch.golden", "emu.image"}  # the arrows are seen
    assert not [name for name in arrows if name in reached(arrows, name)]


def test_no_files_import_each_other_in_a_circle() -> None:
    """Also not inside of functions, and not for types only."""
    arrows = arrows_between(str)
    assert arrows["launch.runs.job"] >= {"launch.runs.searching", "launch.runs.running", "launch.chaos.series"}
    assert not [name for name in arrows if name in reached(arrows, name)]


def test_nothing_of_the_machine_imports_what_knows_the_formats_of_others() -> None:
    """A format, its import, its export and the times of its simulator live together in a folder of emu/interop."""
    arrows = arrows_between(folder)
    formats = {name for name in arrows if name.startswith("emu.interop")}
    assert formats >= {"emu.interop.mop", "emu.interop.pim_isa.exporting"}
    assert not [name for name in arrows if name.startswith("emu") and name not in formats and arrows[name] & formats]
    of_format = {name: ".".join(name.split(".")[:3]) for name in formats}
    shared = {"emu.interop.rolling"}  # by formats; it knows none of them
    wrong = [
        (name, to) for name in formats for to in arrows[name] & formats - shared if of_format[name] != of_format[to]
    ]
    assert not wrong


def test_only_the_command_line_imports_what_measures_the_product() -> None:
    arrows = arrows_between(folder)
    users = {name for name, others in arrows.items() if others & {"launch.bench", "launch.faults"}}
    assert users <= {"launch.cli", "launch.faults", "launch.bench.baselines"}


def test_caches_have_one_door() -> None:
    arrows = arrows_between(str)
    users = {(name, other) for name, others in arrows.items() for other in others if folder(other) == "compiler.caches"}
    outside = {pair for pair in users if folder(pair[0]) != "compiler.caches"}
    assert outside == {(name, "compiler.caches.fixed") for name in ("compiler.front_ends", "launch.golden.values")}


def test_no_two_files_of_tests_have_one_name() -> None:
    """One run of all of them, as `make test-full` makes it, could not import both."""
    names = [file.name for file in (ROOT / "tests").rglob("*.py") if file.name not in ("__init__.py", "conftest.py")]
    assert not [name for name in set(names) if names.count(name) > 1]


PICKLING = r"(c?pickle|dill|cloudpickle|joblib|marshal|shelve|copyreg|multiprocessing|concurrent\.futures\.process)\b"


def test_nothing_is_ever_pickled() -> None:
    """What comes from another process or a file is never code: no module that unpickles is imported by the houses."""
    found = {str(file.relative_to(ROOT)): list(imported_names(nodes)) for file, nodes in imports().items()}
    assert not [(file, name) for file, names in found.items() for name in names if re.match(PICKLING, name)]
    assert not [str(file) for file in imports() if "allow_pickle=True" in file.read_text()]


@pytest.mark.parametrize(
    "line", ["import pickle", "from multiprocessing.connection import wait", "import marshal as m"]
)
def test_pickling_is_noticed(line: str) -> None:
    assert any(re.match(PICKLING, name) for name in imported_names(ast.parse(line).body))


def test_circles_are_noticed() -> None:
    arrows = {"a": {"b"}, "b": {"c"}, "c": {"b"}, "d": {"a"}}
    assert {name for name in arrows if name in reached(arrows, name)} == {"b", "c"}


@pytest.fixture(scope="module")
def source_archive(tmp_path_factory: pytest.TempPathFactory) -> tuple[set[str], str]:
    """Names in the source archive that a copy of this tree makes, and what setuptools says meanwhile."""
    skipped = shutil.ignore_patterns(".*", "*.egg-info", "__pycache__", "build", "dist", "out")
    tree = shutil.copytree(ROOT, tmp_path_factory.mktemp("tree") / "emu", ignore=skipped)
    code = "import sys; from setuptools.build_meta import build_sdist; print(build_sdist(sys.argv[1]))"
    command = [sys.executable, "-W", "always", "-c", code, str(tree / "dist")]
    done = subprocess.run(command, cwd=tree, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    with tarfile.open(tree / "dist" / done.stdout.splitlines()[-1]) as archive:
        names = {member.name.partition("/")[2] for member in archive if member.isfile()}
    return names, done.stdout + done.stderr


def test_source_archive_holds_what_a_checkout_holds(source_archive: tuple[set[str], str]) -> None:
    names, _ = source_archive
    folders = (*HOUSES, "docs", "examples", "tests")
    files = [file for folder in folders for file in (ROOT / folder).rglob("*") if file.is_file()]
    wanted = {str(file.relative_to(ROOT)) for file in files if file.suffix != ".pyc" and file.suffix != ".md"}
    wanted |= {f"docs/{file.name}" for file in (ROOT / "docs").glob("*.md")}
    wanted |= {"Makefile", "README.md", "LICENSE", "pyproject.toml", "requirements.lock"}
    assert not wanted - names


def test_nothing_in_the_build_is_deprecated(source_archive: tuple[set[str], str]) -> None:
    assert "deprecat" not in source_archive[1].lower()


def test_packages_are_typed() -> None:
    for house in HOUSES:
        assert (ROOT / house / "py.typed").exists()
        assert "py.typed" in PROJECT["tool"]["setuptools"]["package-data"][house]


def test_the_version_that_python_tells() -> None:
    assert emu.__version__ == PROJECT["project"]["version"]
