"""Word lines driven at a time, bindings of weights and the chip's own lanes: what they do to time, in every model."""

from dataclasses import replace
from math import ceil

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from product_sets import products

from emu.arch.read import load_arch
from emu.isa.address import Address
from emu.isa.dtypes import DType
from emu.noc.ports.port import FlowControl
from emu.program.builder import SectionBuilder
from emu.program.program import Program
from emu.timing.chip.product import product_ns
from emu.timing.executor.step import step
from emu.timing.fast.fast import fast
from emu.timing.prepare import prepare

NS = 1000
CHIPS = ("isaac", "puma", "pimsim-latency", "cim-mlc-isaac", "cim-mlc-puma")
WHOLE = {
    name: replace(arch, crossbar=replace(arch.crossbar, parallel_rows=None))
    for name in CHIPS
    for arch in [load_arch(name)]
}


def driving(name, rows):
    """A chip that drives so many word lines at a time."""
    return replace(WHOLE[name], crossbar=replace(WHOLE[name].crossbar, parallel_rows=rows))


def setup_of(arch, count=3, rows=128, cols=16, tiles=1):
    return prepare({0: products(count, rows, cols, DType.i8, tiles)}, arch, FlowControl())


def costs_of(arch, **sizes):
    return setup_of(arch, **sizes).cores[0].sections["main"].costs


@pytest.mark.parametrize("chip", CHIPS)
def test_all_rows_at_a_time_change_nothing(chip):
    plain, all_rows = costs_of(WHOLE[chip], tiles=2), costs_of(driving(chip, 128), tiles=2)
    for part in ("compute", "interval", "read", "write"):
        np.testing.assert_array_equal(getattr(plain, part), getattr(all_rows, part))
    assert {key: value.tolist() for key, value in plain.counts.items()} == {
        key: value.tolist() for key, value in all_rows.counts.items()
    }
    assert product_ns(WHOLE[chip], 8) == product_ns(driving(chip, 128), 8)


@given(st.sampled_from(CHIPS), st.integers(1, 128), st.integers(1, 128), st.integers(1, 128))
def test_fewer_rows_at_a_time_never_take_less(chip, one, other, rows):
    fewer, more = sorted((one, other))
    slow, quick = (costs_of(driving(chip, each), rows=rows) for each in (fewer, more))
    assert (slow.compute >= quick.compute).all()
    assert (slow.counts["crossbar", "read"] >= quick.counts["crossbar", "read"]).all()
    assert (
        step(setup_of(driving(chip, fewer), rows=rows)).latency
        >= step(setup_of(driving(chip, more), rows=rows)).latency
    )
    assert product_ns(driving(chip, fewer), 8) >= product_ns(driving(chip, more), 8)


@given(st.sampled_from(CHIPS), st.integers(1, 128), st.integers(1, 128), st.integers(1, 3))
def test_steps_are_slices_times_groups_of_rows(chip, parallel, rows, tiles):
    plain, fewer = (costs_of(arch, rows=rows, tiles=tiles) for arch in (WHOLE[chip], driving(chip, parallel)))
    times = ceil(rows / parallel)
    np.testing.assert_array_equal(fewer.counts["crossbar", "read"], times * plain.counts["crossbar", "read"])
    np.testing.assert_array_equal(fewer.counts["adc", "convert"], times * plain.counts["adc", "convert"])
    np.testing.assert_array_equal(fewer.counts["dac", "convert"], plain.counts["dac", "convert"])


@given(st.sampled_from(CHIPS), st.integers(1, 128), st.integers(1, 5), st.booleans())
def test_both_executors_agree_on_chips_with_the_new_keys(chip, parallel, samples, columns):
    arch = driving(chip, parallel)
    binding = "columns" if columns else "crossbars"
    vector = replace(arch.timing.vector, chip_lanes=7)
    arch = replace(
        arch,
        crossbar=replace(arch.crossbar, weight_binding=binding),
        timing=replace(arch.timing, vector=vector),
    )
    setup = setup_of(arch)
    slow, quick = step(setup, samples), fast(setup, samples)
    np.testing.assert_array_equal(slow.main.ends, quick.main.ends)
    np.testing.assert_array_equal(slow.main.blocked, quick.main.blocked)


def test_cim_mlc_counts_a_cycle_per_slice_and_group_of_rows():
    """Its latency of a layer: pixels x input bits x ceil(rows / parallel rows)."""
    costs = costs_of(load_arch("cim-mlc-isaac"), rows=100, cols=32)
    assert costs.compute.tolist() == [8 * 13 * NS] * 3
    assert costs.interval.tolist() == [(8 * 13 - 1) * NS] * 3  # a cycle of reading hides behind the product before
    assert step(setup_of(load_arch("cim-mlc-isaac"), count=10, cols=32)).latency == (1 + 10 * 128 + 1) * NS


def test_columns_of_one_crossbar_share_its_converters():
    """32 weights of 4 cells: 128 bit lines of one crossbar, or 32 of each of four."""
    arch = load_arch("isaac")
    side = replace(arch, crossbar=replace(arch.crossbar, weight_binding="columns"))
    apart, beside = (costs_of(each, cols=32).counts for each in (arch, side))
    assert apart["crossbar", "read"][0] == 4 * beside["crossbar", "read"][0] == 4 * 8
    assert apart["adc", "convert"][0] == beside["adc", "convert"][0] == 32 * 4 * 8
    assert apart["dac", "convert"][0] == 4 * beside["dac", "convert"][0]
    slow = replace(side, timing=replace(side.timing, adc=replace(side.timing.adc, convert_ns=2.0)))
    assert costs_of(slow, cols=32).counts["mvmu", "busy_ps"][0] == 8 * 256 * NS // 8


def adding(elements):
    build = SectionBuilder()
    build.emit("vvadd", (DType.i8,), (Address(0), Address(4096), Address(8192)), n=elements)
    return build.finish()


@pytest.mark.parametrize(("together", "cores", "passes"), [(None, 2, 9), (8, 2, 9), (4, 2, 18), (1, 2, 72), (7, 3, 16)])
def test_cores_share_the_lanes_of_the_chip_evenly(together, cores, passes):
    """36 elements, 4 lanes in each core: 9 passes, or as many as the share of a core takes."""
    arch = load_arch("puma")
    arch = replace(arch, timing=replace(arch.timing, vector=replace(arch.timing.vector, chip_lanes=together)))
    programs = {core: Program(core, main=adding(36)) for core in range(cores)}
    costs = prepare(programs, arch, FlowControl()).cores[0].sections["main"].costs
    assert costs.compute[0] == passes * NS
    assert costs.counts["vector", "pass"][0] == 9  # what it costs in energy is what its lanes do
