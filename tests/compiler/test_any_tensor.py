"""Tensors of any type, rank and size come out as onnxruntime says, whole or some rows at a time."""

import numpy as np
import pytest
from any_nets import any_nets
from hypothesis import given, settings
from hypothesis import strategies as st
from in_process import assert_close, compile_in_memory, golden, run_in_process
from onnx import TensorProto, helper

from emu.arch import Arch, Core, Crossbar

SMALL = Arch(name="small", cores=64, core=Core(crossbars=64), crossbar=Crossbar(4, 4))


def numbers(specs):
    rng = np.random.default_rng(3)
    made = {spec.name: (rng.standard_normal(spec.shape) * 50).astype(spec.dtype.numpy) for spec in specs}
    return {name: np.asarray(array) for name, array in made.items()}


def check(model, granularity, cores):
    compiled = compile_in_memory(model, SMALL, cores, granularity=granularity)
    sample = numbers(compiled.inputs)
    wanted = golden(model, sample)
    for engine in ("step", "batch"):
        (found,) = run_in_process(compiled, [sample], engine)
        assert set(found) == set(wanted)
        for name, array in found.items():
            assert (array.dtype, array.shape) == (wanted[name].dtype, wanted[name].shape)
            if array.dtype != np.float32:
                assert array.tobytes() == wanted[name].tobytes()
        floats = {name: value for name, value in wanted.items() if value.size and value.dtype == np.float32}
        assert_close(found, floats)


@pytest.mark.parametrize("axis", range(4))
@pytest.mark.parametrize("granularity", ["image", "rows:1"])
def test_a_tensor_joined_with_empty_ones_along_a_dimension_of_size_1(axis, granularity):
    shapes = {"x": [1, 1, 1, 1], "none": [int(place != axis) for place in range(4)]}
    inputs = [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name, shape in shapes.items()]
    output = helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, 1, 1, 1])
    node = helper.make_node("Concat", ["none", "x", "none"], ["y"], axis=axis)
    graph = helper.make_graph([node], "concat", inputs, [output])
    check(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), granularity, 3)


@pytest.mark.parametrize(
    ("left", "right"), [([2, 1, 3, 1], [3, 1]), ([3, 3, 3, 1], [3, 3, 1]), ([2, 3, 2, 1], [2, 1, 2, 1])]
)
@pytest.mark.parametrize("granularity", ["image", "rows:1"])
def test_a_batch_that_ends_in_a_dimension_of_size_1_is_broadcast(left, right, granularity):
    shapes = {"a": left, "b": right}
    inputs = [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name, shape in shapes.items()]
    output = helper.make_tensor_value_info("y", TensorProto.FLOAT, left)
    graph = helper.make_graph([helper.make_node("Sub", ["a", "b"], ["y"])], "sub", inputs, [output])
    check(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), granularity, 3)


@given(any_nets(), st.sampled_from(["image", "rows:1", "rows:2"]), st.sampled_from([1, 3, 20]))
def test_random_networks(model, granularity, cores):
    check(model, granularity, cores)


@pytest.mark.full
@pytest.mark.timeout(3600)
@settings(max_examples=3000)
@given(any_nets(), st.sampled_from(["image", "rows:1", "rows:2"]), st.sampled_from([1, 3, 20]))
def test_many_random_networks(model, granularity, cores):
    check(model, granularity, cores)
