"""`batch` is indistinguishable from `step`: random programs, compared in everything that can be seen."""

import pytest
from core_programs import ARCH, Drawn, Generator, Seeded, weights
from core_runs import run
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from emu.core import crossbar
from emu.core.batch import blueprint, units
from emu.core.blas_check import blas_rows_stable
from emu.core.kernels import blocks, matrix, reductions

WEIGHTS = weights()
pytestmark = pytest.mark.skipif(not blas_rows_stable(), reason="this BLAS rounds rows by height")


def compare(program):
    """Run both engines; their traces must be equal, unless NaN bits (unspecified) were in play."""
    step, batch = (run(program, ARCH, WEIGHTS, engine) for engine in ("step", "batch"))
    if not step.nan:
        assert batch.trap == step.trap
        assert batch.requests == step.requests
        assert batch.states == step.states
    return step, batch


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.data())
def test_random_programs(data):
    compare(Generator(Drawn(data)).program())


def test_many_seeded_programs():
    planned = expanded = trapped = compared = 0
    for seed in range(300):
        step, batch = compare(Generator(Seeded(seed)).program())
        planned += batch.statistics.units > 0
        expanded += batch.statistics.expanded > 0
        trapped += step.trap is not None
        compared += not step.nan
    # The generator is worth something only while its programs are planned, expanded and trapping often enough.
    assert planned > 90 and expanded > 30 and trapped > 45 and compared > 255


def test_tiny_blocks_and_chunks(monkeypatch):
    """What only large programs do - chunks of iterations, blocks of elements - on small ones."""
    for module, name, value in (
        (units, "_templates", {}),  # blueprints of other tests have large chunks
        (blueprint, "BUDGET", 40),
        (blueprint, "LARGEST_ITERATION", 600),
        (blocks, "BLOCK", 5),
        (matrix, "BLOCK", 5),
        (reductions, "BLOCK", 5),
        (reductions, "ROWS", 2),
        (reductions, "COLUMNS_FROM", 3),
        (crossbar, "HEIGHT", 3),
    ):
        monkeypatch.setattr(module, name, value)
    planned = kernels = 0
    for seed in range(1000, 1200):
        _, batch = compare(Generator(Seeded(seed)).program())
        planned, kernels = planned + batch.statistics.units, kernels + batch.statistics.kernels
    assert kernels > 3 * planned > 900


@pytest.mark.full
@pytest.mark.parametrize("block", range(20))
def test_very_many_seeded_programs(block):
    for seed in range(10_000 + 1000 * block, 11_000 + 1000 * block):
        compare(Generator(Seeded(seed)).program())
