"""How many cores hosts take: in the ratio of processors, and never more than their memory holds if there is a way."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from images import byte_tensor, write_image
from stepper import program

from emu.errors import InputError
from emu.image.reader import open_image
from launch.chips.programs import LazyPrograms
from launch.machines.capacities import COPIES, OWN, HostCapacity, check_memory, needs_of, shares_of


def capacities(draw, most):
    hosts = draw(st.lists(st.tuples(st.integers(1, 8), st.integers(0, most)), min_size=1, max_size=5))
    return [HostCapacity(f"h{k}", cpus, memory=memory) for k, (cpus, memory) in enumerate(hosts)]


def fits_in_order(needs, hosts):
    """Whether blocks fit if each host takes all that it can."""
    left = list(needs)
    for host in hosts:
        room = host.memory
        while left and left[0] <= room:
            room -= left.pop(0)
    return not left


@given(st.lists(st.integers(0, 20), max_size=30), st.data())
def test_blocks_fit_wherever_blocks_can(needs, data) -> None:
    hosts = capacities(data.draw, 200)
    shares = shares_of(needs, hosts)
    assert shares.sum() == len(needs) and shares.min() >= 0
    ends = np.cumsum([0, *needs])[np.concatenate(([0], np.cumsum(shares)))]
    if fits_in_order(needs, hosts):
        assert all(np.diff(ends) <= [host.memory for host in hosts])
    ratio = [len(needs) * host.cpus / sum(other.cpus for other in hosts) for host in hosts]
    if all(sum(needs) <= host.memory for host in hosts) or not fits_in_order(needs, hosts):
        assert all(abs(shares - ratio) < 1)


def test_a_host_that_says_nothing_of_its_memory_takes_its_share() -> None:
    hosts = [HostCapacity("h0", 1), HostCapacity("h1", 3, memory=2), HostCapacity("h2", 2)]
    assert shares_of([1] * 12, hosts).tolist() == [3, 2, 7]


def test_what_a_core_needs(tmp_path) -> None:
    programs = {0: program(0, ("lldi", 0, 7, 5000)), 2: program(2, ("lldi", 0, 7, 8))}
    image = open_image(write_image(tmp_path / "image", programs, (), (byte_tensor("y", 1, 0),)))
    needs = needs_of(image, LazyPrograms(image), [5])
    sizes = {files.core: (image.path / files.program).stat().st_size for files in image.manifest.cores}
    assert list(needs) == [0, 2, 5]
    assert needs[5] == OWN
    assert [needs[core] - needs[5] - sizes[core] for core in (0, 2)] == [COPIES * 5000, COPIES * 8]


def test_a_host_that_is_limited_more_than_its_machine() -> None:
    """As in a control group of its own: what the other one on that machine may have is not less for it."""
    hosts = [HostCapacity("h0", 2, memory=3, machine="m"), HostCapacity("h1", 2, memory=20, machine="m")]
    assert shares_of([1] * 10, hosts).tolist() == [3, 7]
    check_memory(dict.fromkeys(range(10), 1), {core: core > 2 for core in range(10)}, hosts)
    for first, said in ((4, "^3 B of memory on host h0 are"), (0, "^20 B of memory on host h1 are")):
        with pytest.raises(InputError, match=said):
            check_memory(dict.fromkeys(range(10), 3), {core: core >= first for core in range(10)}, hosts)
    with pytest.raises(InputError, match=r"^20 B of memory on host h0 and h1 are too little for 10 cores \(0-9\)"):
        alike = [replace(host, memory=20) for host in hosts]
        check_memory(dict.fromkeys(range(10), 3), {core: core % 2 for core in range(10)}, alike)
