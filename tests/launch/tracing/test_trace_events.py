"""Rings of events: the newest ones are read in order, whatever was written before; an end may come later."""

from mmap import mmap

from hypothesis import given
from hypothesis import strategies as st

from launch.tracing.events import NONE, OPEN, EventKind, EventRings

CORES = [2, 5, 7]


@given(most=st.integers(1, 6), written=st.lists(st.sampled_from(CORES), max_size=40), closed=st.booleans())
def test_the_newest_events_are_kept_in_order(most: int, written: list[int], closed: bool) -> None:
    memory = mmap(-1, EventRings.size(len(CORES), most))
    rings = {core: EventRings(memory, CORES, most).ring(core) for core in CORES}
    expected: dict[int, list[tuple]] = {core: [] for core in CORES}
    for number, core in enumerate(written, 1):
        rings[core].add(EventKind.SEND, number, 10 * number, OPEN, 3, core, 64, number)
        end = 10 * number + 5 if closed else OPEN
        if closed:
            rings[core].close(end)
        expected[core].append((EventKind.SEND, number, 10 * number, end, 3, core, 64, number))
    events = EventRings(memory, CORES, most)
    for core in CORES:
        assert events.of(core).tolist() == expected[core][-most:]
        assert events.written(core) == len(expected[core])
        assert events.dropped(core) == max(0, len(expected[core]) - most)
        fewer = events.newest(2)
        assert fewer.most == min(2, most) and fewer.of(core).tolist() == expected[core][-fewer.most :]
        assert fewer.dropped(core) == max(0, len(expected[core]) - fewer.most)


def test_what_is_read_does_not_change_any_more() -> None:
    memory = mmap(-1, EventRings.size(1, 2))
    events = EventRings(memory, [0], 2)
    ring = events.ring(0)
    ring.add(EventKind.COMPUTE, 0, 1, 2, 3, 4)
    before = events.of(0)
    ring.add(EventKind.WAIT, 0, 5, 6, 7)
    ring.close(9)
    assert before.tolist() == [(EventKind.COMPUTE, 0, 1, 2, 3, 4, 0, NONE)]
    assert events.of(0)[1].tolist() == (EventKind.WAIT, 0, 5, 9, 7, NONE, 0, NONE)


def test_an_event_that_is_half_written_is_none() -> None:
    """A process may be killed while it writes over the oldest event, and before it counts that one."""
    memory = mmap(-1, EventRings.size(1, 2))
    events = EventRings(memory, [0], 2)
    ring = events.ring(0)
    for number in range(3):
        ring.add(EventKind.COMPUTE, number, 0, 0, 0)
    kept = events.of(0).tolist()
    ring.add(EventKind.COMPUTE, 3, 0, 0, 0)
    memory[:8] = (3).to_bytes(8, "little")  # the count comes last
    assert events.of(0).tolist() == kept == [(0, 1, 0, 0, 0, NONE, 0, NONE), (0, 2, 0, 0, 0, NONE, 0, NONE)]
