"""Event registers: what a wait may count on does not depend on how far ahead other cores are."""

from hypothesis import given
from hypothesis import strategies as st

from emu.core.trap import INIT_SAMPLE
from emu.noc.ports.events import EventRegisters


def test_syncs_belong_to_the_sample_of_their_sender():
    registers = EventRegisters(2)
    registers.sync(0, 1)  # its sender is a sample ahead
    assert not registers.wait(0, 1, 0)
    registers.sync(0, 0)
    assert registers.wait(0, 1, 0) and not registers.wait(0, 1, 0)
    registers.end(0)
    registers.sync(0, 0)  # too late: nobody waits any more
    assert registers.wait(0, 1, 1) and not registers.wait(0, 1, 1)


def test_what_init_leaves_is_there_in_every_sample_even_if_it_comes_late():
    registers = EventRegisters(1)
    for _ in range(3):
        registers.sync(0, INIT_SAMPLE)
    assert registers.wait(0, 1, INIT_SAMPLE)
    registers.end(INIT_SAMPLE)
    for sample in range(3):
        assert not registers.wait(0, 3, sample) and registers.wait(0, 2, sample)
        registers.end(sample)
    assert not registers.wait(0, 1 + 2, 3)
    registers.sync(0, INIT_SAMPLE)
    assert registers.wait(0, 3, 3)


def test_registers_that_do_not_exist_are_ignored():
    registers = EventRegisters(2)
    for event in (-1, 2, 1 << 40):
        registers.sync(event, 0)
    assert not any(registers.wait(event, 1, 0) for event in (0, 1))


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 1)), max_size=30), st.randoms())
def test_the_order_in_which_syncs_of_different_samples_arrive_does_not_matter(syncs, random):
    """Model: a count per sample and register."""
    shuffled = random.sample(syncs, len(syncs))
    registers = EventRegisters(2)
    for sample, event in shuffled:
        registers.sync(event, sample)
    for sample in range(4):
        for event in range(2):
            count = syncs.count((sample, event))
            assert registers.wait(event, count, sample) and not registers.wait(event, 1, sample)
        registers.end(sample)
