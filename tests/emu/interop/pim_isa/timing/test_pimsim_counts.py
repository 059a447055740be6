"""Counts are whole numbers, however large."""

import numpy as np
from pimsim_files import CONFIG, PROGRAM

from emu.interop.pim_isa.timing.counts import whole_sum
from emu.interop.pim_isa.timing.time_program import time_program


def test_sums_beyond_64_bits_are_exact():
    assert whole_sum(np.array([(1 << 62) + 1] * 5)) == 5 * ((1 << 62) + 1)
    assert whole_sum(np.zeros(0, np.int64)) == 0


def test_counts_of_the_example():
    """A load of 128 bytes, a product of 8 bits, a send of 128 bytes; words of 64 bytes, 16 in global memory."""
    counts = time_program(PROGRAM, CONFIG).run.counts[0]
    wanted = {"fetch": 7, "pass": 8, "local_read": 8 * 128 // 64 + 2, "local_write": 2 + 2, "global_read": 8}
    assert wanted.items() <= counts.items() and counts["vector_step"] == counts["global_write"] == 0
    assert time_program(PROGRAM, CONFIG).run.counts[1]["vector_step"] == 128 // 16
