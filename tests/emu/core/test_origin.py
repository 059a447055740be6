"""`step` and `batch` tell a crossbar the same origins: a crossbar whose noise depends on them gives equal results."""

import sys

import core_noise
import numpy as np
import pytest
from core_nests import ARCH as LARGE
from core_nests import Nest
from core_noise import noisy
from core_programs import ARCH, Drawn, Generator, Seeded, weights
from core_runs import run
from draws import examples
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from emu.core.batch import blueprint, plan, units
from emu.core.crossbars.origin import Loops, Origin, Position
from emu.isa.address import Address, Term
from emu.isa.dtypes import DType
from emu.program.group import GroupSpec

WEIGHTS = weights()
TYPES = (DType.i8, DType.i32)
SPEC = GroupSpec(DType.i8, DType.i8, DType.i32, (3,), (4,))
OUT = 4096


@pytest.fixture(autouse=True)
def kind(monkeypatch):
    monkeypatch.setitem(sys.modules, "emu.core.crossbars.kinds.noisy", core_noise)


def compare(program):
    """Both engines with noise; whether the plans of `batch` did something."""
    step, batch = (run(program, noisy(ARCH), WEIGHTS, engine) for engine in ("step", "batch"))
    assert (batch.trap, batch.requests, batch.states) == (step.trap, step.requests, step.states)
    return batch.statistics.units > 0


def rewriting(choose):
    """A program of nothing but loops that write array groups and multiply with them."""
    generator = Generator(choose, float_products=False)
    generator.section = lambda blocks: _section(generator, blocks)
    return generator.program()


def _section(generator, blocks):
    from emu.program.builder import SectionBuilder

    builder = SectionBuilder()
    for _ in range(blocks):
        generator.rewriting(builder)
    return builder.finish()


@settings(max_examples=examples(20, 100), suppress_health_check=list(HealthCheck))
@given(st.data())
def test_random_loops_on_groups(data):
    compare(rewriting(Drawn(data)))


def test_many_seeded_loops_on_groups():
    assert sum(compare(rewriting(Seeded(seed))) for seed in range(150)) > 75


def test_many_seeded_programs():
    assert sum(compare(Generator(Seeded(seed), float_products=False).program()) for seed in range(100)) > 30


def test_tiny_chunks_and_plans_that_are_cut_every_time(monkeypatch):
    monkeypatch.setattr(units, "TEMPLATES", {})
    monkeypatch.setattr(blueprint, "BUDGET", 40)
    monkeypatch.setattr(plan, "MAX_CALLS", 2)
    assert sum(compare(rewriting(Seeded(seed))) for seed in range(1000, 1080)) > 40


def data():
    rng = np.random.default_rng(1)
    cells = np.zeros((3, SPEC.padded_cols), np.int8)
    cells[:, :4] = rng.integers(-9, 9, (3, 4))
    return {0: rng.integers(-9, 9, 256).astype(np.int8)}, [SPEC], [cells]


@pytest.mark.parametrize("ring", [0, 3])
def test_every_vector_of_a_nest_has_its_own_noise(ring):
    """Rings are cut into rounds and positions: the counters are those of the program all the same."""

    def write(b):
        with b.loop(10), b.loop(2):
            source = Address(0, (Term(0, 6, 0, ring), Term(1, 3)))
            b.emit("mvmul", TYPES, (Address(OUT, (Term(0, 32), Term(1, 16))), source), group=0)

    nest = Nest(write, *data(), arch=noisy(LARGE))
    ideal = Nest(write, *data())
    assert nest.whole and nest.statistics.kernels == ideal.statistics.kernels
    noise = nest.array(OUT, (20, 4), np.int32) - ideal.array(OUT, (20, 4), np.int32)
    assert (noise == noise[:, :1]).all() and len(set(noise[:, 0].tolist())) > 4


def test_outer_loops_that_are_stepped_count():
    """One plan serves every iteration of a stepped loop; what the origin says is of the iteration at hand."""

    def write(b):
        with b.loop(6):
            b.emit("sync", core=1, event=0)
            with b.loop(3):
                b.emit("mvmul", TYPES, (Address(OUT, (Term(1, 16),)), Address(0, (Term(1, 3),))), group=0)
            b.emit("vvadd", (DType.i32,), (Address(OUT + 64), Address(OUT + 64), Address(OUT)), n=4)

    content, specs, cells = data()
    content[OUT + 64] = np.zeros(4, np.int32)
    nest = Nest(write, content, specs, cells, noisy(LARGE))
    assert nest.statistics.plans == 1 and nest.statistics.units == 12


def test_counters_of_a_box():
    position = Position(3, "main", 5, [7])
    one = Origin(position, 2)
    assert (one.core, one.section, one.sample, [int(k) for k in one.counters()]) == (3, "main", 5, [7])
    form = (10, ((0, 4), (2, 1)))  # rounds of 4, and places in them
    outer, inner = Origin(position, 2, Loops((form,), (0, 1, 2), (9, 5, 3)), {1: 0}, range(1, 3)).counters()
    assert outer == 7 and inner.tolist() == [[14, 15, 16], [18, 19, 20]]
    position.counters = [8]
    assert one.counters() == [8]
