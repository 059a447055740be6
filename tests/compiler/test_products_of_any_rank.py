"""Products of a tensor of any rank with constant matrices, on either side: as onnxruntime computes them, on cores."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from in_process import assert_close, compile_in_memory, golden, random_sample, run_in_process
from onnx import helper
from onnx_models import make_model, one_node, random_array

from emu.arch import Arch, Core, Crossbar

CHIP = Arch(name="small", cores=1024, core=Core(crossbars=4096), crossbar=Crossbar(5, 4))
sizes = st.integers(1, 7)


def check(model, crossbars=True):
    """Whole tiles as onnxruntime says, on crossbars; rows the same bits."""
    wanted, first = None, None
    for granularity in ("image", "rows:1", "rows:2"):
        compiled = compile_in_memory(model, CHIP, 30, granularity=granularity)
        assert bool(sum(program.crossbars for program in compiled.programs.values())) == crossbars
        sample = random_sample(compiled.inputs)
        (found,) = run_in_process(compiled, [sample])
        wanted = wanted or golden(model, sample)
        first = first or found
        assert_close(found, wanted)
        assert {name: array.tobytes() for name, array in found.items()} == {
            name: array.tobytes() for name, array in first.items()
        }


@st.composite
def stacks(draw):
    """Shapes of two operands of matmul, each a vector or a stack of matrices that broadcast."""
    rows, inner, cols = draw(sizes), draw(sizes), draw(sizes)
    stack = draw(st.lists(st.integers(1, 3), max_size=3))
    sides = []
    for matrix in ((rows, inner), (inner, cols)):
        lead = [draw(st.sampled_from([1, size])) for size in stack][draw(st.integers(0, len(stack))) :]
        vector = draw(st.integers(0, 5)) == 0
        sides.append((inner,) if vector else (*lead, *matrix))
    return sides


@given(stacks(), st.booleans())
def test_matmul(shapes, left):
    """The constant stands on the left or on the right."""
    constant, given = shapes if left else shapes[::-1]
    nodes = [helper.make_node("MatMul", ["w", "x"] if left else ["x", "w"], ["y"])]
    check(make_model(nodes, {"x": given}, weights={"w": random_array(*constant)}))


@given(
    st.tuples(sizes, sizes, sizes),
    st.fixed_dictionaries({"transA": st.integers(0, 1), "transB": st.integers(0, 1)}),
    st.sampled_from([1.0, 0.5]),
    st.sampled_from([1.0, -2.0, 0.0]),
    st.sampled_from(["none", "row", "column", "both", "number"]),
    st.booleans(),
)
def test_gemm(dims, flags, alpha, beta, bias, left):
    """Any number of rows, transposed or not, with the constant on either side."""
    rows, inner, cols = dims
    shapes = {"none": None, "row": (cols,), "column": (rows, 1), "both": (rows, cols), "number": ()}
    sides = [(rows, inner)[:: -1 if flags["transA"] else 1], (inner, cols)[:: -1 if flags["transB"] else 1]]
    constant, given = sides if left else sides[::-1]
    weights = {"w": random_array(*constant)}
    names = ["w", "x"] if left else ["x", "w"]
    if shapes[bias] is not None:
        weights["b"] = random_array(*shapes[bias], seed=1)
        names.append("b")
    nodes = [helper.make_node("Gemm", names, ["y"], alpha=alpha, beta=beta, **flags)]
    check(make_model(nodes, {"x": given}, weights=weights))


@pytest.mark.parametrize("batch", [1, 3])
def test_a_flattened_image_is_multiplied_in_place(batch):
    """The kernel is as large as the image and goes over the samples: no copy, one product for each."""
    nodes = [
        helper.make_node("Conv", ["x", "k"], ["c"], "conv"),
        helper.make_node("Flatten", ["c"], ["f"], "flat"),
        helper.make_node("Gemm", ["f", "w"], ["y"], "fc"),
    ]
    weights = {"k": random_array(4, 3, 2, 2), "w": random_array(4 * 16, 6)}
    model = make_model(nodes, {"x": (batch, 3, 5, 5)}, weights=weights)
    check(model)
    text = str(compile_in_memory(model, CHIP, 30).module)
    assert "kernel.nest" not in text


def test_a_token_of_any_rank_is_a_pixel():
    text = str(compile_in_memory(one_node("MatMul", (2, 3, 4, 5), random_array(5, 6)), CHIP, 4).module)
    assert "kernel.nest" not in text and "kernel.apply_filters" in text


def test_the_matrices_of_a_stack_are_products_of_their_own():
    model = one_node("MatMul", (3, 2, 4), random_array(3, 4, 4))
    programs = compile_in_memory(model, CHIP, 30).programs.values()
    assert sum(program.crossbars for program in programs) == 3
    assert np.prod([3, 2, 4]) == 24
