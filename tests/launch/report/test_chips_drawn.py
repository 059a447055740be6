"""The report of programs on several chips: where cores are drawn, and the links between chips."""

from pathlib import Path

import pytest
from browser import Browser, find_browser
from commands import DIGITS, Emu

from launch.report.drawing import core_rows, extent, link_rows
from launch.report.panels.metrics import METRICS
from launch.report.report import Values, report_values
from launch.report.sources.subject import read_subject

BOARD = """
[chip]
base = "isaac"
cores = 4
cores_per_cluster = 2
[network]
width = 2
[system]
chips = 3
topology = "{}"
"""


@pytest.fixture(params=["mesh", "switch"])
def image(tmp_path: Path, emu: Emu, request: pytest.FixtureRequest) -> Path:
    """The digits on 5 cores: 4 of one chip and one of the next."""
    (tmp_path / "board.toml").write_text(BOARD.format(request.param))
    made = emu("compile", DIGITS, "-o", tmp_path / "out", "--arch", tmp_path / "board.toml", "--golden", "none")
    assert made.exit_code == 0, made.output
    return tmp_path / "out"


def values_of(image: Path) -> Values:
    return report_values(read_subject(image))


def test_cores_stand_on_their_chips_and_links_lead_from_chip_to_chip(image: Path) -> None:
    values = values_of(image)
    chip = values["chip"]
    assert [chip[key] for key in ("cores", "chips", "chip_cores", "across", "width", "height")] == [12, 3, 4, 2, 2, 2]
    places = {row["core"]: (row["column"], row["row"]) for row in core_rows(values, METRICS["load"]).rows}
    assert places == {0: (0, 0), 1: (1, 0), 2: (0, 1), 3: (1, 1), 4: (3, 0)}
    between = [(link["from"], link["to"]) for link in chip["links"] if link["from"] // 4 != link["to"] // 4]
    switched = [(0, 12), (12, 4)]
    assert between in ([(0, 4)], switched)
    assert extent(values) == ((4, 2) if between == [(0, 4)] else (4, 4))
    assert len(link_rows(values).rows) == len(chip["links"])
    assert sum(link["bytes"] for link in chip["links"]) == values["totals"]["byte_hops"]


@pytest.mark.skipif(not find_browser(), reason="there is no browser: apt-get install chromium")
def test_the_page_draws_them(image: Path, emu: Emu, tmp_path: Path) -> None:
    assert emu("report", image, "-o", tmp_path / "page.html").exit_code == 0
    links = values_of(image)["chip"]["links"]
    with Browser() as browser:
        browser.open(tmp_path / "page.html")

        def tips(of: str) -> list[str]:
            return browser.ask(f"[...document.querySelectorAll('#chip-map {of}')].map((one) => one.dataset.tip)")

        assert browser.said == []
        assert len(tips("line.link")) == len(links)
        cores, empty = tips("g.core:not(.none)"), tips("g.core.none")
        assert cores[4].startswith("core 4 at column 0, row 0 of chip 1\n")
        switched = any(link["to"] == 12 for link in links)
        assert ("the switch between chips" in empty) == switched and "core 11 holds no program" in empty
        way = "chip 0 to the switch between chips" if switched else "chip 0 to chip 1"
        assert any(tip.startswith(f"link from {way}: ") for tip in tips("line.link"))
