"""Pages with figures of papers: the quick ones made anew, and what the blocks of a page ask for."""

import shlex
from functools import cache
from pathlib import Path

import pytest
from papers import FIGURES, made, report_of
from snippets import ROOT

from emu.errors import InputError
from launch.papers.frame.figure import Figure, WantedOptions
from launch.papers.frame.library import paper_names
from launch.papers.frame.page import blocks_of, commands_of

PAGES = [page for page in (ROOT / "docs").glob("*.md") if blocks_of(page.read_text("utf-8"))]
QUICK = ("raptor/mapping", "raptor/instructions", "raptor/ir-size")
LENET5 = "raptor/cores --networks lenet5 --types float32 --cores 16,24"


@cache
def blocks() -> dict[str, str]:
    """All blocks of all pages, by their commands."""
    return {command: text for page in PAGES for command, text in blocks_of(page.read_text("utf-8")).items()}


def figure_of(command: str) -> Figure:
    return FIGURES[command.split()[0]]


@pytest.mark.parametrize("name", [*QUICK[:2], pytest.param(QUICK[2], marks=pytest.mark.full)])
def test_a_quick_figure_is_what_the_page_has(name):
    assert made(name).markdown() == blocks()[name], "run `emu paper raptor --write docs/thesis.md`"


def test_the_small_schedules_are_what_the_page_has():
    found = made("raptor/cores", networks=("lenet5",), types="float32", cores=(16, 24))
    assert found.markdown() == blocks()[LENET5], "run `make figures`"


@pytest.mark.few(4)
@pytest.mark.parametrize("name", ["mm", "lstm", "wavenet", "conv3d", "kronecker3", "abcd-aebf-dfce"])
def test_a_kernel_of_occ_is_what_is_counted_now(name):
    found = made("occ/table", networks=(name,))
    cells = [column.text(found.rows[0]) for column in found.request.figure.columns]
    assert f"| {' | '.join(cells)} |" in blocks()["occ/table"], "run `emu paper --write docs/offload.md`"


PARTS = {"networks": str, "schedules": str, "cores": int}  # of options that take several values
SCHEDULES = [command for command, text in sorted(blocks().items()) if "| schedule |" in text]


@pytest.mark.parametrize("command", SCHEDULES)
def test_a_page_has_the_networks_and_schedules_that_the_figure_has_now(command):
    """Measuring them takes hours; which ones are measured does not."""
    name, *words = shlex.split(command)
    given = {key.removeprefix("--"): text for key, text in zip(words[::2], words[1::2], strict=True)}
    wanted = {key: tuple(map(PARTS[key], text.split(","))) if key in PARTS else text for key, text in given.items()}
    count = len(figure_of(command).measure(WantedOptions(**wanted)))
    rows = report_of(name, *["it is not measured"] * count, **wanted).rows
    lines = [line.strip("| ").split(" | ") for line in blocks()[command].split("\n\n")[0].splitlines()]
    places = [lines[0].index(title) for title in ("network", "schedule")]
    assert [tuple(line[place] for place in places) for line in lines[2:]] == [
        (row["network"], row["schedule"]) for row in rows
    ]


def test_pages_have_figures_of_all_papers_that_are_named_in_the_list_of_pages():
    shown = {words.split()[0] for words in blocks()}
    named = {name for name in paper_names() if f"`{name}`" in (ROOT / "docs" / "papers.md").read_text("utf-8")}
    assert shown == {name for name in FIGURES if name.partition("/")[0] in named} and len(named) >= 6


def test_commands_of_pages_have_their_words():
    for page in PAGES:
        assert commands_of(page) == {words: shlex.split(words) for words in blocks_of(page.read_text("utf-8"))}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("# no block\n", "has no lines <!-- emu paper: PAPER/FIGURE --> and <!-- emu paper: end -->: add them"),
        ("<!-- emu paper: a/b -->\n", "has no lines"),
        ("<!-- emu paper: a/b 'c -->\n<!-- emu paper: end -->\n", "<!-- emu paper: a/b 'c --> is no command"),
    ],
)
def test_a_page_without_commands(tmp_path: Path, text: str, said: str):
    page = tmp_path / "p.md"
    page.write_text(text)
    with pytest.raises(InputError, match=said):
        commands_of(page)
