"""Models of one operator run on cores in this process, compared with onnxruntime, whole and by rows."""

from collections.abc import Mapping, Sequence

import numpy as np
from in_process import compile_in_memory, golden, run_in_process
from onnx import helper, numpy_helper

from emu.arch import Arch, Core, Crossbar

CHIP = Arch(name="small", cores=16, core=Core(crossbars=64), crossbar=Crossbar(4, 4))
GRANULARITIES = ("image", "rows:1", "rows:2")


def operator_model(
    kind: str,
    inputs: Mapping[str, np.ndarray],
    constants: Mapping[str, np.ndarray] | None = None,
    operands: Sequence[str] | None = None,
    opset: int = 18,
    outputs: Mapping[str, type] | None = None,
    **attributes: object,
) -> object:
    """The model outputs = kind(operands); outputs of the type of the first input unless `outputs` says otherwise."""
    constants = constants or {}
    first = next(iter(inputs.values()))
    outputs = outputs or {"y": first.dtype}
    node = helper.make_node(kind, operands or [*inputs, *constants], list(outputs), "the_node", **attributes)
    graph = helper.make_graph(
        [node],
        "test",
        [helper.make_tensor_value_info(name, _code(array.dtype), array.shape) for name, array in inputs.items()],
        [helper.make_tensor_value_info(name, _code(np.dtype(dtype)), None) for name, dtype in outputs.items()],
        [numpy_helper.from_array(np.asarray(array), name) for name, array in constants.items()],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)


def _code(dtype: np.dtype) -> int:
    return helper.np_dtype_to_tensor_dtype(dtype)


def run_on_cores(model, inputs, granularity="image", engine="batch", cores=8) -> dict[str, np.ndarray]:
    """Outputs by name."""
    (found,) = run_in_process(compile_in_memory(model, CHIP, cores, granularity=granularity), [inputs], engine)
    return found


def check_operator(model, inputs, granularity="image", engine="batch", cores=8, wanted=None, bound=1e-5) -> None:
    """Integers and bools equal onnxruntime's (or `wanted`), floats are within `bound` of the largest one."""
    found = run_on_cores(model, inputs, granularity, engine, cores)
    wanted = golden(model, inputs) if wanted is None else wanted
    assert set(found) == set(wanted)
    for name, array in found.items():
        assert (array.dtype, array.shape) == (wanted[name].dtype, wanted[name].shape)
        if array.dtype.kind != "f":
            np.testing.assert_array_equal(array, wanted[name])
        else:
            finite = wanted[name][np.isfinite(wanted[name])]
            limit = bound * np.abs(finite.astype(np.float64)).max(initial=1.0)
            np.testing.assert_allclose(array, wanted[name], rtol=bound, atol=limit)
