"""The picture of a running chip: a character per core where that fits, counts of cores where it does not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from emu.noc.watch.board import Activity
from launch.text.core_map import OF_ACTIVITY, Cores, Line, RunProgress, core_map, counts, picture, short

HALF_WAY = RunProgress(7, 20, 75.4, 3.25, 1234, 15300.0, 2.5e6)


def shown(lines: list[Line]) -> list[str]:
    return ["".join(text for text, _ in line) for line in lines]


def chip(count: int, width: int) -> Cores:
    """A chip whose cores do everything in turn."""
    return Cores({core: list(Activity)[core % len(Activity)] for core in range(count)}, width)


def test_bytes_keep_their_unit() -> None:
    still = RunProgress(7, 20, 75.4, 3.25, 1234, 0.0, 0.0)
    assert shown(picture([], still, 100, 10))[0].endswith("0 messages/s  0 B/s")


def test_every_activity_is_seen() -> None:
    assert set(OF_ACTIVITY) == set(Activity)
    assert len({state.sign for state in OF_ACTIVITY.values()}) == len({state.name for state in OF_ACTIVITY.values()})


def test_a_small_chip() -> None:
    cores = {
        0: Activity.RUNNING,
        1: Activity.RECV,
        2: Activity.SEND,
        4: Activity.IDLE,
        5: Activity.TRAPPED,
        6: Activity.HALTED,
    }
    assert shown(picture([Cores(cores, 4)], HALF_WAY, 100, 10)) == [
        "samples 7/20  1:15  3.25 samples/s  15.3 k messages/s  2.50 MB/s",
        "# 1 running  = 2 blocked  . 1 idle  - 1 done  X 1 failed",
        "#== ",
        ".X-",
    ]


@pytest.mark.parametrize(
    ("count", "width", "columns", "rows", "wanted"),
    [
        (8, 3, 80, 20, [3, 3, 2]),  # the rows of the mesh
        (8, 16, 80, 20, [8]),  # a mesh that is wider than the cores in use
        (64, 8, 79, 22, [8] * 8),
        (1024, 32, 79, 40, [32] * 32),
        (1024, 32, 79, 22, [79] * 12 + [76]),  # core after core: the rows of the mesh would not fit
        (1024, 32, 20, 22, []),
        (64, 8, 5, 22, [5] * 12 + [4]),
        (0, 8, 80, 20, []),
    ],
)
def test_maps_fit(count: int, width: int, columns: int, rows: int, wanted: list[int]) -> None:
    found = shown(core_map(chip(count, width), columns, rows))
    signs = [OF_ACTIVITY[list(Activity)[core % len(Activity)]].sign for core in range(count)]
    assert [len(line) for line in found] == wanted
    assert not found or "".join(found) == "".join(signs)


def test_counts_stand_alone_where_the_map_does_not_fit() -> None:
    lines = shown(picture([chip(1024, 32)], HALF_WAY, 40, 10))
    assert lines == ["samples 7/20  1:15  3.25 samples/s", "79 running  237 blocked  158 at memory"]
    assert sum(count for _, count in counts([chip(1024, 32)])) == 1024
    assert shown(picture([], HALF_WAY, 12, 10)) == ["samples 7/20"]
    assert shown(picture([], HALF_WAY, 5, 10)) == ["sampl"]


def test_several_chips_are_below_each_other() -> None:
    lines = shown(picture([chip(4, 2), chip(3, 8)], HALF_WAY, 80, 10))
    assert len(lines) == 5 and lines[2:] == ["?#", "==", "?#="]


@given(st.integers(0, 1200), st.integers(1, 40), st.integers(1, 200), st.integers(1, 60))
def test_pictures_never_exceed_the_terminal(count: int, width: int, columns: int, rows: int) -> None:
    lines = shown(picture([chip(count, width)], HALF_WAY, columns, rows))
    assert 1 <= len(lines) <= rows and all(len(line) <= columns for line in lines)


@pytest.mark.parametrize(
    ("value", "text"),
    [(0, "0"), (7, "7"), (3.25, "3.25"), (12.34, "12.3"), (999.4, "999"), (999.6, "1.00 k"), (2.5e6, "2.50 M")],
)
def test_short_numbers(value: float, text: str) -> None:
    assert short(value) == text
