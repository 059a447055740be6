"""Row tiles one after another: the same bits as all at once, in fewer crossbars at a time."""

import numpy as np
import pytest
from draws import examples
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from in_process import assert_close, compile_in_memory, golden, random_sample, run_in_process
from integer_nets import golden as exact
from integer_nets import integer_nets
from onnx_nets import Net, conv_nets

from compiler.clock import Clock
from compiler.compiling import lower
from compiler.kernels.apply_filters import ApplyFiltersOp
from compiler.passes import PIPELINE
from compiler.request import make_request
from compiler.session.context import make_context
from emu.arch import Arch, Core, Crossbar
from emu.arch.read import load_arch
from emu.check.check import check_programs
from emu.errors import EmuError
from emu.noc.ports.port import FlowControl
from emu.timing.power.peak import peak_power
from emu.timing.prepare import prepare

relaxed = settings(suppress_health_check=list(HealthCheck), max_examples=examples(6, 40))
HOW = st.tuples(st.sampled_from([7, 1024]), st.sampled_from(["dense", "kernel"]), st.sampled_from(["frugal", "pack"]))
GRANULARITIES = st.sampled_from(["image", "image", "rows:1", "rows:3"])


def chip(size=8, mode="xbm"):
    core = Core(crossbars=4096, local_memory=64 << 20)
    return Arch(name="chip", cores=1024, core=core, crossbar=Crossbar(size, size), mode=mode)


def proved(compiled):
    """Whether every property of the programs is proved."""
    parts = compiled.inputs, compiled.outputs, compiled.global_size
    report = check_programs(compiled.programs, compiled.arch, *parts)
    return not report.refuted and not report.unproved


def with_passes(*names, place="lower-spat-to-pim"):
    """The default passes with others in front of one of them."""
    return ",".join(step for name in PIPELINE for step in ([*names, name] if name == place else [name]))


def both(model, arch, *mapping, **options):
    """A network without and with the pass."""
    plain = compile_in_memory(model, arch, *mapping, pipeline=with_passes(), **options)
    return plain, compile_in_memory(model, arch, *mapping, pipeline=with_passes("stagger"), **options)


@relaxed
@given(conv_nets(), st.integers(2, 40), HOW, GRANULARITIES)
def test_random_networks_have_the_same_bits(model, size, mapping, granularity):
    plain, staggered = both(model, chip(size), *mapping, granularity)
    sample = random_sample(plain.inputs)
    (wanted,), (found,) = (run_in_process(compiled, [sample]) for compiled in (plain, staggered))
    assert_close(found, golden(model, sample))
    for name, value in wanted.items():
        assert found[name].tobytes() == value.tobytes()
    for core, program in staggered.programs.items():
        crossbars = [sum(group.crossbars for group in each.groups) for each in (plain.programs[core], program)]
        assert crossbars[0] == crossbars[1]


@relaxed
@given(integer_nets(), st.integers(2, 9), HOW, GRANULARITIES)
def test_random_networks_of_integers(model, size, mapping, granularity):
    _, staggered = both(model, chip(size), *mapping, granularity)
    assert proved(staggered)
    rng = np.random.default_rng(3)
    sample = {spec.name: rng.integers(-128, 128, spec.shape).astype(np.int8) for spec in staggered.inputs}
    (found,) = run_in_process(staggered, [sample])
    for name, value in exact(model, sample).items():
        np.testing.assert_array_equal(found[name], value)


def convolution():
    """72 rows: 9 row tiles on crossbars of 8."""
    net = Net([1, 8, 7, 7])
    return net.model(net.conv("x", 8, 6, (3, 3)))


def names(program):
    """The instructions of `main`, by name."""
    return [program.main.instr(index).spec.name for index in range(len(program.main))]


def test_each_product_follows_its_slice():
    """Copies of a slice, its product, copies of the next one: each product on one crossbar."""
    plain, staggered = both(convolution(), chip(), 1)
    (before,), (after,) = (list(compiled.programs.values()) for compiled in (plain, staggered))
    assert [group.row_tiles for group in before.groups] == [(8,) * 9]
    assert [group.row_tiles for group in after.groups] == [(8,)] * 9
    multiplied = [name for name in names(after) if name in ("lmv", "mvmul")]
    assert multiplied.count("mvmul") == 9 and names(before).count("mvmul") == 1
    assert "lmv" not in multiplied  # a slice is a channel tile of one pixel here: it is read where it stands
    _, wider = both(
        convolution(), chip(16), 1
    )  # the second of 5 slices is the end of a row of the window, and the next
    order = [name for name in names(next(iter(wider.programs.values()))) if name in ("lmv", "mvmul")]
    assert order == ["mvmul", "lmv", "lmv", "mvmul", "mvmul", "mvmul", "mvmul"]
    assert proved(staggered)


def test_fewer_crossbars_work_at_a_time():
    arch = load_arch("isaac")
    net = Net([1, 64, 8, 8])
    model = net.model(net.conv("x", 64, 8, (3, 3)))
    plain, staggered = both(model, arch, 1)
    first, second = (peak_power(prepare(each.programs, arch, FlowControl()), arch) for each in (plain, staggered))
    assert first.crossbars.chip == 5 * second.crossbars.chip
    assert first.power.chip > second.power.chip  # of which memory has the larger part now
    assert first.components["adc"] == 5 * second.components["adc"]


def test_slices_that_are_given_stay():
    def slices(pipeline):
        compiled = compile_in_memory(convolution(), chip(), 1, pipeline=with_passes(*pipeline))
        return [
            (len(op.properties["tiles"]), tuple(op.properties["slices"].get_values()))
            for core in compiled.module.ops
            for op in core.walk()
            if isinstance(op, ApplyFiltersOp)
        ]

    assert slices(["stagger", "stagger"]) == [(9, (1,) * 9)]


def test_with_pixels_one_by_one():
    """Kernels that share their crossbars have the same slices."""
    pixels = with_passes("unroll-pixels", place="place").replace("lower-spat-to-pim", "stagger,lower-spat-to-pim")
    compiled = compile_in_memory(convolution(), chip(12), 1, pipeline=pixels.replace("join-messages,", ""))
    sample = random_sample(compiled.inputs)
    (found,) = run_in_process(compiled, [sample])
    assert_close(found, golden(convolution(), sample))


def test_whole_cores_are_refused():
    sentence = 'the pass stagger controls single crossbars, but chip.mode is "cm", in which a core works as a whole'
    with pytest.raises(EmuError, match=sentence):
        both(convolution(), chip(8, "cm"))


def test_it_needs_computes():
    with pytest.raises(EmuError, match="is not cut: run the pass cut-layers before"):
        compile_in_memory(convolution(), chip(), pipeline=with_passes("stagger", place="cut-layers"))


def test_options_name_the_passes_of_a_schedule():
    arch = chip(8, "wlm")
    request = make_request(convolution(), arch, cores=8, stagger=True, remap_rows=True)
    context, clock = make_context(arch, request.options), Clock()
    lower(request, context, clock)
    ran = list(clock.seconds)
    assert ran[ran.index("stagger") : ran.index("stagger") + 3] == ["stagger", "remap-rows", "lower-spat-to-pim"]
    assert (context.settings["stagger"], context.settings["remap_rows"]) == ("yes", "yes")
    with pytest.raises(EmuError, match="name remap-rows there, before lower-spat-to-pim"):
        lower(make_request(convolution(), arch, cores=8, remap_rows=True, pipeline="place"), context)
