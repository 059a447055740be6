"""`batch` is indistinguishable from `step`: random programs, compared in everything that can be seen."""

from contextlib import suppress
from unittest.mock import patch

import numpy as np
import pytest
from core_programs import ARCH, Drawn, Generator, Seeded, weights
from core_runs import Trace, run, run_section
from draws import examples
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from emu.core.batch import blueprint, engine, units
from emu.core.crossbars import blocks, crossbar
from emu.core.engines.core import Core
from emu.core.kernels import matrix, reductions, sorting
from emu.core.trap import CoreTrap
from emu.isa.table import BY_CODE

WEIGHTS = weights()


def made(choose, float_products=True):
    return Generator(choose, float_products=float_products).program()


def compare(program):
    """Run both engines; their traces must be equal.

    From where NaN bits (unspecified) were in play, which bytes are written must be, and what is asked for, as far as no
    trap came of these bits.
    """
    step, batch = (run(program, ARCH, WEIGHTS, engine) for engine in ("step", "batch"))
    if not step.nan:
        assert batch.trap == step.trap
        assert batch.requests == step.requests
        assert batch.states == step.states
        return step, batch
    requests, states = step.before
    assert batch.requests[:requests] == step.requests[:requests]
    assert batch.states[:states] == step.states[:states]
    if step.trap is None and batch.trap is None:
        assert [written for _, _, written, _ in batch.states] == [written for _, _, written, _ in step.states]
        assert [request[:2] for request in batch.requests] == [request[:2] for request in step.requests]
    return step, batch


@settings(max_examples=examples(30, 100), suppress_health_check=list(HealthCheck))
@given(st.data())
def test_random_programs(data):
    compare(made(Drawn(data)))


def test_programs_of_integer_products():
    compared = 0
    for seed in range(400, 500):
        step, _ = compare(made(Seeded(seed), float_products=False))
        compared += not step.nan
    assert compared > 80


def test_many_seeded_programs():
    planned = expanded = trapped = compared = 0
    for seed in range(300):
        step, batch = compare(made(Seeded(seed)))
        planned += batch.statistics.units > 0
        expanded += batch.statistics.expanded > 0
        trapped += step.trap is not None
        compared += not step.nan
    # The generator is worth something only while its programs are planned, expanded and trapping often enough.
    assert planned > 90 and expanded > 30 and trapped > 45 and compared > 255


@pytest.mark.parametrize("engine", ["step", "batch"])
def test_preparing_changes_nothing(engine, monkeypatch):
    """A core that was prepared runs as one that was not, plans included."""
    monkeypatch.setattr(units, "TEMPLATES", {})
    planned = trapped = 0
    for seed in range(2000, 2080):
        program = made(Seeded(seed))
        prepared, plain = (run(program, ARCH, WEIGHTS, engine, prepared=first) for first in (True, False))
        assert (prepared.trap, prepared.requests, prepared.states) == (plain.trap, plain.requests, plain.states)
        assert prepared.statistics == plain.statistics
        planned, trapped = planned + plain.statistics.units, trapped + (plain.trap is not None)
    assert trapped > 10 and (planned > 20 or engine == "step")


def test_preparing_touches_no_memory_and_leaves_little_to_look_at():
    looked = {True: 0, False: 0}
    for seed in range(2000, 2040):
        for prepared in looked:
            core = Core(made(Seeded(seed)), ARCH, WEIGHTS, "batch")
            if prepared:
                core.prepare()
            assert "data" not in vars(core.memory) and "_bytes" not in vars(core.memory.known)
            with patch.object(engine, "make_units", wraps=units.make_units) as spy, suppress(CoreTrap):
                core.begin("main", 0)
                run_section(core, Trace(statistics=core.statistics))
            looked[prepared] += spy.call_count
    assert looked[True] < looked[False] / 4


def test_tiny_blocks_and_chunks(monkeypatch):
    """What only large programs do - chunks of iterations, blocks of elements - on small ones."""
    for module, name, value in (
        (units, "TEMPLATES", {}),  # blueprints of other tests have large chunks
        (blueprint, "BUDGET", 40),
        (blueprint, "LARGEST_ITERATION", 600),
        (blocks, "BLOCK", 5),
        (matrix, "ROOM", 5),
        (matrix, "HEIGHT", 3),
        (sorting, "BLOCK", 5),
        (reductions, "BLOCK", 5),
        (reductions, "ROWS", 2),
        (reductions, "COLUMNS_FROM", 3),
        (crossbar, "HEIGHT", 3),
    ):
        monkeypatch.setattr(module, name, value)
    planned = kernels = 0
    for seed in range(1000, 1200):
        _, batch = compare(made(Seeded(seed)))
        planned, kernels = planned + batch.statistics.units, kernels + batch.statistics.kernels
    assert kernels > 3 * planned > 900


def focused(seed, names):
    """A program most of whose vector instructions are `names`, with matrix products among them."""
    program = Generator(Seeded(seed), common=names).program()
    columns = [section.columns for section in (program.init, program.main)]
    return program, {BY_CODE[code].name for column in columns for code in np.unique(column["op"]).tolist()}


@pytest.mark.few(2)
@pytest.mark.parametrize(
    "names",
    [
        ("vlut", "vput", "vmv", "lldi"),
        ("vtopk", "vargmax", "vargmin", "vprod", "lldi", "vcvt"),
        ("mmul", "lmv", "lldi", "vsadd"),
        ("vvpow", "vvmod", "vvrem", "vsign", "vsin", "vatan", "vtan"),
    ],
)
def test_rows_tables_and_choices(names):
    planned = compared = trapped = 0
    count = examples(120, 300)
    for seed in range(3000, 3000 + count):
        program, used = focused(seed, names)
        step, batch = compare(program)
        if used & set(names):
            planned += batch.statistics.units > 0
            trapped += step.trap is not None
            compared += not step.nan
    assert planned > count / 5 and trapped > count / 15 and compared > count / 2.5


@pytest.mark.full
@pytest.mark.parametrize("block", range(20))
def test_very_many_seeded_programs(block):
    for seed in range(10_000 + 1000 * block, 11_000 + 1000 * block):
        compare(made(Seeded(seed)))
