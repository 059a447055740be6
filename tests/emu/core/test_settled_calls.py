"""Calls that further samples leave out: memory is as if they were made, whatever reads and writes what."""

import hashlib

from draws import examples
from hypothesis import event, example, given, settings
from hypothesis import strategies as st

from emu.core.batch.settled import Noted, settled

BYTES = 12
RANGES = st.tuples(st.integers(0, BYTES), st.integers(0, BYTES)).map(lambda both: (min(both), max(both)))
CALLS = st.tuples(st.lists(RANGES, max_size=2), st.lists(RANGES, max_size=2), st.booleans())
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


@given(st.lists(RANGES | CALLS, max_size=8))
@example([(0, 4), ([(0, 4)], [(4, 8)], True)])  # every call is pure, and reads what is received
@example([([(0, 4)], [(4, 8)], True), (0, 4)])
@example([([], [(4, 8)], True), ([(4, 8)], [(8, 12)], True)])
@settings(max_examples=examples(300, 5000), deadline=None)
def test_memory_is_as_if_all_calls_were_made(items):
    calls = {k: (lambda: None) for k, item in enumerate(items) if len(item) == 3}
    noted = [Noted([call], items[k][0], items[k][1], items[k][2]) for k, call in calls.items()]
    done = settled(noted, [item for item in items if len(item) == 2])
    left_out = {k for k, call in calls.items() if id(call) in done}
    event(f"{len(left_out)} left out")
    assert states(items, left_out) == states(items, ())
