"""Calls that further samples leave out: memory is as if they were made, whatever reads and writes what."""

import hashlib

from draws import examples
from hypothesis import event, example, given, settings
from hypothesis import strategies as st

from emu.core.batch.settled import Noted, settled

BYTES = 6  # few, so that calls often meet, and read what others write
RANGES = st.tuples(st.integers(0, BYTES), st.integers(0, BYTES)).map(lambda both: (min(both), max(both)))
CALLS = st.tuples(st.lists(RANGES, max_size=2), st.lists(RANGES, max_size=2), st.sampled_from([True, True, False]))
# Calls of which each writes a byte of its own, in any order, and reads those of others: most of them may be left out.
CELLS = st.permutations(range(BYTES)).flatmap(
    lambda order: st.lists(st.sets(st.integers(0, BYTES - 1), max_size=2), max_size=BYTES).map(
        lambda reads: [
            ([(cell, cell + 1) for cell in sorted(cells)], [(own, own + 1)], True)
            for own, cells in zip(order, reads, strict=False)
        ]
    )
)
SAMPLES = 4


def content(*of):
    return hashlib.sha256(repr(of).encode()).digest()


def states(items, left_out):
    """Memory after each thing of each sample: a receive is a range, a call what it reads and writes and is pure."""
    memory, seen = bytearray(BYTES), []
    for sample in range(SAMPLES):
        for k, item in enumerate(items):
            if len(item) == 2:
                writes, made = [item], content(k, sample)
            else:
                reads, writes, pure = item
                made = content(k, [bytes(memory[low:high]) for low, high in reads], None if pure else sample)
            if sample == 0 or k not in left_out:
                for low, high in writes:
                    memory[low:high] = made[: high - low]
            seen.append(bytes(memory))
    return seen


@given(st.lists(RANGES | CALLS, max_size=8) | CELLS)
@example([(0, 2), ([(0, 2)], [(2, 4)], True)])  # every call is pure, and reads what is received
@example([([(0, 2)], [(2, 4)], True), (0, 2)])
@example([([], [(2, 4)], True), ([(2, 4)], [(4, 6)], True)])
@example([([(2, 4)], [(0, 2)], True), ([(4, 6)], [(2, 4)], True)])  # what moves on by a place in every sample
@settings(max_examples=examples(300, 5000), deadline=None)
def test_memory_is_as_if_all_calls_were_made(items):
    calls = {k: (lambda: None) for k, item in enumerate(items) if len(item) == 3}
    noted = [Noted([call], items[k][0], items[k][1], items[k][2]) for k, call in calls.items()]
    done = settled(noted, [item for item in items if len(item) == 2])
    left_out = {k for k, call in calls.items() if id(call) in done}
    event(f"{len(left_out)} left out")
    assert states(items, left_out) == states(items, ())
