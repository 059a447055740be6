"""Global memory with read-only tensors does what a plain array of bytes would; all samples share their bytes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from emu.noc.memory.global_memory import GlobalMemory, SampleMemories
from emu.noc.memory.read_only import NOTHING, ReadOnlyMemory
from emu.noc.ports.port import PortFault

SIZE = 64


def tensor(name, address, size):
    return name, address, memoryview(bytes(100 + (address + k) % 100 for k in range(size)))


@st.composite
def tensors(draw):
    """Up to four, some of them empty, some side by side, in any order."""
    placed, edge = [], 0
    for index in range(draw(st.integers(0, 4))):
        begin = draw(st.integers(edge, min(edge + 12, SIZE)))
        edge = draw(st.integers(begin, min(begin + 16, SIZE)))
        placed.append(tensor(f"t{index}", begin, edge - begin))
    return draw(st.permutations(placed))


ACCESSES = st.lists(st.tuples(st.booleans(), st.integers(0, SIZE), st.integers(0, 24)), max_size=12)


@given(tensors(), ACCESSES)
def test_accesses_are_those_of_a_plain_array(placed, accesses):
    owner = {name: range(address, address + len(content)) for name, address, content in placed}
    plain = [None] * SIZE  # what stands at each address; None: nothing was written
    for _, address, content in placed:
        plain[address : address + len(content)] = content
    memory = GlobalMemory(SIZE, ReadOnlyMemory(placed))
    for number, (writes, address, size) in enumerate(accesses):
        size = min(size, SIZE - address)
        meets = [(at, name) for at in range(address, address + size) for name in owner if at in owner[name]]
        gaps = [at for at in range(address, address + size) if plain[at] is None]
        if writes and meets:
            at, name = meets[0]
            with pytest.raises(PortFault, match=f"overwrites read-only tensor '{name}', which ends at") as fault:
                memory.write(address, bytes(size))
            assert (fault.value.value, fault.value.limit) == (at, owner[name].stop)
        elif writes:
            memory.write(address, bytes([number] * size))
            plain[address : address + size] = [number] * size
        elif gaps:
            with pytest.raises(PortFault, match="never written") as fault:
                memory.view(address, size)
            assert fault.value.value == gaps[0]
        else:
            into = bytearray(size)
            memory.read_into(address, memoryview(into))
            assert list(into) == plain[address : address + size] == list(memory.view(address, size))


@given(tensors(), st.integers(0, SIZE), st.integers(0, SIZE))
def test_what_is_outside_belongs_to_a_sample(placed, begin, end):
    read_only = ReadOnlyMemory(placed)
    taken = {at for _, address, content in placed for at in range(address, address + len(content))}
    outside = [at for first, last in read_only.outside(begin, end) for at in range(first, last)]
    assert outside == [at for at in range(begin, end) if at not in taken]
    assert all(first < last for first, last in read_only.outside(begin, end))
    inside = [at for shared in read_only.within(begin, end) for at in range(shared.address, shared.end)]
    assert set(inside) & set(range(begin, end)) == taken & set(range(begin, end))


@given(tensors())
def test_a_sample_has_no_memory_behind_its_last_byte(placed):
    taken = {at for _, address, content in placed for at in range(address, address + len(content))}
    own = [at for at in range(SIZE) if at not in taken]
    assert ReadOnlyMemory(placed).sample_size(SIZE) == max(own, default=-1) + 1


def test_samples_share_one_copy():
    content = memoryview(bytearray(b"weights of all")).toreadonly()
    memories = SampleMemories(1 << 20, ReadOnlyMemory([("w", 1 << 10, content)]))
    for sample in range(100):
        memories.open(sample).write(0, bytes([sample]))
    for sample in (99, 0, 50):
        view = memories.of(sample).view((1 << 10) + 3, 4)
        assert view.obj is content.obj and view.readonly and bytes(view) == b"ghts"
        assert bytes(memories.of(sample).view(0, 1)) == bytes([sample])


def test_terabytes_behind_the_samples_take_no_address_space():
    class Vast:
        """Stands for a mapping that this machine has no room for."""

        def __len__(self):
            return (1 << 47) - 64

    memory = GlobalMemory(1 << 47, ReadOnlyMemory([("w", 64, Vast())]))
    memory.write(60, b"abcd")
    with pytest.raises(PortFault, match="overwrites"):
        memory.write(60, b"abcde")
    assert memory.own == 64


def test_without_tensors_nothing_is_read_only():
    assert NOTHING.within(0, 1 << 40) == [] and list(NOTHING.outside(3, 5)) == [(3, 5)]
    assert NOTHING.sample_size(7) == 7


def test_tensors_are_no_part_of_outputs():
    memory = GlobalMemory(SIZE, ReadOnlyMemory([tensor("w", 8, 8)]))
    memory.write(0, b"ab")
    assert memory.unwritten([(0, 4), (16, 2)]) == [(2, 2), (16, 2)]
    assert memory.collect([(0, 4), (16, 2)]) == [b"ab\0\0", b"\0\0"]
