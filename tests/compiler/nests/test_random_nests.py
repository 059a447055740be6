"""Any nest gives what NumPy says point by point: whole or some rows at a time, on any cores, by any engine."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from in_process import run_in_process
from nest_programs import compile_module, evaluate, inputs_of, module_of
from random_nests import nests, products

from compiler.nests.body import BodyStep, NestBody
from compiler.nests.linear import Linear
from compiler.nests.nest import Nest
from emu.arch import Arch, Core, Crossbar
from emu.isa.dtypes import DType

SMALL = Arch(name="small", cores=64, core=Core(crossbars=64), crossbar=Crossbar(4, 4))
HOW = (st.sampled_from(["image", "rows:1", "rows:2"]), st.sampled_from([1, 3, 20]))


def check(made, granularity, cores):
    nest, operands, result = made
    wanted = evaluate(nest, [array for array, _ in operands], result)
    compiled = compile_module(lambda weights: module_of(nest, operands, result, weights), SMALL, cores, granularity)
    for engine in ("step", "batch"):
        for found in run_in_process(compiled, [inputs_of(operands)] * 2, engine):
            assert found["y"].dtype == wanted.dtype
            np.testing.assert_array_equal(found["y"], wanted)


def prefix_of_split_dimension():
    """(x[j] + s) + z[i, j], j < 3, of an x of 4 elements that stands in memory as 2 x 2."""
    row, column = Linear.dim(0), Linear.dim(1)
    steps = (BodyStep("add", DType.f32, (0, 1)), BodyStep("add", DType.f32, (3, 2)))
    nest = Nest((1, 3), (True, True), ((column,), (), (row, column)), (row, column), NestBody(steps))
    x, s, z = (np.array(values, np.float32) for values in ([7, 3, 0, -4], -4, [[-9, -8, -9]]))
    return nest, [(x, ((0, 1), (2, 2))), (s, "input"), (z, "input")], ((1, 3), DType.f32)


@example(prefix_of_split_dimension(), "image", 1)
@given(nests(), *HOW)
def test_random_nests(made, granularity, cores):
    check(made, granularity, cores)


@given(products(), *HOW)
def test_random_products(made, granularity, cores):
    check(made, granularity, cores)


@pytest.mark.full
@pytest.mark.timeout(3600)
@settings(max_examples=3000)
@given(products(), *HOW)
def test_many_random_products(made, granularity, cores):
    check(made, granularity, cores)


@pytest.mark.full
@pytest.mark.timeout(3600)
@settings(max_examples=5000)
@given(nests(), *HOW)
def test_many_random_nests(made, granularity, cores):
    check(made, granularity, cores)
