"""Networks with their products on crossbars compute what the interpreter computes, whatever crossbars there are."""

from collections import Counter

import numpy as np
import pytest
from draws import examples
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from onnx import TensorProto, helper
from random_graphs import random_graphs

from compiler.compiling import lower
from compiler.interpreter.host.crossbars import NumpyCrossbars
from compiler.interpreter.interpret import TENSORS, interpret
from compiler.interpreter.offloaded.matrices import VECTORS, DeviceMatrices
from compiler.interpreter.offloaded.meanings import offloaded_meanings
from compiler.request import make_request
from compiler.session.context import make_context
from emu.errors import EmuError, InputError

relaxed = settings(suppress_health_check=list(HealthCheck))
PRODUCTS = ("MatMul", "Gemm", "Conv", "ConvTranspose", "MatMulInteger", "ConvInteger", "Einsum", "LSTM", "GRU", "RNN")
AFTER = ("Relu", "Transpose", "Reshape", "Softmax", "Add", "QLinearConv", "QLinearMatMul")


class Few:
    """So many crossbars of so many rows and columns, each an array; what is asked of them is checked and counted."""

    def __init__(self, count: int, rows: int, cols: int) -> None:
        self.free, self.rows, self.cols = count, rows, cols
        self.calls, self.inner = Counter[str](), NumpyCrossbars()

    def acquire(self, rows, cols, held, made, given=None):
        if not self.free:
            raise InputError("none is free")
        assert 1 <= rows <= self.rows
        assert 1 <= cols <= self.cols
        self.free -= 1
        return {"crossbar": self.inner.acquire(rows, cols, held, made), "given": given or held, "shape": (rows, cols)}

    def write(self, crossbar, matrix):
        assert matrix.shape == crossbar["shape"]
        self.calls["writes"] += 1
        self.inner.write(crossbar["crossbar"], matrix.copy())

    def gemm(self, crossbar, vectors):
        assert vectors.dtype == crossbar["given"]
        assert vectors.shape[1] == crossbar["shape"][0]
        assert len(vectors) <= VECTORS
        self.calls["products"] += 1
        return self.inner.gemm(crossbar["crossbar"], vectors)

    def wait(self, future):
        return future

    def release(self, crossbar):
        self.free += 1
        crossbar.clear()


def level(model):
    context = make_context()
    module, _ = lower(make_request(model, until="onnx"), context)
    return module, context.weights


def compare(model, sample, few):
    """What comes without crossbars and with them, twice."""
    module, weights = level(model)
    matrices = DeviceMatrices(few, few.rows, lambda dtype: few.cols)
    meanings = {**TENSORS, **offloaded_meanings(matrices)}
    plain = interpret(module, weights, sample)
    for _ in range(2):
        made = interpret(module, weights, sample, meanings=meanings)
        for name, wanted in plain.items():
            assert (made[name].dtype, made[name].shape) == (wanted.dtype, wanted.shape)
            yield made[name], wanted
    before = few.free
    matrices.release()
    yield few.free - before, None


@settings(relaxed, max_examples=examples(20, 300))
@given(random_graphs((*PRODUCTS, *PRODUCTS, *AFTER)), st.integers(1, 4), st.integers(1, 9), st.integers(1, 9))
def test_random_networks(case, count, rows, cols):
    few = Few(count, rows, cols)
    try:
        pairs = list(compare(case.model, case.sample, few))
    except EmuError as error:
        assert "none is free" not in str(error)
        return
    assert few.free == count
    for made, wanted in pairs[:-1]:
        if wanted.dtype.kind == "f":
            np.testing.assert_allclose(made, wanted, rtol=2e-3, atol=2e-3 * max(1, np.abs(wanted).max(initial=0)))
        elif wanted.dtype == np.int32:
            np.testing.assert_array_equal(made, wanted)


FLOAT = TensorProto.FLOAT


def weighted(op, shape, weights, **attributes):
    rng = np.random.default_rng(0)
    node = helper.make_node(op, ["x", "w"], ["y"], **attributes)
    w = rng.standard_normal(weights).astype(np.float32)
    graph = helper.make_graph(
        [node],
        "g",
        [helper.make_tensor_value_info("x", FLOAT, shape)],
        [helper.make_tensor_value_info("y", FLOAT, None)],
        [helper.make_tensor("w", FLOAT, weights, w.tobytes(), raw=True)],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)]), {
        "x": rng.standard_normal(shape).astype(np.float32)
    }


@pytest.mark.parametrize(
    ("op", "shape", "weights", "attributes", "tiles"),
    [
        ("MatMul", (3, 10), (10, 7), {}, 6),  # 3 x 2 tiles of 4 x 5
        ("MatMul", (2, 3, 10), (10, 7), {}, 6),
        ("Gemm", (3, 10), (7, 10), {"transB": 1}, 6),
        ("Conv", (1, 1, 5, 5), (3, 1, 2, 2), {}, 1),
        ("Conv", (1, 6, 5, 5), (6, 1, 2, 1), {"group": 6}, 3),  # two channels of 2 rows on each diagonal
    ],
)
def test_constants_are_written_once_and_stay(op, shape, weights, attributes, tiles):
    few = Few(100, 4, 5)
    *pairs, (held, _) = compare(*weighted(op, shape, weights, **attributes), few)
    for made, wanted in pairs:
        np.testing.assert_allclose(made, wanted, rtol=1e-4, atol=1e-5)
    assert few.calls == {"writes": tiles, "products": 2 * tiles}
    assert held == tiles


def test_without_room_constants_are_written_again():
    few = Few(2, 4, 5)
    for made, wanted in list(compare(*weighted("MatMul", (3, 10), (10, 7)), few))[:-1]:
        np.testing.assert_allclose(made, wanted, rtol=1e-4, atol=1e-5)
    assert few.calls == {"writes": 12, "products": 12}


def test_many_vectors_are_several_calls():
    few = Few(9, 4, 5)
    for made, wanted in list(compare(*weighted("MatMul", (VECTORS + 5, 3), (3, 2)), few))[:-1]:
        np.testing.assert_allclose(made, wanted, rtol=1e-4, atol=1e-5)
    assert few.calls == {"writes": 1, "products": 4}
