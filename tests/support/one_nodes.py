"""Networks of one node on random tensors: what they compute is compared with onnxruntime, whole and by rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from hypothesis import strategies as st
from in_process import compile_in_memory, golden, run_in_process
from onnx import ModelProto, helper, numpy_helper

from emu.arch import Arch, Core, Crossbar
from emu.isa.dtypes import DType

SMALL = Arch(name="small", cores=64, core=Core(crossbars=64), crossbar=Crossbar(8, 8))
granularities = st.sampled_from(["image", "rows:1", "rows:2"])
dtypes = st.sampled_from(list(DType))


def shapes(ranks: tuple[int, int] = (1, 4), largest: int = 5, smallest: int = 1) -> st.SearchStrategy[tuple[int, ...]]:
    """Shapes of a number of dimensions within `ranks`, each of some size."""
    sizes = st.integers(smallest, largest)
    return st.lists(sizes, min_size=ranks[0], max_size=ranks[1]).map(tuple)


def numbers(dtype: np.dtype, shape: Sequence[int], seed: int = 0) -> np.ndarray:
    """Random numbers of a type: of integers all of its values."""
    rng = np.random.default_rng(seed)
    if dtype == np.bool_:
        return rng.integers(0, 2, shape).astype(bool)
    if dtype.kind == "f":
        return np.asarray(rng.standard_normal(shape) * 20).astype(dtype)
    limits = np.iinfo(dtype)
    return np.asarray(rng.integers(limits.min, limits.max, shape, dtype, endpoint=True))


def node_model(
    kind: str,
    inputs: Mapping[str, np.ndarray],
    constants: Sequence[np.ndarray | None] = (),
    opset: int = 18,
    outputs: Sequence[str] = ("y",),
    types: Sequence[np.dtype] = (),
    **attributes: object,
) -> ModelProto:
    """`outputs` = kind(inputs..., constants...) of a type each, by default that of the first input."""
    names = ["" if array is None else f"c{place}" for place, array in enumerate(constants)]
    node = helper.make_node(kind, [*inputs, *names], list(outputs), "the_node", **attributes)
    kinds = list(types) or [next(iter(inputs.values())).dtype] * len(outputs)
    graph = helper.make_graph(
        [node],
        "test",
        [_info(name, array.dtype, array.shape) for name, array in inputs.items()],
        [_info(name, dtype, None) for name, dtype in zip(outputs, kinds, strict=True)],
        [numpy_helper.from_array(array, name) for name, array in zip(names, constants, strict=True) if name],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=9)


def _info(name: str, dtype: np.dtype, shape: Sequence[int] | None) -> object:
    return helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(np.dtype(dtype)), shape)


def computed(model: ModelProto, inputs: Mapping[str, np.ndarray], granularity: str = "image", cores: int = 8) -> dict:
    """The outputs of the compiled network, by name."""
    compiled = compile_in_memory(model, SMALL, cores, granularity=granularity)
    (found,) = run_in_process(compiled, [dict(inputs)])
    return found


def check(
    model: ModelProto,
    inputs: Mapping[str, np.ndarray],
    granularity: str = "image",
    cores: int = 8,
    tolerance: float = 0.0,
) -> None:
    """Compare all outputs with onnxruntime's: to the bit, or within `tolerance` of the largest one."""
    found, wanted = computed(model, inputs, granularity, cores), golden(model, dict(inputs))
    assert set(found) == set(wanted)
    for name, array in wanted.items():
        assert (found[name].dtype, found[name].shape) == (array.dtype, array.shape)
        if tolerance and array.size:
            bound = tolerance * max(1e-6, float(np.abs(array.astype(np.float64)).max()))
            np.testing.assert_allclose(found[name], array, rtol=0, atol=bound)
        else:
            np.testing.assert_array_equal(found[name], array)
