"""Dialect `indexed`: arrays [outer][entries][inner] and indices that are data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from xdsl.ir import Operation

from compiler.basis.weights import Array
from compiler.dialects import indexed
from compiler.interpreter.world import Meaning, Undefined, World

_UFUNCS: Mapping[str, np.ufunc] = {"add": np.add, "mul": np.multiply, "max": np.maximum, "min": np.minimum}


def _places(op: Operation, indices: Array, entries: int) -> Array:
    """Indices from 0 on; raises Undefined for one outside of the table."""
    if indices.size and (indices.min() < -entries or indices.max() >= entries):
        raise Undefined(op, f"has an index outside of {entries} entries")
    return np.where(indices < 0, indices + entries, indices)


def gathered(op: Operation, table: Array, indices: Array) -> Array:
    """Entries of a table by indices [n] for all lines, or [outer][n][inner]."""
    places = _places(op, indices, table.shape[1])
    return table[:, places] if places.ndim == 1 else np.take_along_axis(table, places, axis=1)


def put(op: Operation, table: Array, indices: Array, updates: Array, combine: str) -> Array:
    """The table in which updates replace what indices name, or are combined with it, in their order."""
    made, places = table.copy(), _places(op, indices, table.shape[1])
    for at in range(updates.shape[1]):
        if places.ndim == 1:
            where = (slice(None), places[at])
        else:
            outer, inner = np.ogrid[: table.shape[0], : table.shape[2]]
            where = (outer, places[:, at], inner)
        made[where] = updates[:, at] if combine == "assign" else _UFUNCS[combine](made[where], updates[:, at])
    return made


def extreme(x: Array, kind: str, last: bool) -> Array:
    """Where along the entries the largest or smallest element stands, [outer][inner]; of equal ones the first."""
    search = np.argmax if kind == "max" else np.argmin
    return x.shape[1] - 1 - search(x[:, ::-1], axis=1) if last else search(x, axis=1)


def sorted_first(x: Array, count: int, largest: bool) -> tuple[Array, Array]:
    """The `count` largest or smallest entries in order, and where they stand; of equal ones the first comes first."""
    key = x.astype(np.float64) if x.dtype.kind == "f" else x.astype(np.int64)
    order = np.argsort(-key if largest else key, axis=1, kind="stable")[:, :count]
    return np.take_along_axis(x, order, axis=1), order


def _gather(op: indexed.GatherOp, args: Sequence[Array], world: World) -> list[Array]:
    return [gathered(op, *args)]


def _put(op: indexed.PutOp, args: Sequence[Array], world: World) -> list[Array]:
    table, indices, updates = args
    return [put(op, table, indices, updates, op.combine.data)]


def _arg(op: indexed.ArgOp, args: Sequence[Array], world: World) -> list[Array]:
    return [extreme(args[0], op.kind.data, bool(op.last.value.data))]


def _topk(op: indexed.TopKOp, args: Sequence[Array], world: World) -> list[Array]:
    return [*sorted_first(args[0], op.parts[0].type.get_shape()[1], bool(op.largest.value.data))]


MEANINGS: Mapping[type[Operation], Meaning] = {
    indexed.GatherOp: _gather,
    indexed.PutOp: _put,
    indexed.ArgOp: _arg,
    indexed.TopKOp: _topk,
}
