"""OCC's kernels and graphs of products as texts: exact by every recipe, with the call sites of OCC's oracle."""

from pathlib import Path

import numpy as np
import pytest
from draws import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from random_texts import texts

from compiler.offload.context import OffloadContext
from compiler.offload.kernels import GRAPHS, KERNELS
from compiler.offload.pipeline import RECIPES
from compiler.offload.program import HostProgram
from compiler.offload.work import offloaded_share
from emu.arch import Arch, Core, Crossbar
from emu.arch.derived import derived
from emu.arch.read import load_arch
from launch.devices.device import device
from launch.offload.comparing import compare
from launch.offload.counting import count
from launch.offload.crossbars import DeviceCrossbars
from launch.papers.schedules.case import OFFLOADS

SMALL = Arch(name="small", cores=4, core=Core(crossbars=4096), crossbar=Crossbar(8, 8))
LARGE = Arch(name="large", cores=4, core=Core(crossbars=4096), crossbar=Crossbar(64, 64))
TINY = {"conv3d": 4, "abcd-aebf-dfce": 3, "kronecker3": 10, "wavenet": 24, "conv2d": 7}  # others: 11


def read(name, size, kind="i8"):
    return HostProgram.read(Path(name), {**KERNELS, **GRAPHS}[name].text(size, kind).encode(), OffloadContext(SMALL, 2))


def check(name, program, recipe, arch):
    lowered = program.lowered(RECIPES[recipe], OffloadContext(arch, 4), "cim")
    assert lowered.sites == lowered.candidates == {**KERNELS, **GRAPHS}[name].sites
    rng = np.random.default_rng(2)
    arrays = [rng.integers(-100, 100, each.shape).astype(each.dtype) for each in program.inputs]
    with device(arch, 4, backend="sequential", record=False) as chip:
        made = lowered.run(arrays, DeviceCrossbars(chip))
        assert chip.counters.products >= lowered.sites
    for one, other in zip(made, program.run(arrays), strict=True):
        found = compare("output", np.asarray(one), other)
        assert found.right, found.line()


@pytest.mark.few(24)
@pytest.mark.parametrize("recipe", RECIPES)
@pytest.mark.parametrize("name", KERNELS)
def test_small(name, recipe):
    check(name, read(name, TINY.get(name, 11)), recipe, SMALL)


@pytest.mark.parametrize("name", ["mlp3", "conv1d", "lstm", "wavenet"])
def test_floats(name):
    check(name, read(name, TINY.get(name, 11), "f32"), "occ", SMALL)


@pytest.mark.full
@pytest.mark.parametrize("recipe", RECIPES)
@pytest.mark.parametrize("name", KERNELS)
def test_in_the_sizes_of_occ(name, recipe):
    check(name, read(name, KERNELS[name].executed), recipe, LARGE)


@pytest.mark.few(20)
@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.parametrize("schedule", ["tile", "interchange", "parallel", "both"])
def test_what_is_counted_is_what_is_called(name, schedule):
    arch = derived(load_arch("occ"), {"crossbar.rows": 8, "crossbar.cols": 8})
    program = read(name, TINY.get(name, 11))
    context = OffloadContext(arch, 3)
    lowered = program.lowered(OFFLOADS[schedule]["passes"].split(","), context, "cim")
    counted = count(lowered, arch, 3)
    arrays = [np.zeros(each.shape, each.dtype) for each in program.inputs]
    with device(arch, 3, backend="numpy", record=False) as chip:
        lowered.run(arrays, DeviceCrossbars(chip))
        simulation = chip.simulate()
        assert counted.counts == chip.counters
        assert counted.time_ps == simulation.time_ps
        assert counted.lifetime_years == pytest.approx(simulation.lifetime_years)


@pytest.mark.parametrize("recipe", ["occ", "cinnamon"])
@settings(max_examples=examples(10, 200))
@given(made=texts(), cores=st.integers(1, 4))
def test_calls_of_any_program_are_counted(recipe, made, cores):
    text, inputs = made
    context = OffloadContext(SMALL, cores)
    program = HostProgram.read(Path("program.mlir"), text.encode(), context)
    lowered = program.lowered(RECIPES[recipe], context, "cim")
    with device(SMALL, cores, backend="numpy", record=False) as chip:
        lowered.run([inputs[each.name] for each in program.inputs], DeviceCrossbars(chip))
        assert count(lowered, SMALL, cores).counts == chip.counters


@pytest.mark.parametrize(("schedule", "cores"), [("asap", 1), ("alap", 2), ("asap", 4)])
def test_graphs_are_counted(schedule, cores):
    arch = load_arch("occ")
    program = read("10-products", 64)
    lowered = program.lowered(OFFLOADS[schedule]["passes"].split(","), OffloadContext(arch, cores), "cim")
    counted = count(lowered, arch, cores)
    with device(arch, cores, backend="numpy", record=False) as chip:
        lowered.run([np.zeros(each.shape, each.dtype) for each in program.inputs], DeviceCrossbars(chip))
        assert (counted.counts, counted.time_ps) == (chip.counters, chip.simulate().time_ps)
        assert (counted.crossbars, counted.cores) == (cores, cores)


def test_large_kernels_are_counted_without_doing_their_turns():
    arch, context = load_arch("occ"), OffloadContext(load_arch("occ"), 4)
    program = read("abcd-aebf-dfce", 128)
    writes = {}
    for schedule in ("tile", "both"):
        counted = count(program.lowered(OFFLOADS[schedule]["passes"].split(","), context, "cim"), arch, 4)
        assert counted.counts.products == (128 * 128 // 64) ** 3
        writes[schedule] = counted.counts.writes
    assert writes["tile"] == 256 * writes["both"]


def test_use_of_tiles():
    arch, context = load_arch("occ"), OffloadContext(load_arch("occ"), 4)
    found = {}
    for name in ("mm", "conv1d", "conv2d", "conv3d"):
        lowered = read(name, KERNELS[name].executed or KERNELS[name].size).lowered(RECIPES["occ"], context, "cim")
        found[name] = count(lowered, arch, 4).use
    assert found == {"mm": 1, "conv1d": 9 * 3 / 4096, "conv2d": 27 * 3 / 4096, "conv3d": 81 * 3 / 2 / 4096}


def test_share_of_the_arithmetic():
    context = OffloadContext(SMALL, 2)
    shares = {name: offloaded_share(read(name, 16), RECIPES["occ"], context) for name in ("mm", "mlp3", "wavenet")}
    products = 2 * 16**3
    assert shares["mm"] == 1
    assert shares["mlp3"] == products / (products + 16 * 16)  # a maximum each
    # Two channels: filter and gate by four operations each, two cuts each and a product; then both offloaded products.
    sides, gated, points = 2 * 16 * 2 * 2 * 4, 5 * 16 * 2, 16 * (2 + 4) * 2 * 2
    assert shares["wavenet"] == points / (points + sides + gated + 16 * 2)
