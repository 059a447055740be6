"""What README and pages count and list is counted and listed here once more."""

import re
import tomllib
from pathlib import Path

import pytest
from commands import Emu

ROOT = Path(__file__).parents[3]
README = (ROOT / "README.md").read_text("utf-8")
HOUSES = ("emu", "compiler", "launch")
CELL = re.compile(r"`([\w.]+)`")


def rows(heading: str) -> list[list[str]]:
    """The cells of the table under a heading, row by row."""
    text = README.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    return [line.strip("| ").split(" | ") for line in text.splitlines() if line.startswith("| ")][1:]


def test_all_dependencies_have_a_reason() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    wanted = sum(project["optional-dependencies"].values(), project["dependencies"])
    assert all(len(row) == 2 and row[1] for row in rows("Dependencies, and why"))
    listed = {name for names, _ in rows("Dependencies, and why") for name in names.split(", ")}
    assert listed == {re.split(r"[\[>=]", requirement)[0] for requirement in wanted}


@pytest.mark.parametrize("house", HOUSES)
def test_all_folders_of_a_house_are_named(house: str) -> None:
    (text,) = (text for name, text in rows("Where things are") if name == f"`{house}/`")
    folders = {path.name for path in (ROOT / house).iterdir() if path.is_dir() and not path.name.startswith("_")}
    assert {name for name in CELL.findall(text) if not name.endswith(".py")} == folders


def shown(page: str, begins: str) -> str:
    """The one line of a page that begins so."""
    lines = (ROOT / page).read_text("utf-8").splitlines()
    (line,) = {line for line in lines if line.startswith(begins)}
    return line


def test_sizes_of_the_example_are_those_that_are_shown(
    emu: Emu, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    model = ROOT / "examples" / "digits_cnn.onnx"
    compiled = emu("compile", model, "--arch", "tiny", "--cores", 64, "--golden", "none", "-o", "out/digits")
    line = shown("README.md", "digits_cnn.onnx -> out/digits: ")
    assert compiled.stdout.splitlines()[-1].partition("instructions")[0] == line.partition("instructions")[0]
    emu("compile", model, "--golden", "none", "-o", "out/digits")
    exported = emu("export", "out/digits", "--to", "pimsim", "-o", "digits.pimsim").stdout.splitlines()
    assert shown("docs/interop.md", "out/digits -> digits.pimsim/program.json") in exported
