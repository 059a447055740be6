"""Gives key-value caches that grow with every step a fixed capacity and a position, which is a state like them.

A decoder's Attention appends new keys and values to those of the steps before. Its caches have no shape that holds for
every step, and so none of the machine. With a capacity they have: new entries are put at the position, and keys behind
the new ones are masked. The position is an input, the next one an output.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import onnx
from onnx import GraphProto, ModelProto, NodeProto, TensorProto, ValueInfoProto, helper, numpy_helper

from compiler.frontend.body import used_names
from compiler.frontend.functions import inlined
from compiler.frontend.graph_checks import node_label
from compiler.frontend.model import LoadedModel, where_of
from emu.errors import CompileError, option

TOKENS = 2  # the dimension of [batch, heads, tokens, width] that grows
POSITION, NEXT = "position", "next_position"
SUPPORTED = "caches that operator Attention appends to, its inputs past_key and past_value"
_MASK, _PAST_KEY, _PAST_VALUE = 3, 4, 5  # inputs of Attention
_HEADS = ("q_num_heads", "kv_num_heads")  # of inputs of rank 3
_SPLIT = [0, 2, 1, 3]  # tokens and heads change places
_WINDOWS = ("left_window_size", "right_window_size")


@dataclass(frozen=True, slots=True)
class Fixed:
    """A model without growing caches: its states as output by input, and names of the tensors that caches take."""

    model: LoadedModel
    states: dict[str, str]
    taken: tuple[str, ...] = ()  # [batch, heads, new tokens, width] each


def with_fixed_caches(model: LoadedModel, length: int | None, fixed: Iterable[str]) -> Fixed:
    """The model with room for `length` tokens in each cache that grows; `fixed` are inputs whose shape is given.

    Raises CompileError for caches that grow without a `length`, for a `length` without such caches, and for caches
    that are used in another way than `SUPPORTED` says.
    """
    growing = _growing(model.proto.graph, set(model.inputs))
    if length is None:
        for name, node in ((name, node) for name, node in growing.items() if name not in set(fixed)):
            raise CompileError(
                f"{model.where}: input '{name}' grows: node '{node_label(node)}' ({node.op_type}) appends"
                f" to it in every step: say how many tokens it is to hold by {option('max_length')} (which is for"
                f" {SUPPORTED}), or fix its shape for a single step by {option('shapes')}"
            )
        return Fixed(model, {})
    if not growing:
        raise CompileError(
            f"{model.where} has no cache that grows: {option('max_length')} is for {SUPPORTED}, where their number of"
            " tokens is dynamic"
        )
    proto = ModelProto()
    proto.CopyFrom(model.proto)
    rewriting = _Rewriting(proto, model.where, length)
    rewriting.apply(growing)
    constants = {tensor.name: numpy_helper.to_array(tensor) for tensor in rewriting.constants}
    rewritten = replace(
        model, proto=proto, arrays={**model.arrays, **constants}, inputs=(*model.inputs, rewriting.position)
    )
    return Fixed(rewritten, rewriting.states, tuple(rewriting.taken))


def check_taken(caches: Fixed, shape_of: Callable[[str], Sequence[int]]) -> None:
    """Refuse caches that take different numbers of tokens in a step: they would need positions of their own."""
    sizes = {shape_of(name)[TOKENS] for name in caches.taken}
    if len(sizes) > 1:
        raise CompileError(
            f"{caches.model.where}: its caches take {' or '.join(map(str, sorted(sizes)))} tokens in a step:"
            f" {option('max_length')} needs one position for all"
        )


def write_with_fixed_caches(model: Path, folder: Path, length: int) -> Path:
    """A file in the new `folder` with the model of the file `model` as `with_fixed_caches` makes it."""
    proto = inlined(onnx.load(str(model)), where_of(model))
    values = {tensor.name for tensor in proto.graph.initializer}
    inputs = {value.name for value in proto.graph.input} - values
    _Rewriting(proto, where_of(model), length).apply(_growing(proto.graph, inputs))
    folder.mkdir()
    path = folder / "model.onnx"
    onnx.save(proto, str(path), save_as_external_data=True, location="weights", size_threshold=1024)
    return path


def _growing(graph: GraphProto, inputs: set[str]) -> dict[str, NodeProto]:
    """Caches among `inputs`, with the node that appends to each and gives the result to an output of the graph."""
    infos = {value.name: value for value in graph.input if value.name in inputs}
    outputs = {value.name for value in graph.output}
    found: dict[str, NodeProto] = {}
    for node in graph.node:
        if node.op_type == "Attention" and not node.domain:
            found |= {name: node for name in node.input[_PAST_KEY : _PAST_VALUE + 1] if _grows(infos.get(name), TOKENS)}
        elif node.op_type == "Concat" and outputs.intersection(node.output):
            axis = next((attribute.i for attribute in node.attribute if attribute.name == "axis"), 0)
            found |= {name: node for name in node.input if _grows(infos.get(name), axis)}
    return found


def _grows(info: ValueInfoProto | None, axis: int) -> bool:
    """Whether a dimension of an input, which is not the batch, is dynamic."""
    if info is None or not info.type.tensor_type.HasField("shape"):
        return False
    dims = info.type.tensor_type.shape.dim
    place = axis + len(dims) if axis < 0 else axis
    return 0 < place < len(dims) and not dims[place].HasField("dim_value")


class _Rewriting:
    """One rewriting of a model in place: what it adds, and the states that it makes."""

    def __init__(self, proto: ModelProto, where: str, length: int) -> None:
        self._graph, self._where, self._length = proto.graph, where, length
        graph = proto.graph
        self._uses = Counter(name for node in graph.node for name in used_names(node))
        self._outputs = {value.name for value in graph.output}
        tensors = (*graph.input, *graph.output, *graph.initializer)
        self._names = {*(tensor.name for tensor in tensors), *(name for node in graph.node for name in node.output)}
        self._ranks, self._kinds = _forms(proto)
        self._made: list[NodeProto] = []
        self.constants: list[TensorProto] = []
        self.states: dict[str, str] = {}
        self.taken: list[str] = []
        self.position = self._fresh(POSITION)

    def apply(self, growing: dict[str, NodeProto]) -> None:
        """Rewrite the nodes that append to the caches `growing`, and add position and next position."""
        graph = self._graph
        for name, node in growing.items():
            self._check(name, node)
        for node in graph.node:
            if not growing.keys().isdisjoint(node.input):
                self._rewrite(node)
            else:
                self._made.append(node)
        following = self._fresh(NEXT)
        self._emit("Add", [self.position, self._size(self.taken[0], TOKENS)], following)
        self.states[self.position] = following
        copies = [type(node).FromString(node.SerializeToString()) for node in self._made]
        del graph.node[:], graph.value_info[:]
        graph.node.extend(copies)
        graph.initializer.extend(self.constants)
        graph.input.append(helper.make_tensor_value_info(self.position, TensorProto.INT64, [1]))
        graph.output.append(helper.make_tensor_value_info(following, TensorProto.INT64, [1]))
        for value in graph.input:
            if value.name in growing:
                value.type.tensor_type.shape.dim[TOKENS].dim_value = self._length
        for value in graph.output:
            if value.name in self.states.values() and value.name != following:
                value.type.tensor_type.ClearField("shape")

    def _check(self, name: str, node: NodeProto) -> None:
        """Refuse a cache that is used in another way than it is rewritten for."""
        reason = ""
        given = {attribute.name: attribute.i for attribute in node.attribute}
        pasts, presents = node.input[_PAST_KEY : _PAST_VALUE + 1], node.output[1:3]
        if node.op_type != "Attention":
            reason = f"appends to the cache '{name}'"
        elif len(pasts) < 2 or len(presents) < 2 or not self._outputs.issuperset(presents):
            reason = f"does not give the caches that it makes of '{name}' to outputs of the network"
        elif any(self._uses[value] != 1 for value in pasts) or any(self._uses[value] for value in presents):
            reason = f"is not the only one that uses the cache '{name}' and what becomes of it"
        elif len(node.output) > 3 and node.output[3]:
            reason = f"gives its scores, whose shape grows with the cache '{name}'"
        elif any(given.get(window, -1) >= 0 for window in _WINDOWS):
            reason = f"has a window of attention over the cache '{name}'"
        elif any(self._ranks.get(value) not in (3, 4) for value in node.input[:3]):
            reason = f"has inputs of unknown rank beside the cache '{name}'"
        if reason:
            raise CompileError(
                f"{self._where}: node '{node_label(node)}' ({node.op_type}) {reason}: {option('max_length')} is for"
                f" {SUPPORTED}, whose results are outputs and nothing else"
            )

    def _rewrite(self, node: NodeProto) -> None:
        """Put keys and values into their caches, and attend to what is in them by then."""
        names, label = list(node.input), node_label(node)
        heads, groups = (
            next((attribute.i for attribute in node.attribute if attribute.name == name), 0) for name in _HEADS
        )
        for place, (past, present) in enumerate(zip(names[_PAST_KEY:], node.output[1:3], strict=True), start=1):
            new = self._heads(names[place], groups)
            self.taken.append(new)
            shape = self._emit("Shape", [new])
            places = self._emit("Add", [self.position, self._counted(self._size(new, TOKENS))])
            column = self._emit("Reshape", [places, self._numbers([1, 1, -1, 1])])
            index = self._emit("Expand", [column, shape])
            self._emit("ScatterElements", [past, index, new], present, axis=TOKENS)
            self.states[past] = names[place] = present
        query = self._heads(names[0], heads)
        operands = [query, *names[1:_MASK], self._mask(node, query, self.taken[-1])]
        flat = query != names[0]
        result = self._fresh(f"{node.output[0]}/heads") if flat else node.output[0]
        made = helper.make_node("Attention", operands, [result], label)
        made.attribute.extend(attribute for attribute in node.attribute if attribute.name not in ("is_causal", *_HEADS))
        self._made.append(made)
        if flat:
            rows = self._emit("Transpose", [result], perm=_SPLIT)
            self._emit("Reshape", [rows, self._numbers([0, 0, -1])], node.output[0])

    def _mask(self, node: NodeProto, query: str, new: str) -> str:
        """The mask [queries, length] of keys that are there by now and, if it is causal, not later than the query."""
        causal = any(attribute.name == "is_causal" and attribute.i for attribute in node.attribute)
        queries = self._counted(self._size(query, TOKENS))
        if causal:
            last = self._emit("Add", [self.position, queries])
        else:
            size = self._emit("Sub", [self._size(new, TOKENS), self._numbers([1])])
            steps = self._emit("Mul", [queries, self._numbers([0])])
            last = self._emit("Add", [self._emit("Add", [self.position, size]), steps])
        rows = self._emit("Reshape", [last, self._numbers([-1, 1])])
        columns = self._numbers(range(self._length))
        allowed = self._emit("LessOrEqual", [columns, rows])
        given = node.input[_MASK] if len(node.input) > _MASK else ""
        if not given:
            return allowed
        if self._kinds.get(given) == TensorProto.BOOL:
            return self._emit("And", [given, allowed])
        lowest = self._emit("CastLike", [self._constant(np.array(-np.inf, np.float32)), given])
        return self._emit("Where", [allowed, given, lowest])

    def _heads(self, name: str, heads: int) -> str:
        """[batch, tokens, heads * width] as [batch, heads, tokens, width]."""
        if self._ranks[name] == len(_SPLIT):
            return name
        split = self._emit("Reshape", [name, self._numbers([0, 0, heads, -1])])
        return self._emit("Transpose", [split], perm=_SPLIT)

    def _size(self, name: str, dimension: int) -> str:
        """One dimension of a tensor, [1]."""
        return self._emit("Gather", [self._emit("Shape", [name]), self._numbers([dimension])])

    def _counted(self, size: str) -> str:
        """0, 1, ... up to a size [1]."""
        scalar = self._emit("Squeeze", [size])
        return self._emit("Range", [self._constant(np.array(0)), scalar, self._constant(np.array(1))])

    def _emit(self, kind: str, inputs: Sequence[str], output: str = "", **attributes: int | list[int]) -> str:
        made = output or self._fresh(f"{inputs[0]}/{kind.lower()}")
        node = helper.make_node(kind, list(inputs), [made], f"{made}/{kind}")
        node.attribute.extend(helper.make_attribute(name, value) for name, value in attributes.items())
        self._made.append(node)
        return made

    def _numbers(self, values: Iterable[int]) -> str:
        return self._constant(np.array(list(values), np.int64))

    def _constant(self, array: np.ndarray) -> str:
        name = self._fresh(f"{self.position}/constant")
        self.constants.append(numpy_helper.from_array(array, name))
        return name

    def _fresh(self, name: str) -> str:
        while name in self._names:
            name += "'"
        self._names.add(name)
        return name


def _forms(proto: ModelProto) -> tuple[dict[str, int], dict[str, int]]:
    """Rank and element type of each tensor for which ONNX infers them; sizes do not count."""
    graph = onnx.shape_inference.infer_shapes(proto).graph
    values = (*graph.input, *graph.value_info, *graph.output)
    shaped = {v.name: len(v.type.tensor_type.shape.dim) for v in values if v.type.tensor_type.HasField("shape")}
    ranks = {tensor.name: len(tensor.dims) for tensor in graph.initializer} | shaped
    return ranks, {v.name: v.type.tensor_type.elem_type for v in values}
