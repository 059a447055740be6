"""Which inputs of a decoder grow: caches, found by following what is appended to them to an output, and masks."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from onnx import GraphProto, NodeProto, TensorProto, ValueInfoProto

from compiler.caches.lengths import Length, Lengths
from compiler.frontend.graph_checks import node_label
from compiler.frontend.input_shapes import Shape
from compiler.frontend.model import LoadedModel
from emu.errors import CompileError, option

_MOVES = ("Identity", "Transpose", "Reshape", "Squeeze", "Unsqueeze", "Gather", "Split", "Slice", "Cast", "Expand")
_PRESENTS = {1: 4, 2: 5}  # output of Attention: the input that it is appended to
_FLOATS = (TensorProto.FLOAT, TensorProto.FLOAT16, TensorProto.BFLOAT16, TensorProto.DOUBLE)


@dataclass(frozen=True, slots=True)
class Cache:
    """An input that grows, an output that may become it, and the node that appends to it."""

    input: str
    output: str
    node: NodeProto = field(compare=False)


@dataclass(frozen=True, slots=True)
class InputShapes:
    """The shapes of inputs: `known` sizes, and for each other axis what it is called.

    `caches` have an axis without size, and may be given with several outputs, of which the first one that fits is
    meant; `others` have such an axis, too, and are no caches.
    """

    dims: Mapping[str, tuple[int | str, ...]]
    caches: tuple[Cache, ...]
    others: tuple[str, ...]
    totals: frozenset[str]  # what the axis of a cache is called when it is longer
    assumed: frozenset[str]  # inputs that do not grow, of whose batch nobody knows the size: it is 1

    def at(self, step: int, total: bool) -> dict[str, Lengths]:
        """The lengths of all inputs, if a step has `step` tokens; others than caches are as long as after it."""
        grown = {cache.input for cache in self.caches}
        lengths: dict[str, Lengths] = {}
        for name, dims in self.dims.items():
            rest = Length(0 if name in grown or not total else step, 1)
            lengths[name] = tuple(Length(size) if isinstance(size, int) else rest for size in dims)
        return lengths

    def is_told(self, name: str) -> bool:
        """Whether the name of an axis says that it is as long as a cache after the step."""
        axes = {size for size in self.dims[name] if isinstance(size, str)}
        pasts = {size for cache in self.caches for size in self.dims[cache.input] if isinstance(size, str)}
        return all(axis in self.totals or _terms(axis) & pasts for axis in axes if axis)


def read_inputs(model: LoadedModel, given: Mapping[str, Shape]) -> InputShapes:
    """The inputs of a model for `given` shapes, whose sizes hold wherever an axis is called as one of theirs."""
    infos = {value.name: value for value in model.proto.graph.input if value.name in model.inputs}
    symbols: dict[str, int] = {}
    for name, shape in given.items():
        if name in infos:
            for size, axis in zip(shape, _axes(infos[name]), strict=False):
                if isinstance(axis, str) and axis and symbols.setdefault(axis, size) != size:
                    raise CompileError(
                        f"{model.where}: {option('shapes', given)} gives axes that are all called '{axis}' other sizes"
                    )
    dims, assumed = dict[str, tuple[int | str, ...]](), set[str]()
    for name, info in infos.items():
        axes = [symbols.get(axis, axis) if isinstance(axis, str) else axis for axis in _axes(info)]
        if axes and isinstance(axes[0], str):
            axes[0] = 1  # the batch
            assumed.add(name)
        dims[name] = tuple(given[name]) if name in given else tuple(axes)
    open_ = {name for name, axes in dims.items() if any(isinstance(axis, str) for axis in axes)}
    caches = tuple(dict.fromkeys(_caches(model.proto.graph, open_)))
    found = {cache.input for cache in caches}
    outputs = {value.name: value for value in model.proto.graph.output}
    pairs = [pair for c in caches for pair in zip(dims[c.input], _axes(outputs[c.output]), strict=False)]
    totals = {total for past, total in pairs if isinstance(past, str) and isinstance(total, str) and total}
    names = {past for past, _ in pairs if isinstance(past, str)}
    others = tuple(name for name in dims if name in open_ and name not in found)
    return InputShapes(dims, caches, others, frozenset(totals - names), frozenset(assumed - open_))


def check_caches(model: LoadedModel, inputs: InputShapes) -> None:
    """Refuse inputs of more than one dynamic axis, and what is appended to without becoming an output."""
    for name, axes in inputs.dims.items():
        if sum(isinstance(axis, str) for axis in axes) > 1:
            shown = ", ".join(str(axis or "?") for axis in axes)
            raise CompileError(
                f"{model.where}: input '{name}' is [{shown}], of which one axis may grow: give the shapes of all inputs"
                f" that do not grow by {option('shapes')}"
            )
    lost = _appended(model.proto.graph, inputs)
    for name, node in lost:
        raise CompileError(
            f"{model.where}: node '{node_label(node)}' ({node.op_type}) does not give the caches that it makes of"
            f" '{name}' to outputs of the network, which {option('max_length')} needs to keep them: add the output"
        )


def _appended(graph: GraphProto, inputs: InputShapes) -> Iterator[tuple[str, NodeProto]]:
    """Inputs that are no caches, although a node appends to them: real numbers, and not a mask of as many axes."""
    kinds = {value.name: value.type.tensor_type.elem_type for value in graph.input}
    known = {cache.input for cache in inputs.caches}
    made_by = {name: node for node in graph.node for name in node.output}
    for node in graph.node:
        if node.op_type not in ("Concat", "Attention") or node.domain:
            continue
        pasts = node.input[:1] if node.op_type == "Concat" else node.input[4:6]
        for past in pasts:
            name = past
            while name in made_by and made_by[name].op_type in _MOVES:
                name = made_by[name].input[0]
            if name in inputs.others and name not in known and kinds[name] in _FLOATS:
                yield name, node


def _caches(graph: GraphProto, growing: set[str]) -> Iterator[Cache]:
    """Inputs among `growing` that reach an output, moved about only, and with something appended."""
    made_by = {name: node for node in graph.node for name in node.output}
    for output in graph.output:
        pending: list[tuple[str, NodeProto | None]] = [(output.name, None)]
        seen: set[str] = set()
        while pending:
            name, appended = pending.pop()
            node = made_by.get(name)
            if node is None and name in growing and appended is not None:
                yield Cache(name, output.name, appended)
            if node is None or name in seen or node.domain:
                continue
            seen.add(name)
            place = list(node.output).index(name)
            if node.op_type in _MOVES:
                pending.append((node.input[0], appended))
            elif node.op_type == "Concat":
                pending.extend((operand, appended or node) for operand in reversed(node.input))
            elif node.op_type == "Attention" and place in _PRESENTS and len(node.input) > _PRESENTS[place]:
                pending.append((node.input[_PRESENTS[place]], node))


def _axes(info: ValueInfoProto) -> list[int | str]:
    """The size of each axis, or what it is called."""
    return [dim.dim_value if dim.HasField("dim_value") else dim.dim_param for dim in info.type.tensor_type.shape.dim]


def _terms(axis: str) -> set[str]:
    """The names in a sum such as `past + 1`; none if it is no sum."""
    return set(re.findall(r"[A-Za-z_]\w*", axis)) if "+" in axis else set()
