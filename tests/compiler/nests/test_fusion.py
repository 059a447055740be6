"""Fused nests give what the nests that they are made of give, bit for bit, on any cores, by any engine."""

from dataclasses import replace

import numpy as np
import pytest
from draws import examples
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from in_process import compile_in_memory, run_in_process
from nest_programs import compile_module, evaluate
from random_chains import chains
from random_graphs import random_graphs

from compiler.frontend.operators import OPERATORS
from compiler.nests.body import BodyStep, NestBody
from compiler.nests.fusion import composed, without_twins
from compiler.nests.linear import Linear, identity
from compiler.nests.nest import Nest
from compiler.passes import PIPELINE
from emu.arch import Arch, Core, Crossbar
from emu.errors import CompileError, EmuError
from emu.isa.dtypes import DType

SMALL = Arch(name="small", cores=64, core=Core(crossbars=256), crossbar=Crossbar(4, 4))
WIDE = replace(SMALL, crossbar=Crossbar(1024, 4))  # a long row is a tile or two, not hundreds
UNFUSED = tuple(name for name in PIPELINE if name != "fuse-nests")
relaxed = settings(suppress_health_check=list(HealthCheck))
HOW = st.tuples(
    st.sampled_from(["image", "rows:1", "rows:2"]), st.sampled_from([1, 3, 20]), st.sampled_from(["step", "batch"])
)


def same_bits(compiled, sample, engine):
    """Both programs give the same."""
    (fused,), (unfused,) = (run_in_process(made, [sample], engine) for made in compiled)
    assert fused.keys() == unfused.keys()
    for name, wanted in unfused.items():
        assert fused[name].dtype == wanted.dtype
        assert fused[name].tobytes() == wanted.tobytes(), name


def check_chain(chain, how):
    granularity, cores, engine = how
    arch = WIDE if chain.is_long else SMALL
    try:
        unfused = compile_module(chain.module, arch, cores, granularity, UNFUSED)
    except CompileError:  # a nest of so many positions that its program would be too long
        assume(False)
    fused = compile_module(chain.module, arch, cores, granularity, PIPELINE)
    same_bits([fused, unfused], chain.sample(), engine)


def check_graph(case, how):
    granularity, cores, engine = how
    try:
        compiled = [
            compile_in_memory(case.model, SMALL, cores, granularity=granularity, pipeline=passes)
            for passes in (None, ",".join(UNFUSED))
        ]
    except EmuError:
        assume(False)
    same_bits(compiled, case.sample, engine)


@settings(relaxed, max_examples=examples(8, 100))
@given(chains(), HOW)
def test_random_chains(chain, how):
    check_chain(chain, how)


@relaxed
@given(random_graphs(tuple(OPERATORS)), HOW)
def test_random_graphs(case, how):
    check_graph(case, how)


@pytest.mark.full
@pytest.mark.timeout(7200)
@settings(relaxed, max_examples=3000)
@given(chains(), HOW)
def test_many_random_chains(chain, how):
    check_chain(chain, how)


@pytest.mark.full
@pytest.mark.timeout(7200)
@settings(relaxed, max_examples=1500)
@given(random_graphs(tuple(OPERATORS)), HOW)
def test_many_random_graphs(case, how):
    check_graph(case, how)


# the composition by itself --------------------------------------------------------------------------------------------

I32 = DType.i32
SHAPE = (2, 3)
DOUBLE = Nest(SHAPE, (True, True), (identity(2),), identity(2), NestBody((BodyStep("add", I32, (0, 0)),)))
PLACES = Nest(  # 10 x + (row + 2 column)
    SHAPE,
    (True, True),
    (identity(2),),
    identity(2),
    NestBody(
        (
            BodyStep("constant", I32, (), 10),
            BodyStep("mul", I32, (0, 1)),
            BodyStep("index", I32, (), 0),
            BodyStep("index", I32, (), 1),
            BodyStep("add", I32, (4, 4)),
            BodyStep("add", I32, (3, 5)),
            BodyStep("add", I32, (2, 6)),
        )
    ),
)


def reader(indices, sizes, combine="", target=None):
    """A nest that subtracts from the elements that `indices` name those of another operand of its own shape."""
    parallel = (True,) * len(sizes)
    body = NestBody((BodyStep("sub", I32, (1, 0)),))
    return Nest(sizes, parallel, (indices, identity(len(sizes))), target or identity(len(sizes)), body, combine)


@pytest.mark.parametrize("maker", [DOUBLE, PLACES])
@pytest.mark.parametrize(
    ("indices", "sizes"),
    [
        (identity(2), (2, 3)),
        ((Linear.dim(1), Linear.dim(0)), (3, 2)),
        ((Linear(1, ((0, -1),)), Linear.dim(1)), (2, 3)),
        ((Linear.dim(0), Linear(1, ((1, 1),))), (2, 2)),
        ((Linear(1), Linear(0, ((0, 2),))), (2,)),
    ],
)
def test_composed_nests_compute_the_same(maker, indices, sizes):
    x, other = (
        np.arange(6, dtype=np.int32).reshape(SHAPE),
        np.arange(6, dtype=np.int32)[: np.prod(sizes)].reshape(sizes),
    )
    made = evaluate(maker, [x], (SHAPE, I32))
    nest = reader(indices, sizes)
    fused = composed(nest, 0, maker)
    assert fused is not None
    assert fused.fault([SHAPE, sizes], [I32, I32], sizes, I32) == ""
    np.testing.assert_array_equal(
        evaluate(fused, [x, other], (sizes, I32)), evaluate(nest, [made, other], (sizes, I32))
    )


@pytest.mark.parametrize("indices", [(Linear(), Linear.dim(1)), (Linear.of(0, {0: 1, 1: 1}), Linear())])
def test_what_is_read_more_than_once_is_not_computed_again(indices):
    wide = Nest((6, 3), (True, True), (identity(2),), identity(2), NestBody((BodyStep("add", I32, (0, 0)),)))
    assert composed(reader(indices, (2, 3)), 0, wide) is None


def test_a_sum_is_no_part_of_another_nest():
    summing = Nest((2, 3), (True, False), (identity(2),), (Linear.dim(0),), NestBody(), "add")
    assert composed(reader((Linear.dim(0),), (2,)), 0, summing) is None


def test_copies_compose_to_a_copy():
    turn = Nest((3, 2), (True, True), ((Linear.dim(1), Linear.dim(0)),), identity(2))
    back = Nest((2, 3), (True, True), ((Linear.dim(1), Linear.dim(0)),), identity(2))
    assert composed(back, 0, turn) == Nest((2, 3), (True, True), (identity(2),), identity(2))


def test_operands_and_steps_that_are_there_twice_become_one():
    steps = (
        BodyStep("abs", I32, (0,)),
        BodyStep("abs", I32, (2,)),
        BodyStep("add", I32, (3, 4)),
        BodyStep("sub", I32, (5, 1)),
    )
    nest = Nest((4,), (True,), (identity(1), identity(1), identity(1)), identity(1), NestBody(steps))
    made, left = without_twins(nest, ["x", "y", "x"])
    assert left == [0, 1]
    assert made.body.steps == (BodyStep("abs", I32, (0,)), BodyStep("add", I32, (2, 2)), BodyStep("sub", I32, (3, 1)))
