"""What is installed is what is in the tree, and what is locked is what is needed."""

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
HOUSES = ("emu", "compiler", "launch")


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


def test_directions_of_import() -> None:
    """emu imports neither other house; the compiler imports only emu's descriptions, errors and reading of files."""
    allowed = {
        "emu": r"emu\b",
        "compiler": r"(compiler|emu\.(arch|arch_file|isa|program|image|errors|files))\b",
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
