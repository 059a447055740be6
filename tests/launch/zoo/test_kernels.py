"""The kernels: valid models, deterministic, of the formulas that their names say."""

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import numpy_helper
from onnx_export import run_onnx

from emu.errors import InputError
from launch.papers.on_chips.multiplications import macs_by_node
from launch.zoo import build
from launch.zoo.kernels import BUILDERS

EXAMPLES = Path(__file__).parents[3] / "examples/kernels"
FORMULAS = {  # of the inputs and the constants by name, in NumPy
    "mm": lambda a, w0: a @ w0,
    "mm-of-results": lambda a, b: a @ b,
    "2mm": lambda a, w0, w1: a @ w0 @ w1,
    "3mm": lambda a, b, w0, w1: (a @ w0) @ (b @ w1),
    "tmm": lambda a, w: a @ w.T,
    "mv": lambda a, w: a @ w,
    "mlp3": lambda a, w0, b0, w1, b1, w2, b2: np.maximum(np.maximum(a @ w0 + b0, 0) @ w1 + b1, 0) @ w2 + b2,
    "ab-acd-dbc": lambda a, w: np.tensordot(a, w, ([1, 2], [2, 0])),
    "abc-acd-db": lambda a, w: (a @ w).transpose(0, 2, 1),
    "abcd-aebf-dfce": lambda a, w: np.tensordot(a, w, ([1, 3], [3, 1])).transpose(0, 1, 3, 2),
    "kronecker3": lambda a, w0, w1, w2: np.einsum("mabc,fa,eb,dc->mfed", a, w2, w1, w0, optimize=True),
    "batched-matmul": lambda a, w: np.stack([a[k] @ w[k] for k in range(8)]),
}


def inputs_of(model, seed=1):
    rng = np.random.default_rng(seed)
    shapes = {value.name: [dim.dim_value for dim in value.type.tensor_type.shape.dim] for value in model.graph.input}
    return {name: rng.standard_normal(shape).astype(np.float32) for name, shape in shapes.items()}


@pytest.mark.parametrize("name", BUILDERS)
def test_kernel(name):
    model = build(f"kernels/{name}")
    onnx.checker.check_model(model, full_check=True)
    assert model.SerializeToString(deterministic=True) == build(f"kernels/{name}").SerializeToString(deterministic=True)
    sample = inputs_of(model)
    outputs = run_onnx(model, sample)
    assert all(0.1 < array.std() < 20 for array in outputs)
    assert sum(macs_by_node(model).values()) > 0
    if name in FORMULAS:
        constants = {tensor.name: numpy_helper.to_array(tensor) for tensor in model.graph.initializer}
        wanted = FORMULAS[name](**sample, **constants)
        np.testing.assert_allclose(outputs[0], wanted, rtol=0, atol=1e-4 * np.abs(wanted).max())


def test_the_examples_are_the_kernels():
    files = {path.stem: onnx.load(str(path)) for path in EXAMPLES.glob("*.onnx")}
    assert sorted(files) == sorted(BUILDERS)
    assert all(model == build(f"kernels/{name}") for name, model in files.items())


def test_seeds_change_the_constants():
    first, second = (build("kernels/mm", seed).graph.initializer[0].raw_data for seed in (0, 1))
    assert first != second


def test_unknown_kernels_are_refused():
    with pytest.raises(InputError, match=r"there is no kernel '4mm': choose one of mm, .* did you mean 'mm'"):
        build("kernels/4mm")
