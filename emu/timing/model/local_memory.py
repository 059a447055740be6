"""What operands take of the local memory: the words of each run of bytes, read and written one after the other."""

from __future__ import annotations

import numpy as np

from emu.timing.model.subject import ModelSubject


def port_times(subject: ModelSubject) -> tuple[np.ndarray, np.ndarray]:
    """Time of a port (ps) for all that each instruction reads, and for all that it writes; counts the words.

    Elements with gaps between them are runs of their own, each of whole words.
    """
    a, width = subject.accesses, subject.whole("timing.local_memory.width_bytes")
    words = a.pieces * -(-subject.run_bytes // width)
    times: list[np.ndarray] = []
    for action, chosen in (("read", a.local & a.read), ("write", a.local & a.write)):
        moved = subject.per_instruction(words, chosen)
        subject.count("local_memory", action, moved)
        times.append(subject.lasting(moved, subject.ps(f"timing.local_memory.{action}_ns")))
    return times[0], times[1]
