"""Gives key-value caches that grow with every step a fixed capacity and a position, which is a state like them.

A decoder appends new keys and values to those of the steps before. Its caches have no shape that holds for every step,
and so none of the machine. With a capacity they have: new entries are put at the position, and what is behind them
counts nowhere. The position is an input, the next one an output.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import onnx
from onnx import ModelProto, TensorProto, helper, numpy_helper

from compiler.caches.facts import Facts, Tail
from compiler.caches.lengths import CacheRoom, Length, Lengths
from compiler.caches.rewriting import Rewriting
from compiler.caches.roles import Cache, InputShapes, check_caches, read_inputs
from compiler.caches.rules import apply_rule
from compiler.caches.survey import ValueSurvey, surveyed_positions
from compiler.caches.writer import CacheWriter
from compiler.evaluation.graphs import put
from compiler.frontend.graph_checks import node_label, opset_of
from compiler.frontend.input_shapes import Shape
from compiler.frontend.model import LoadedModel
from emu.errors import CompileError, option

POSITION, NEXT = "position", "next_position"
SUPPORTED = "key-value caches, to which a step appends by Concat or Attention what an output gives back"
_OLDEST = 13  # operator set whose operators the rules know
_MOST_TOKENS = 6  # numbers of tokens in a step that are tried


@dataclass(frozen=True, slots=True)
class FixedModel:
    """A model without growing caches: its states as output by input, its capacity and the tokens of a step."""

    model: LoadedModel
    states: dict[str, str]
    room: CacheRoom | None = None

    def save(self, folder: Path) -> Path:
        """A file of the model, with its weights beside it, in the new `folder`."""
        proto = ModelProto()
        proto.CopyFrom(self.model.proto)
        kept = [value for value in proto.graph.input if value.name not in self.model.arrays]
        used = {name for node in proto.graph.node for name in node.input} | {v.name for v in proto.graph.output}
        del proto.graph.input[:], proto.graph.initializer[:]
        proto.graph.input.extend(kept)
        for name, array in self.model.arrays.items():
            if name in used:
                whole = np.ascontiguousarray(array).reshape(array.shape)
                proto.graph.initializer.append(numpy_helper.from_array(whole, name))
        folder.mkdir()
        path = folder / "model.onnx"
        onnx.save(proto, str(path), save_as_external_data=True, location="weights", size_threshold=1024)
        return path


def with_fixed_caches(model: LoadedModel, length: int | None, shapes: Mapping[str, Shape]) -> FixedModel:
    """The model with room for `length` tokens in each cache that grows; `shapes` are those of its other inputs.

    Raises CompileError for caches that grow without a `length`, for a `length` without such caches, and for what
    follows from them in a way that no rule knows.
    """
    inputs = read_inputs(model, shapes)
    if length is None:
        for cache in inputs.caches:
            raise CompileError(
                f"{model.where}: input '{cache.input}' grows: node '{node_label(cache.node)}' ({cache.node.op_type})"
                f" appends to it in every step: say how many tokens it is to hold by {option('max_length')} (which is"
                f" for {SUPPORTED}), or fix its shape for a single step by {option('shapes')}"
            )
        return FixedModel(model, {})
    check_caches(model, inputs)
    if not inputs.caches:
        raise CompileError(
            f"{model.where} has no cache that grows: {option('max_length')} is for {SUPPORTED}, where their number of"
            " tokens is dynamic"
        )
    if opset_of(model.proto, model.where) < _OLDEST:
        raise CompileError(
            f"{model.where} is of operator set {opset_of(model.proto, model.where)}: {option('max_length')} is for"
            f" {_OLDEST} and newer: export the model again, or convert it by onnx.version_converter"
        )
    return _rewritten(model, inputs, *_surveyed(model, inputs, length))


def _surveyed(model: LoadedModel, inputs: InputShapes, length: int) -> tuple[ValueSurvey, CacheRoom, dict[str, Cache]]:
    """The model at some positions, with the first number of tokens in a step for which its shapes fit together."""
    errors: list[CompileError] = []
    for step, total in _tries(inputs):
        try:
            survey = ValueSurvey(model, inputs.at(step, total), surveyed_positions(length - step))
            caches = _chosen(survey, inputs)
            room = _room(survey, caches, length)
        except CompileError as error:
            errors.append(error)
            continue
        if not inputs.others or room.step == step:
            _check_others(survey, inputs, step, total)
            return survey, room, caches
    unknown = [name for name in inputs.others if not inputs.is_told(name)]
    if not unknown and errors:
        raise errors[0]
    reason = f" ({str(errors[0]).removeprefix(f'{model.where}: ')})" if errors else ""
    name = (unknown or inputs.others)[0]
    raise CompileError(
        f"{model.where}: input '{name}' has a dynamic shape that does not fit to the caches: give it as in"
        f" {option('shapes', {name: (1,) * len(inputs.dims[name])})}{reason}"
    )


def _tries(inputs: InputShapes) -> Iterator[tuple[int, bool]]:
    """Numbers of tokens in a step, and whether masks are as long as the caches after it."""
    if not inputs.others:
        yield 1, True
        return
    shapes = [axes for axes in inputs.dims.values() if all(isinstance(axis, int) for axis in axes)]
    sizes = [int(axis) for axes in shapes for axis in (*axes[1:], *axes[:1])]
    for step in list(dict.fromkeys(size for size in sizes if size >= 1))[:_MOST_TOKENS]:
        yield step, True
        yield step, False


def _room(survey: ValueSurvey, caches: Mapping[str, Cache], length: int) -> CacheRoom:
    """The tokens that a step appends, the same to all caches; refuses others, and more than there is room for."""
    where, steps = survey.model.where, {_appended(survey, cache) for cache in caches.values()}
    if len(steps) > 1:
        raise CompileError(
            f"{where}: its caches take {' or '.join(map(str, sorted(steps)))} tokens in a step:"
            f" {option('max_length')} needs one position for all"
        )
    if max(steps) > length:
        raise CompileError(
            f"{where}: its caches take {max(steps)} tokens in a step: {option('max_length')} must be as large at least"
        )
    return CacheRoom(length, max(steps))


def _chosen(survey: ValueSurvey, inputs: InputShapes) -> dict[str, Cache]:
    """Of each cache the output that becomes it: the first one of its shape."""
    found: dict[str, Cache] = {}
    for cache in inputs.caches:
        if _appended(survey, cache):
            found.setdefault(cache.input, cache)
    for cache in inputs.caches:
        if cache.input not in found:
            past, present = survey.dims[cache.input], survey.dims.get(cache.output, ())
            raise CompileError(
                f"{survey.model.where}: node '{node_label(cache.node)}' ({cache.node.op_type}) makes output"
                f" '{cache.output}' of [{', '.join(map(str, present))}] of the cache '{cache.input}' of"
                f" [{', '.join(map(str, past))}]: {option('max_length')} is for caches that keep their layout and"
                " become longer"
            )
    return found


def _appended(survey: ValueSurvey, cache: Cache) -> int:
    """The tokens by which an output is longer than a cache of the same layout; 0 for another layout."""
    past, present = survey.dims[cache.input], survey.dims.get(cache.output, ())
    axis = next(axis for axis, size in enumerate(past) if size.grows)
    step = present[axis].fixed if len(present) == len(past) else 0
    return step if present == (*past[:axis], Length(step, 1), *past[axis + 1 :]) else 0


def _check_others(survey: ValueSurvey, inputs: InputShapes, step: int, total: bool) -> None:
    """Refuse an input whose dynamic axis is not bound to that of the caches: it could have any size."""
    for name in inputs.others:
        if inputs.is_told(name):
            continue
        lengths = inputs.at(step, total)
        lengths[name] = tuple(Length(size.fixed + 1, 1) if size.grows else size for size in lengths[name])
        try:
            ValueSurvey(survey.model, lengths, survey.positions)
        except CompileError:
            continue
        raise CompileError(
            f"{survey.model.where}: input '{name}' has a dynamic shape that does not depend on its caches: give it as"
            f" in {option('shapes', {name: (1,) * len(lengths[name])})}"
        )


def _rewritten(
    model: LoadedModel, inputs: InputShapes, survey: ValueSurvey, room: CacheRoom, caches: Mapping[str, Cache]
) -> FixedModel:
    proto = ModelProto()
    proto.CopyFrom(model.proto)
    graph = proto.graph
    tensors = (*graph.input, *graph.output, *graph.initializer)
    taken = {*(tensor.name for tensor in tensors), *(name for node in graph.node for name in node.output)}
    writer = CacheWriter(taken | model.arrays.keys(), POSITION)
    facts = dict[str, Facts]()
    for name in model.inputs:
        if survey.grows(name):
            behind, cache = (Tail.FINITE, name) if name in caches else (Tail.ANY, next(iter(caches)))
            facts[name] = Facts({axis: behind for axis, size in enumerate(survey.dims[name]) if size.grows}, cache)
    rewriting = Rewriting(survey, room, writer, facts, apply_rule)
    rewriting.run([value.name for value in graph.output])
    states = {cache.input: cache.output for cache in caches.values()}
    _check_outputs(rewriting, states, [value.name for value in graph.output])
    following = writer.fresh(NEXT)
    writer.emit("Add", [writer.position, writer.numbers([room.step])], following)
    states[writer.position] = following
    _replace(proto, writer, survey.dims, inputs, room)
    graph.output.append(helper.make_tensor_value_info(following, TensorProto.INT64, [1]))
    arrays = {**model.arrays, **writer.constants}
    rewritten = replace(model, proto=proto, arrays=arrays, inputs=(*model.inputs, writer.position))
    return FixedModel(rewritten, states, room)


def _check_outputs(rewriting: Rewriting, states: Mapping[str, str], outputs: list[str]) -> None:
    """Refuse outputs that grow and are no states, and states that may hold infinite numbers behind their end."""
    survey = rewriting.survey
    for cache, output in states.items():
        if any(rewriting.tail(output, axis) > Tail.FINITE for axis in rewriting.facts[output].tails):
            node = survey.made_by[output]
            raise survey.refusal(node, f"computes the elements of output '{output}' instead of keeping them", cache)
    for name in outputs:
        if survey.grows(name) and name not in states.values():
            raise survey.refusal(survey.made_by[name], f"makes output '{name}', which grows and is no cache")


def _replace(
    proto: ModelProto, writer: CacheWriter, dims: Mapping[str, Lengths], inputs: InputShapes, room: CacheRoom
) -> None:
    """Put what was written into a model, and the room of its inputs."""
    graph = proto.graph
    put(graph.node, writer.nodes)
    del graph.value_info[:]
    graph.initializer.extend(writer.tensors())
    for value in graph.input:
        if value.name not in inputs.dims:
            continue
        for place, (dim, size) in enumerate(zip(value.type.tensor_type.shape.dim, dims[value.name], strict=True)):
            if place or value.name not in inputs.assumed:
                dim.dim_value = room.length if size.grows else size.fixed
    for value in graph.output:
        if value.type.HasField("tensor_type"):
            value.type.tensor_type.ClearField("shape")
    graph.input.append(helper.make_tensor_value_info(writer.position, TensorProto.INT64, [1]))
