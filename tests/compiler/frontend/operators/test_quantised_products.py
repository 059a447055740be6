"""Products of com.microsoft, which onnxruntime's quantiser writes, equal it exactly."""

import numpy as np
from draws import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from onnx import TensorProto, helper
from quantised_models import bytes_of, check_exact, model_of, one


@settings(max_examples=examples(10, 20))
@given(st.sampled_from(["int8", "uint8"]), st.integers(0, 1), st.booleans(), st.booleans(), st.integers(0, 10**6))
def test_gemm(kind, transposed, columns, real, seed):
    rng = np.random.default_rng(seed)
    sizes, shape = ([6] if columns else []), (6, 11) if transposed else (11, 6)
    arrays = {
        "a_scale": np.float32(0.02),
        "a_zero": bytes_of(rng, kind),
        "b": bytes_of(rng, "int8", *shape),
        "b_scale": np.asarray(rng.uniform(0.01, 0.1, sizes), np.float32),
        "b_zero": np.zeros(sizes, np.int8),
        "c": rng.integers(-900, 900, 6, np.int32),
        "y_scale": np.float32(0.7),
        "y_zero": bytes_of(rng, kind),
    }
    inputs = ["a", *list(arrays)[: 6 if real else None]]
    model = one("QGemm", inputs, arrays, kind, {"a": (3, 11)}, transB=transposed, alpha=1.5)
    if real:
        model.graph.output[0].type.tensor_type.elem_type = TensorProto.FLOAT
    check_exact(model, {"a": bytes_of(rng, kind, 3, 11)})


def floats_of(op, inputs, arrays, given_):
    node = helper.make_node(op, inputs, ["y"], "the_node", domain="com.microsoft")
    shapes = {name: (helper.np_dtype_to_tensor_dtype(array.dtype), array.shape) for name, array in given_.items()}
    return model_of([node], shapes, {"y": (TensorProto.FLOAT, None)}, arrays)


def test_products_to_floats():
    rng = np.random.default_rng(5)
    arrays = {
        "b": bytes_of(rng, "int8", 12, 5),
        "b_scale": np.asarray(rng.uniform(0.01, 0.1, 5), np.float32),
        "b_zero": np.zeros(5, np.int8),
        "bias": np.asarray(rng.standard_normal(5), np.float32),
    }
    sample = {"a": np.asarray(rng.standard_normal((2, 3, 12)), np.float32)}
    inputs = ["a", "b", "b_scale", "b_zero", "bias"]
    check_exact(floats_of("DynamicQuantizeMatMul", inputs, arrays, sample), sample)
    sample = {
        "a": bytes_of(rng, "uint8", 4, 12),
        "a_scale": np.full(1, 0.03, np.float32),
        "a_zero": np.full(1, 7, np.uint8),
    }
    inputs = ["a", "b", "a_scale", "b_scale", "a_zero", "b_zero", "bias"]
    check_exact(floats_of("MatMulIntegerToFloat", inputs, arrays, sample), sample)
    sample["b"] = arrays.pop("b")  # a product of two results
    check_exact(floats_of("MatMulIntegerToFloat", inputs, arrays, sample), sample)
