"""Networks of one node on random tensors: what they compute is compared with onnxruntime, whole and by rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from hypothesis import strategies as st
from in_process import compile_in_memory, golden, run_in_process
from onnx import ModelProto, helper
from onnx_models import Kind, make_model

from emu.arch import Arch, Core, Crossbar
from emu.isa.dtypes import DType

SMALL = Arch(name="small", cores=64, core=Core(crossbars=64), crossbar=Crossbar(8, 8))
CHIP = Arch(name="small", cores=16, core=Core(crossbars=64), crossbar=Crossbar(4, 4))
GRANULARITIES = ("image", "rows:1", "rows:2")
granularities = st.sampled_from(GRANULARITIES)
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


def operator_model(
    kind: str,
    inputs: Mapping[str, np.ndarray],
    constants: Mapping[str, np.ndarray] | None = None,
    operands: Sequence[str] | None = None,
    opset: int = 18,
    outputs: Mapping[str, Any] | None = None,
    **attributes: object,
) -> ModelProto:
    """The model outputs = kind(operands); outputs of the type of the first input unless `outputs` says otherwise."""
    constants = constants or {}
    outputs = outputs or {"y": next(iter(inputs.values())).dtype}
    node = helper.make_node(kind, operands or [*inputs, *constants], list(outputs), "the_node", **attributes)
    made = {name: Kind(dtype) for name, dtype in outputs.items()}
    return make_model([node], inputs, made, constants, opset, ir_version=9)


def node_model(
    kind: str,
    inputs: Mapping[str, np.ndarray],
    constants: Sequence[np.ndarray | None] = (),
    opset: int = 18,
    outputs: Sequence[str] = ("y",),
    types: Sequence[np.dtype] = (),
    **attributes: object,
) -> ModelProto:
    """`outputs` = kind(inputs..., constants...) of a type each, by default that of the first input; None: left out."""
    names = ["" if array is None else f"c{place}" for place, array in enumerate(constants)]
    arrays = {name: array for name, array in zip(names, constants, strict=True) if array is not None}
    kinds = list(types) or [next(iter(inputs.values())).dtype] * len(outputs)
    made = dict(zip(outputs, kinds, strict=True))
    return operator_model(kind, inputs, arrays, [*inputs, *names], opset, made, **attributes)


def computed(
    model: ModelProto,
    inputs: Mapping[str, np.ndarray],
    granularity: str = "image",
    cores: int = 8,
    engine: str = "batch",
    arch: Arch = SMALL,
) -> dict[str, np.ndarray]:
    """The outputs of the compiled network, by name."""
    compiled = compile_in_memory(model, arch, cores, granularity=granularity)
    (found,) = run_in_process(compiled, [dict(inputs)], engine)
    return found


def run_on_cores(model, inputs, granularity="image", engine="batch", cores=8) -> dict[str, np.ndarray]:
    """The same on crossbars of 4 x 4."""
    return computed(model, inputs, granularity, cores, engine, CHIP)


def check(
    model: ModelProto,
    inputs: Mapping[str, np.ndarray],
    granularity: str = "image",
    cores: int = 8,
    tolerance: float = 0.0,
) -> None:
    """Compare all outputs with onnxruntime's: to the bit, or within `tolerance` of the largest one."""
    found, wanted = computed(model, inputs, granularity, cores), golden(model, dict(inputs))
    same_kinds(found, wanted)
    for name, array in wanted.items():
        if tolerance and array.size:
            bound = tolerance * max(1e-6, float(np.abs(array.astype(np.float64)).max()))
            np.testing.assert_allclose(found[name], array, rtol=0, atol=bound)
        else:
            np.testing.assert_array_equal(found[name], array)


def check_operator(model, inputs, granularity="image", engine="batch", cores=8, wanted=None, bound=1e-5) -> None:
    """Integers and bools equal onnxruntime's (or `wanted`), floats are within `bound` of the largest one."""
    found = run_on_cores(model, inputs, granularity, engine, cores)
    wanted = golden(model, inputs) if wanted is None else wanted
    same_kinds(found, wanted)
    for name, array in found.items():
        if array.dtype.kind != "f":
            np.testing.assert_array_equal(array, wanted[name])
        else:
            finite = wanted[name][np.isfinite(wanted[name])]
            limit = bound * np.abs(finite.astype(np.float64)).max(initial=1.0)
            np.testing.assert_allclose(array, wanted[name], rtol=bound, atol=limit)


def same_kinds(found: Mapping[str, np.ndarray], wanted: Mapping[str, np.ndarray]) -> None:
    """Names, types and shapes are the same."""
    assert set(found) == set(wanted)
    for name, array in wanted.items():
        assert (found[name].dtype, found[name].shape) == (array.dtype, array.shape)
