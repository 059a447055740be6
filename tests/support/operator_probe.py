"""Asks the compiler which element types each operator takes, and where it runs: by the nodes of ONNX's own suite."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path

import numpy as np
import onnx
from one_nodes import node_model
from onnx import ModelProto, helper
from suite_cases import all_cases

from compiler.api import compile as compile_network
from compiler.compiling import compile_model
from compiler.frontend.definitions import STANDARD_DOMAINS
from compiler.request import make_request
from emu.arch.read import load_arch
from emu.census.census import census_of_image
from emu.errors import EmuError
from emu.image.reader import open_image
from emu.isa.dtypes import DType
from launch.conformance.frozen import freeze, frozen_inputs, graph_inputs
from launch.images.mapping import map_nodes

_CASES = 12  # of one operator that are tried
Sample = tuple[ModelProto, Mapping[str, np.ndarray]]  # a network of one node, and what its inputs may be
_PIXELS = {"x": np.ones((2, 3, 4, 4), np.float32)}
# Operators whose cases in the suite are no networks by its own rules of shapes.
_OTHERS: Mapping[str, Sample] = {
    "MeanVarianceNormalization": (node_model("MeanVarianceNormalization", _PIXELS, axes=(0, 2, 3)), _PIXELS)
}


@cache
def one_nodes() -> Mapping[str, Sequence[Sample]]:
    """The cases of a single node, by operator."""
    found: dict[str, list[Sample]] = {kind: [sample] for kind, sample in _OTHERS.items()}
    for case in all_cases():
        nodes = case.model.graph.node
        if case.kind == "node" and len(nodes) == 1 and nodes[0].domain in STANDARD_DOMAINS and case.data:
            values = dict(zip(graph_inputs(case.model.graph), case.data[0][0], strict=False))
            found.setdefault(nodes[0].op_type, []).append((case.model, values))
    return found


@cache
def taken_types(operator: str) -> frozenset[DType]:
    """The element types of its data with which the compiler imports a node like one of the suite's."""
    return frozenset(dtype for dtype in DType if _imports_one(one_nodes()[operator][:_CASES], dtype))


def _imports_one(samples: Iterable[Sample], dtype: DType) -> bool:
    return any(_imports(*_retyped(*sample, dtype)) for sample in samples if _is_legal(sample[0], dtype))


def _types(model: ModelProto) -> tuple[list[tuple[str, str]], Mapping[str, Sequence[str]]]:
    """What ONNX calls the type of each input and output of the node, and what each of these types may be."""
    node = model.graph.node[0]
    schema = onnx.defs.get_schema(node.op_type, model.opset_import[0].version)
    allowed = {rule.type_param_str: rule.allowed_type_strs for rule in schema.type_constraints}
    named = [
        (name, formal[min(place, len(formal) - 1)].type_str)
        for names, formal in ((node.input, schema.inputs), (node.output, schema.outputs))
        for place, name in enumerate(names)
    ]
    return named, allowed


def _data(named: Sequence[tuple[str, str]], allowed: Mapping[str, Sequence[str]]) -> str:
    """The type of the node's data: the first one that may be more than one."""
    return next((kind for _, kind in named if len(allowed.get(kind, ())) > 1), named[0][1])


def _is_legal(model: ModelProto, dtype: DType) -> bool:
    """Whether ONNX defines the node for data of this type."""
    named, allowed = _types(model)
    data = _data(named, allowed)
    return f"tensor({'float' if dtype == DType.f32 else dtype.numpy})" in allowed.get(data, [data])


def _retyped(model: ModelProto, values: Mapping[str, np.ndarray], dtype: DType) -> Sample:
    """The same network with data of another type, and so with results that had the type of its data."""
    copy = ModelProto()
    copy.CopyFrom(model)
    named, allowed = _types(model)
    infos = {value.name: value.type.tensor_type for value in (*copy.graph.input, *copy.graph.output)}
    data = _data(named, allowed)
    before = next(infos[name].elem_type for name, kind in named if kind == data and name in infos)
    made = infos.keys() & set(model.graph.node[0].output)
    results = {kind for name, kind in named if name in made and infos[name].elem_type == before}
    changed = {name for name, kind in named if kind == data or (kind in results and len(allowed.get(kind, ())) > 1)}
    for name in changed & infos.keys():
        infos[name].elem_type = helper.np_dtype_to_tensor_dtype(dtype.numpy)
    ones = {name: np.ones(np.shape(values[name]), dtype.numpy) for name in changed & values.keys()}
    return copy, {**values, **ones}


def _imports(model: ModelProto, values: Mapping[str, np.ndarray]) -> bool:
    arch = load_arch("default")
    request = make_request(_frozen(model, values), arch, cores=1, until="onnx")
    try:
        compile_model(request, None)
    except EmuError:
        return False
    return True


def _frozen(model: ModelProto, values: Mapping[str, np.ndarray]) -> ModelProto:
    """With constant weights, axes and sizes."""
    names = frozen_inputs(model.graph)
    return freeze(model, {name: values[name] for name in names if values.get(name) is not None})


def where_it_runs(operator: str, folder: Path) -> str:
    """Where a node of the suite runs, the first one that compiles; "nowhere" if nothing is left of it."""
    samples = one_nodes()[operator]
    floats = [_retyped(*sample, DType.f32) for sample in samples if _is_legal(sample[0], DType.f32)]
    for place, (model, values) in enumerate((*samples, *floats)):
        out = folder / f"{operator}{place}"
        try:
            result = compile_network(_frozen(model, values), cores=4, out=out)
        except EmuError:
            continue
        image = open_image(out)
        node = map_nodes(image.manifest, census_of_image(image), result.context.kinds).nodes[0]
        return node.where or "nowhere"
    raise AssertionError(f"no node of {operator} compiles")
