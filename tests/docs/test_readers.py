"""A newcomer finds every page in two clicks; pages keep their budgets; maps of the houses name what is there."""

import re
from pathlib import Path

import page_links
import pytest
from snippets import ROOT

DOCS = ROOT / "docs"
STARTS = (ROOT / "README.md", DOCS / "index.md")
BUDGETS = {"README.md": 10_000, "docs/usage.md": 15_000, "docs/compiler.md": 15_000, "docs/errors.md": 30_000}


def reached(page: Path, clicks: int) -> set[Path]:
    """The pages that links lead to from `page`, in at most so many clicks, itself among them."""
    found, edge = {page}, {page}
    for _ in range(clicks):
        targets = {(file.parent / name).resolve() for file in edge for name, _ in links(file) if name.endswith(".md")}
        edge = {target for target in targets if target.is_file()} - found
        found |= edge
    return found


def links(page: Path) -> list[tuple[str, str]]:
    return list(page_links.links(page.read_text("utf-8")))


@pytest.mark.parametrize("start", STARTS, ids=lambda page: page.name)
def test_every_page_is_two_clicks_away(start: Path) -> None:
    assert set(DOCS.rglob("*.md")) - reached(start, 2) == set()


def test_clicks_are_counted(tmp_path: Path) -> None:
    for name, text in (("a", "[b](b.md) [gone](gone.md)"), ("b", "[c](c.md#x) `[d](d.md)`"), ("c", ""), ("d", "")):
        (tmp_path / f"{name}.md").write_text(text)
    assert [len(reached(tmp_path / "a.md", clicks)) for clicks in (0, 1, 2, 3)] == [1, 2, 3, 3]


@pytest.mark.parametrize("page", BUDGETS)
def test_a_page_keeps_its_budget(page: str) -> None:
    assert len((ROOT / page).read_bytes()) <= BUDGETS[page], "what is added pushes something out, or to another page"


def test_readme_leads_to_ten_pages() -> None:
    text = (ROOT / "README.md").read_text("utf-8").partition("\n## Ten pages\n")[2].partition("\n## ")[0]
    assert len({name for name, _ in page_links.links(text)}) == 10


def test_exit_codes_and_completion_stand_in_one_place() -> None:
    pages = {str(page.relative_to(DOCS)): page.read_text("utf-8") for page in DOCS.rglob("*.md")}
    assert [name for name, text in pages.items() if "_EMU_COMPLETE" in text] == ["commands.md"]
    assert [name for name, text in pages.items() if re.search(r"^\| 70 \|", text, re.MULTILINE)] == ["errors.md"]


@pytest.mark.parametrize("name", ["emu", "compiler", "launch"])
def test_the_map_of_a_house_names_all_folders_and_only_files_that_are_there(name: str) -> None:
    house = ROOT / name
    text = (house / "README.md").read_text("utf-8")
    folders = {path.name for path in house.iterdir() if path.is_dir() and not path.name.startswith("_")}
    assert set(re.findall(r"^\| `(\w+)/` \|", text, re.MULTILINE)) == folders
    files = [file for file in re.findall(r"`([\w./]+\.(?:py|toml|md|js))`", text) if "NAME" not in file]
    beside = {path.name for path in house.rglob("*.py")}  # `causes.py`, told in the paragraph of its folder
    assert files
    assert not [file for file in files if not ((house / file).exists() or (ROOT / file).exists() or file in beside)]
    inner = [name for name in re.findall(r"`([\w/]+/\w*)`", text) if not name.startswith("docs/")]
    assert not [name for name in inner if not ((house / name).is_dir() or (ROOT / name).is_dir())]
