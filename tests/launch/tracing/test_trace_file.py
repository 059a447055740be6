"""Every format holds the same: random trees of slices, flows and counters come back as they were written."""

from itertools import count
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from traces import Seen, check_trace, read_trace

from emu.errors import InputError
from launch.tracing.model import Counter, CounterUnit, Slice, Track
from launch.tracing.trace_file import FORMATS, write_trace

NAMES = st.text(max_size=8)


@st.composite
def slices(draw: st.DrawFn, begin: int, end: int, depth: int = 3) -> list[Slice]:
    """Slices in [begin, end], one after the other."""
    cuts = sorted(draw(st.lists(st.integers(begin, end), max_size=6)))
    pairs = list(zip(cuts[::2], cuts[1::2], strict=False))
    notes = st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 1 << 40)), max_size=2, unique_by=lambda n: n[0])
    return [
        Slice(draw(NAMES), a, b, draw(slices(a, b, depth - 1)) if depth else (), notes=tuple(draw(notes)))
        for a, b in pairs
    ]


@st.composite
def parts(draw: st.DrawFn) -> list[Track | Counter]:
    """Tracks and counters, each with a path of its own; messages from each track to the next one."""
    found: list[Track | Counter] = []
    flow = count(1)
    arrow = None
    for number in range(draw(st.integers(0, 4))):
        path = (draw(st.sampled_from(["one", "two"])), f"core {number}", *draw(st.sampled_from([(), ("unit",)])))
        begin = 1000 * number
        before, arrow = (arrow,) if arrow else (), next(flow)
        first = Slice("message", begin, begin + 5, starts=(arrow,), ends=before)
        found.append(Track(path, [first, *draw(slices(begin + 5, begin + 999))]))
        times = sorted(draw(st.lists(st.integers(0, 1 << 45), max_size=4, unique=True)))
        points = [(time, draw(st.integers(0, 1 << 40))) for time in times]
        found.append(Counter((*path, "counter"), draw(st.sampled_from(CounterUnit)), points))
    if arrow:
        found.append(Track(("two", "last"), [Slice("end", 9000, 9000, ends=(arrow,))]))
    return found


def plain(one: Slice) -> tuple:
    return (
        *(one.name, one.begin, one.end, dict(one.notes)),
        *(list(one.starts), list(one.ends), [plain(inner) for inner in one.inner]),
    )


@pytest.mark.parametrize("end", FORMATS)
@given(found=parts())
def test_what_is_written_is_read(tmp_path_factory: pytest.TempPathFactory, end: str, found: list) -> None:
    path = tmp_path_factory.mktemp("traces") / f"some{end}"
    write_trace(path, found)
    read = read_trace(path)
    seen: dict[tuple, list[Seen]] = read.tracks
    for part in found:
        where = part.path[0], " ".join(part.path[1:])
        if isinstance(part, Counter):
            assert read.counters.get(where, []) == part.points
        else:
            assert [one.plain() for one in seen[where]] == [plain(one) for one in part.slices]
    read.counters.clear()  # these may end anywhere
    check_trace(read)


@pytest.mark.parametrize("name", ["run", "run.txt", "run.pftrace.gz", "run.gz", "json", ".json.gz.bz2"])
def test_a_name_that_says_no_format(tmp_path: Path, name: str) -> None:
    with pytest.raises(InputError, match=r"the end of the name says what is written: \.pftrace"):
        write_trace(tmp_path / name, [])
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("end", FORMATS)
def test_a_file_is_written_whole_or_not_at_all(tmp_path: Path, end: str) -> None:
    def failing():
        yield Track(("one", "core 0"), [Slice("a", 0, 1)])
        raise RuntimeError("no more")

    path = tmp_path / f"some{end}"
    with pytest.raises(RuntimeError, match="no more"):
        write_trace(path, failing())
    assert not list(tmp_path.iterdir())
    write_trace(path, [])
    assert not read_trace(path).slices


def test_equal_traces_are_equal_files(tmp_path: Path) -> None:
    for name in ("a.json.gz", "b.json.gz"):
        write_trace(tmp_path / name, [Track(("one", "core 0"), [Slice("a", 0, 1)])])
    assert (tmp_path / "a.json.gz").read_bytes() == (tmp_path / "b.json.gz").read_bytes()
