"""The rule for Attention: new keys and values are put behind those that are there, and none behind them is attended."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from onnx import TensorProto

from compiler.caches.appending import put_behind
from compiler.caches.facts import Tail
from compiler.caches.lengths import Length
from compiler.caches.step import Rule, Step

TOKENS = 2  # the axis of [batch, heads, tokens, width]
_MASK, _PASTS, _COUNTS = 3, (4, 5), 6  # inputs
_SCORES = 3  # output
_HEADS = ("q_num_heads", "kv_num_heads")  # of inputs of rank 3
_SPLIT = [0, 2, 1, 3]  # tokens and heads change places
_WINDOWS = ("left_window_size", "right_window_size")


def attention(step: Step) -> None:
    """Attention with operands of rank 4, whose mask says what keys are there."""
    names = [step.operand(index) if name else "" for index, name in enumerate(step.inputs)]
    _check(step, names)
    heads, groups = (step.integer(name, 0) for name in _HEADS)
    query = _heads(step, names[0], heads)
    if step.has(_PASTS[0]):
        operands = [_appended(step, names, place, _heads(step, names[place], groups)) for place in (1, 2)]
        length = step.dims(step.outputs[1])[TOKENS]
    else:
        operands = [_heads(step, _finite(step, names[place]), groups) for place in (1, 2)]
        length = step.dims(names[1])[-2]
    flat = query != names[0]
    result = step.writer.fresh(f"{step.outputs[0]}/heads") if flat else step.outputs[0]
    mask = _mask(step, names[_MASK] if step.has(_MASK) else "", length)
    step.write([query, *operands, mask], [result], without=("is_causal", *_HEADS))
    if flat:
        rows = step.emit("Transpose", [result], perm=_SPLIT)
        step.emit("Reshape", [rows, step.writer.numbers(step.shape(step.outputs[0]))], step.outputs[0])
    step.learn_of(step.outputs[0])


def _check(step: Step, names: list[str]) -> None:
    """Refuse forms that the mask cannot stand for."""
    past = step.has(_PASTS[0])
    if past and (not step.has(_PASTS[1]) or len(list(filter(None, step.outputs[1:3]))) < 2):
        step.refuse("does not give the caches that it makes to outputs of the network")
    if len(step.outputs) > _SCORES and step.outputs[_SCORES]:
        step.refuse("gives its scores")
    if any(step.integer(window, -1) >= 0 for window in _WINDOWS):
        step.refuse("has a window of attention")
    if step.has(_COUNTS):
        step.refuse("has a number of keys for each sample")
    if not past and (step.integer("is_causal", 0) or any(step.outputs[1:3])):
        step.refuse("is causal, or gives its keys, without past keys")
    if step.grown(names[0]) or (past and (step.grown(names[1]) or step.grown(names[2]))):
        step.refuse("appends, or asks for, a number of tokens that grows")
    if not past and step.dims(names[1])[-2] != step.dims(names[2])[-2]:
        step.refuse("has other keys than values")
    if not past and not step.dims(names[1])[-2].grows:
        step.refuse("has a mask that grows, and keys that do not")


def _appended(step: Step, names: list[str], place: int, new: str) -> str:
    """The cache with the new keys or values of [batch, heads, tokens, width]."""
    past, present = names[_PASTS[place - 1]], step.outputs[place]
    first, shape = step.dims(past)[TOKENS], step.shape(present)
    shape[TOKENS] = step.dims(names[place])[-2].fixed
    put_behind(step, past, new, first.fixed, shape, TOKENS, present)
    tail = step.tail(past, TOKENS)
    step.learn_of(present, {TOKENS: tail})
    return present if tail < Tail.ANY else step.masked(present, TOKENS, "zero")


def _finite(step: Step, name: str) -> str:
    """Keys or values with nothing behind their end that spoils a sum."""
    axis = len(step.dims(name)) - 2
    return name if step.tail(name, axis) < Tail.ANY else step.masked(name, axis, "zero")


def _mask(step: Step, given: str, length: Length) -> str:
    """The mask [queries, room] of keys that are there by now and, if it is causal, not later than the query."""
    writer, room = step.writer, step.room.length
    queries = step.dims(step.inputs[0])[-2].fixed
    if step.integer("is_causal", 0):
        new = step.dims(step.inputs[1])[-2].fixed
        rows = writer.constant(np.arange(queries).reshape(-1, 1) + length.fixed - new)
        allowed = step.emit("LessOrEqual", [writer.numbers(range(room)), step.emit("Add", [writer.position, rows])])
    else:
        allowed = step.emit("Expand", [writer.valid(length, room, 0), writer.numbers([queries, room])])
    if not given:
        return allowed
    if step.dims(given)[-1] not in (length, Length(1)):
        step.refuse("has a mask of another length than its keys")
    kind = step.rewriting.survey.kinds[given]
    if kind == TensorProto.BOOL:
        return step.emit("And", [given, allowed])
    return step.emit("Where", [allowed, given, writer.lowest(kind)])


def _heads(step: Step, name: str, heads: int) -> str:
    """[batch, tokens, heads * width] as [batch, heads, tokens, width]."""
    sizes = step.shape(name)
    if len(sizes) == len(_SPLIT):
        return name
    split = step.emit("Reshape", [name, step.writer.numbers([*sizes[:2], heads, sizes[2] // heads])])
    return step.emit("Transpose", [split], perm=_SPLIT)


RULES: Mapping[str, Rule] = {"Attention": attention}
