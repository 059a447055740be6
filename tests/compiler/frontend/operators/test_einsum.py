"""Contractions by equation equal NumPy's and onnxruntime's: of one to three operands, with constants and without."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from in_process import compile_in_memory
from one_nodes import SMALL, check, computed, granularities, node_model

from emu.errors import CompileError

NAMES = "abc"


def operands_of(equation, sizes, dtype=np.float32, seed=0):
    """Random operands of an equation without ellipses, whose labels have these sizes."""
    rng = np.random.default_rng(seed)
    terms = equation.partition("->")[0].split(",")
    return {
        name: rng.integers(-4, 5, [sizes[label] for label in term]).astype(dtype)
        for name, term in zip(NAMES, terms, strict=False)
    }


@st.composite
def equations(draw, operands):
    """Terms of labels, and a result of some of them in any order."""
    term = st.lists(st.sampled_from("ijklm"), min_size=1, max_size=3, unique=True).map("".join)
    terms = [draw(term) for _ in range(operands)]
    labels = sorted(set("".join(terms)))
    result = draw(st.permutations(labels))[: draw(st.integers(0, min(4, len(labels))))]
    return f"{','.join(terms)}->{''.join(result)}"


@given(st.data(), st.integers(1, 3), st.sampled_from([np.float32, np.int32, np.int64]), granularities)
def test_random_equations(data, count, dtype, granularity):
    equation = data.draw(equations(count))
    sizes = {label: data.draw(st.integers(1, 4)) for label in "ijklm"}
    inputs = operands_of(equation, sizes, dtype, data.draw(st.integers(0, 99)))
    constants = [inputs.pop(name) for name in NAMES[data.draw(st.integers(1, count)) : count]]
    wanted = np.einsum(equation, *inputs.values(), *constants)
    found = computed(node_model("Einsum", inputs, constants, equation=equation), inputs, granularity)["y"]
    assert (found.dtype, found.shape) == (np.dtype(dtype), wanted.shape)
    np.testing.assert_array_equal(found, wanted)  # of small whole numbers


@pytest.mark.parametrize(
    ("equation", "shapes"),
    [
        ("ij,jk", [(3, 4), (4, 5)]),
        ("ba", [(3, 4)]),
        ("ii->i", [(4, 4)]),
        ("ii", [(4, 4)]),
        ("...ij,...jk->...ik", [(2, 3, 4), (2, 4, 5)]),
        ("...ij,jk", [(2, 3, 4), (4, 5)]),
        ("b...->...b", [(2, 3, 4)]),
        ("i,j->ij", [(3,), (4,)]),
        ("bhqd,bhkd->bhqk", [(1, 2, 3, 4), (1, 2, 5, 4)]),
        (" b i , i j -> b j ", [(2, 3), (3, 4)]),
    ],
)
@pytest.mark.parametrize("frozen", [False, True])
def test_forms_of_equations(equation, shapes, frozen):
    rng = np.random.default_rng(1)
    inputs = {name: rng.standard_normal(shape).astype(np.float32) for name, shape in zip(NAMES, shapes, strict=False)}
    constants = [inputs.pop("b")] if frozen and len(shapes) == 2 else []
    check(node_model("Einsum", inputs, constants, equation=equation), inputs, tolerance=1e-5)


def test_products_with_a_constant_stand_in_crossbars():
    inputs = operands_of("bij,jk", {"b": 2, "i": 3, "j": 4, "k": 5})
    weights = inputs.pop("b")
    module = str(compile_in_memory(node_model("Einsum", inputs, [weights], equation="bij,jk->bik"), SMALL).module)
    assert "kernel.apply_filters" in module and '"reduction"' not in module  # nests only move


@pytest.mark.parametrize(
    ("equation", "words"),
    [
        ("ij", "for 2 operands: write one term of letters for each"),
        ("ij,j1->i", "write one term of letters for each"),
        ("ijk,jk->i", "has the term 'ijk' for an operand of 2 dimensions"),
        ("ij,jk->ii", "whose result has a label twice, or one that no operand has"),
        ("ij,jk->in", "whose result has a label twice, or one that no operand has"),
    ],
)
def test_equations_that_are_none_are_refused(equation, words):
    inputs = operands_of("ij,jk", {"i": 2, "j": 3, "k": 4})
    model = node_model("Einsum", inputs, equation=equation)
    with pytest.raises(CompileError, match=words):
        computed(model, inputs)


def test_operands_of_several_types_are_refused():
    inputs = {"a": np.ones((2, 2), np.float32), "b": np.ones((2, 2), np.int32)}
    with pytest.raises(CompileError, match="multiplies operands of several element types"):
        computed(node_model("Einsum", inputs, equation="ij,jk"), inputs)
