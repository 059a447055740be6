"""Global memory refuses what is out of range or undefined, and says which outputs are missing."""

import pytest

from emu.noc.memory.global_memory import GlobalMemory, SampleMemories
from emu.noc.ports.port import PortFault


def test_reads_back_what_was_written():
    memory = GlobalMemory(1000)
    memory.write(10, b"abcdef")
    into = bytearray(4)
    memory.read_into(12, memoryview(into))
    assert into == b"cdef"


def test_undefined_bytes_are_refused_at_the_first_one():
    memory = GlobalMemory(100)
    memory.write(0, bytes(10))
    memory.write(12, bytes(10))
    with pytest.raises(PortFault, match="never written") as fault:
        memory.view(5, 10)
    assert fault.value.value == 10


@pytest.mark.parametrize(("address", "size"), [(-1, 4), (97, 4), (100, 1), (1 << 40, 1)])
def test_addresses_outside_are_refused(address, size):
    memory = GlobalMemory(100)
    with pytest.raises(PortFault, match="out of range") as fault:
        memory.write(address, bytes(size))
    assert fault.value.limit == 100
    with pytest.raises(PortFault, match="out of range"):
        memory.view(address, size)


def test_unwritten_ranges_are_listed():
    memory = GlobalMemory(100)
    memory.write(20, bytes(10))
    assert memory.unwritten([(20, 10)]) == []
    assert memory.unwritten([(0, 5), (18, 14)]) == [(0, 5), (18, 2), (30, 2)]
    assert memory.collect([(20, 2), (0, 3)]) == [bytes(2), bytes(3)]


def test_four_gigabytes_cost_nothing_until_touched():
    memory = GlobalMemory(1 << 32)
    memory.write((1 << 32) - 2, b"ab")
    assert bytes(memory.view((1 << 32) - 2, 2)) == b"ab"


def test_memory_belongs_to_a_sample():
    memories = SampleMemories(64)
    memories.open(3).write(0, b"x")
    assert bytes(memories.of(3).view(0, 1)) == b"x"
    memories.drop(3)
    for sample in (3, -1):
        with pytest.raises(PortFault, match="no sample"):
            memories.of(sample)


def test_the_next_sample_sees_nothing_of_the_one_before():
    memories = SampleMemories(64)
    memories.open(0).write(0, b"abcd")
    memories.drop(0)
    second = memories.open(1)
    second.write(1, b"x")
    with pytest.raises(PortFault, match="never written"):
        second.view(0, 2)
    assert second.unwritten([(0, 4)]) == [(0, 1), (2, 2)] and second.collect([(0, 4), (2, 4)]) == [b"\0x\0\0", bytes(4)]
