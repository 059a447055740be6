"""Rows spread over free crossbars: any network = golden, no core holds more than it can, products take fewer steps."""

from dataclasses import replace

import numpy as np
import pytest
from draws import examples
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from in_process import assert_close, compile_in_memory, golden, random_sample, run_in_process
from integer_nets import golden as exact
from integer_nets import integer_nets
from onnx_nets import Net, conv_nets
from recurrent_nets import recurrent_nets

from compiler.passes import PIPELINE
from emu.arch import Arch, Core, Crossbar
from emu.arch.read import load_arch
from emu.check.check import check_programs
from emu.errors import EmuError
from emu.noc.ports.port import FlowControl
from emu.program.group import physical_crossbars
from emu.timing.fast.fast import fast
from emu.timing.prepare import prepare

relaxed = settings(suppress_health_check=list(HealthCheck), max_examples=examples(6, 40))


def chip(size, driven, crossbars, mode="wlm"):
    core = Core(crossbars=crossbars, local_memory=64 << 20)
    return Arch(name="chip", cores=1024, core=core, crossbar=Crossbar(size, size, parallel_rows=driven), mode=mode)


def proved(compiled):
    """Whether every property of the programs is proved."""
    parts = compiled.inputs, compiled.outputs, compiled.global_size
    report = check_programs(compiled.programs, compiled.arch, *parts)
    return not report.refuted and not report.unproved


def with_passes(*names):
    """The default passes with those of a schedule."""
    return ",".join(step for name in PIPELINE for step in ([*names, name] if name == "lower-spat-to-pim" else [name]))


def both(model, arch, *mapping, extra=(), **options):
    """A network without and with spread rows."""
    plain = compile_in_memory(model, arch, *mapping, pipeline=with_passes(*extra), **options)
    return plain, compile_in_memory(model, arch, *mapping, pipeline=with_passes(*extra, "remap-rows"), **options)


def steps(compiled):
    """Per core, the word lines of the tallest row tile of each group."""
    return {core: [max(group.row_tiles) for group in program.groups] for core, program in compiled.programs.items()}


def check_spread(plain, spread):
    """As many groups, none of them taller, on crossbars that are there."""
    before, after = steps(plain), steps(spread)
    for core, program in spread.programs.items():
        assert physical_crossbars(program.groups, spread.arch) <= spread.arch.core.crossbars
        assert all(now <= then for now, then in zip(after[core], before[core], strict=True))
        groups = zip(plain.programs[core].groups, program.groups, strict=True)
        assert all((old.rows, old.cols) == (new.rows, new.cols) for old, new in groups)
        assert len(program.main) == len(plain.programs[core].main)


HOW = st.tuples(st.sampled_from([7, 1024]), st.sampled_from(["dense", "kernel"]), st.sampled_from(["frugal", "pack"]))
MORE = st.sampled_from([(), ("stagger",), ("stagger", "pipeline{parts=3}")])


@relaxed
@given(integer_nets(), st.integers(2, 9), st.integers(1, 9), st.integers(900, 4000), HOW, MORE)
def test_random_networks_of_integers(model, size, driven, crossbars, mapping, extra):
    plain, spread = both(model, chip(size, driven, crossbars), *mapping, extra=extra)
    assert proved(spread)
    check_spread(plain, spread)
    rng = np.random.default_rng(5)
    sample = {spec.name: rng.integers(-128, 128, spec.shape).astype(np.int8) for spec in spread.inputs}
    (found,) = run_in_process(spread, [sample])
    for name, value in exact(model, sample).items():
        np.testing.assert_array_equal(found[name], value)


@relaxed
@given(conv_nets(), st.integers(3, 40), st.integers(1, 9), HOW, MORE)
def test_random_networks(model, size, driven, mapping, extra):
    plain, spread = both(model, chip(size, driven, 4096), *mapping, extra=extra)
    check_spread(plain, spread)
    sample = random_sample(spread.inputs)
    (found,) = run_in_process(spread, [sample])
    assert_close(found, golden(model, sample))


@relaxed
@given(recurrent_nets(), st.integers(1, 3))
def test_recurrent_layers(net, driven):
    model = net.model(0)
    plain, spread = both(model, chip(4, driven, 4096))
    check_spread(plain, spread)
    sample = net.sample(3)
    (found,) = run_in_process(spread, [sample])
    assert_close(found, net.golden(sample))


def depthwise():
    """A convolution, and one of groups, whose blocks fill a crossbar."""
    net = Net([1, 4, 9, 9])
    y = net.add("Relu", net.conv("x", 4, 12, (3, 3)))
    return net.model(net.conv(y, 12, 12, (3, 3), group=12))


def test_blocks_of_groups_are_spread_too():
    plain, spread = both(depthwise(), chip(36, 6, 64))
    check_spread(plain, spread)
    assert {height for heights in steps(plain).values() for height in heights} == {36}
    assert {height for heights in steps(spread).values() for height in heights} == {6}
    sample = random_sample(spread.inputs)
    (found,) = run_in_process(spread, [sample])
    assert_close(found, golden(depthwise(), sample))


def test_few_free_crossbars_go_where_they_save_most():
    """Two layers on one core: the one with more pixels gets what is left."""
    net = Net([1, 4, 12, 12])
    y = net.conv("x", 4, 8, (3, 3))
    model = net.model(net.conv(y, 8, 4, (2, 2), strides=[2, 2]))
    _, spread = both(model, chip(36, 12, 4), 1)
    assert list(steps(spread).values()) == [[12, 32]]


def test_all_rows_at_a_time_leave_nothing_to_do():
    plain, spread = both(depthwise(), chip(36, None, 64))
    assert plain.programs == spread.programs


def timed(compiled, arch):
    return fast(prepare(compiled.programs, arch, FlowControl())).latency


def test_products_take_as_many_steps_as_the_tallest_row_tile():
    """72 rows of which 8 are driven at a time: 9 steps, or 1 on 9 crossbars."""
    arch = replace(load_arch("cim-mlc-isaac"), cores=4)
    net = Net([1, 8, 10, 10])
    model = net.model(net.conv("x", 8, 8, (3, 3)))
    plain, spread = both(model, arch, 1)
    heights = list(steps(plain).values()), list(steps(spread).values())
    assert heights == ([[72]], [[8]])
    products = [
        prepare(each.programs, arch, FlowControl()).cores[0].sections["main"].costs.compute for each in (plain, spread)
    ]
    assert products[0].max() == 9 * products[1].max()
    assert timed(spread, arch) < timed(plain, arch)
    assert proved(spread)


@pytest.mark.parametrize(("mode", "word"), [("xbm", "a crossbar works as a whole"), ("cm", "a core works as a whole")])
def test_other_modes_are_refused(mode, word):
    with pytest.raises(EmuError, match=f'the pass remap-rows controls single rows, but chip.mode is "{mode}".*{word}'):
        both(depthwise(), chip(36, 6, 64, mode))


def test_it_needs_cores():
    text = with_passes("remap-rows").replace("place,remap-rows", "remap-rows")
    with pytest.raises(EmuError, match="has no core: run the pass place before"):
        compile_in_memory(depthwise(), chip(36, 6, 64), pipeline=text)
