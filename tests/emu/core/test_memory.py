"""Local memory: lazily allocated, with a definedness map that returns to its baseline for every sample."""

import resource
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from emu.core.memory import LocalMemory
from emu.core.pages import lazily_paged

ranges = st.lists(st.tuples(st.integers(0, 40), st.integers(0, 12)).map(lambda r: (r[0], r[0] + r[1])), max_size=5)


@given(ranges, ranges, ranges)
def test_baseline(before, extra, later):
    memory = LocalMemory(64)
    expected = np.zeros(64, np.bool_)
    for low, high in before:
        memory.mark(low, high)
    for low, high in before + extra:
        expected[low:high] = True
    memory.keep_baseline(extra)
    for _ in range(2):
        for low, high in later:
            memory.mark(low, high)
        memory.restore_baseline()
        np.testing.assert_array_equal(memory.defined, expected)
        assert not memory.defined[memory.top :].any()


def test_views_may_be_unaligned_and_strided():
    memory = LocalMemory(64)
    view = memory.view(np.dtype("<i4"), 3, (2, 3), (24, 8))
    view[...] = [[1, 2, 3], [4, 5, 6]]
    assert memory.data[3 + 24 + 16] == 6 and memory.data[3] == 1
    assert memory.view(np.dtype("<i4"), 1 << 40, (2, 0), (0, 0)).shape == (2, 0)


def resident():
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize()


def test_large_memory_begins_as_zeros_and_costs_what_is_touched():
    before, size = resident(), 1 << 28
    memory = LocalMemory(size)
    memory.data[100] = 7
    memory.defined[100] = True
    assert resident() - before < 1 << 20
    memory.data[[5 << 20, size - 1]] = 8
    assert memory.data[:1000].sum() == 7 and memory.data[-1000:].sum() == 8 and len(memory.data) == size
    assert memory.defined[:1000].sum() == 1


def test_too_much_memory_is_refused():
    with pytest.raises(MemoryError):
        lazily_paged(1 << 62)


def test_nothing_is_allocated_before_use():
    memory = LocalMemory(1 << 50)
    memory.keep_baseline(())
    memory.restore_baseline()
    assert "data" not in vars(memory) and "defined" not in vars(memory)


def test_windows_write_through():
    memory = LocalMemory(16)
    memory.window(4, 8)[:] = b"abcd"
    assert memory.data[4:8].tobytes() == b"abcd"
