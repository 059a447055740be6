"""Goals, cells and the Markdown page."""

import json
from pathlib import Path

import pytest

from emu.errors import InputError
from launch.bench.measurement import BenchGoal, RowMeasurement, RowOutcome
from launch.bench.tables import cells, notes, rows_block
from launch.text.markdown_page import end_marker, marker, write_blocks

FOUND = RowMeasurement(ours=30.0, baseline=10.0, unit="ms", against="another|one", note="medians of 3")
FAILED = RowOutcome("lost", "A row without a figure", BenchGoal("<=", 2), None, None, "no such network")


def outcome(target: BenchGoal | None, moonshot: BenchGoal | None = None, found: RowMeasurement = FOUND) -> RowOutcome:
    return RowOutcome("row", "A title", target, moonshot, found)


@pytest.mark.parametrize(
    ("target", "moonshot", "verdict"),
    [
        (None, None, ""),
        (BenchGoal("<=", 3), None, "met"),
        (BenchGoal("<=", 2.9), None, "missed"),
        (BenchGoal("<=", 4), BenchGoal("<=", 3), "moonshot"),
        (BenchGoal("<=", 4), BenchGoal("<=", 2), "met"),
        (BenchGoal("<=", 30, "ours"), None, "met"),
        (BenchGoal("<=", 29, "ours"), None, "missed"),
        (BenchGoal(">=", 3), None, "met"),
        (BenchGoal(">=", 3.1), None, "missed"),
    ],
)
def test_verdicts(target: BenchGoal | None, moonshot: BenchGoal | None, verdict: str) -> None:
    assert outcome(target, moonshot).verdict == verdict


def test_cells_say_ours_baseline_ratio_and_goals() -> None:
    row = cells(outcome(BenchGoal("<=", 6), BenchGoal("<=", 20, "ours", "ms")))
    assert row == ("row", "A title", "30 ms", "10 ms", "3x", "<= 6x", "<= 20 ms", "met")
    assert cells(FAILED) == ("lost", "A row without a figure", "", "", "", "<= 2x", "", "failed")


def test_without_a_baseline_there_is_no_ratio() -> None:
    alone = outcome(
        BenchGoal("<=", 40, "ours", "s"), found=RowMeasurement(ours=30, baseline=None, unit="s", note="absolute")
    )
    assert cells(alone) == ("row", "A title", "30 s", "", "", "<= 40 s", "", "met")
    assert (alone.to_dict()["baseline"], alone.to_dict()["ratio"], alone.to_dict()["against"]) == (None, None, None)
    assert notes([alone]) == ["row: absolute"]
    with pytest.raises(ValueError, match="nothing to compare with"):
        assert outcome(BenchGoal("<=", 40), found=RowMeasurement(ours=30, baseline=None, unit="s")).verdict


def test_json_has_the_same_keys_with_and_without_a_figure() -> None:
    there, lost = outcome(BenchGoal("<=", 6)).to_dict(), FAILED.to_dict()
    assert there.keys() == lost.keys()
    assert json.loads(json.dumps(there, allow_nan=False))["ratio"] == 3
    assert (lost["ours"], lost["ratio"], lost["verdict"], lost["note"]) == (None, None, "failed", "no such network")


def test_notes_say_against_what() -> None:
    assert notes([outcome(None), FAILED]) == [
        "row: against another|one; medians of 3",
        "lost: not measured: no such network",
    ]


def test_blocks_keep_the_text_around_them(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        f"# Speed\n\n{marker('rows')}\nold\n{end_marker()}\n\nbetween\n\n{marker('profile a')}\n{end_marker()}\nlast\n"
    )
    write_blocks(page, {"rows": rows_block([outcome(BenchGoal("<=", 6))], "A machine"), "profile a": "parts"})
    first = page.read_text()
    assert first.startswith(f"# Speed\n\n{marker('rows')}\n\nA machine.\n\n| row |")
    assert f"{end_marker()}\n\nbetween\n\n{marker('profile a')}\n\nparts\n\n{end_marker()}\nlast\n" in first
    assert "old" not in first
    assert "| row | A title | 30 ms | 10 ms | 3x | <= 6x |" in first
    write_blocks(page, {"profile a": "parts"})
    assert page.read_text() == first
    assert [path.name for path in tmp_path.iterdir()] == ["page.md"]


def test_bars_inside_of_cells_are_escaped() -> None:
    assert "| a\\|b |" in rows_block([RowOutcome("row", "a|b", None, None, FOUND)], "A machine")


def test_pages_without_markers_are_refused(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("nothing here\n")
    with pytest.raises(InputError, match="emu bench: rows"):
        write_blocks(page, {"rows": "x"})
    assert page.read_text() == "nothing here\n"
