"""Layers before the first product: they are cut as those behind them are, or one core would make what these share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.ir import Operation, SSAValue

from compiler.dialects import attributes as attr
from compiler.dialects import spat
from compiler.mapping.schedules.following import Banded

Leader = spat.LayerOp | spat.InputOp


def leading(ops: Sequence[Operation], planned: Mapping[spat.LayerOp, Banded]) -> dict[Leader, Banded]:
    """The bands of the layers among `ops` that inputs alone lead to, from those of the products in `planned`.

    Of several that use a tensor, the one with the most bands counts. A constant is cut where it has as many places as
    the result: a table in which a layer looks things up stays whole. A network input is cut, too, unless its bands are
    along the first axis, of which cores load single rows anyway.
    """
    wanted: dict[SSAValue, Banded] = {}
    found: dict[Leader, Banded] = {}
    early = _early(ops)
    for op in reversed(ops):
        banded = planned.get(op) if isinstance(op, spat.LayerOp) else None
        if banded is None and any(result in early for result in op.results):
            banded = max(filter(None, map(wanted.get, op.results)), key=_count, default=None)
            if banded is not None and (isinstance(op, spat.LayerOp) or _is_cut(op, banded)):
                found[op] = banded  # type: ignore[index]
        if banded is None:
            continue
        for value in op.operands:
            here = banded.of(attr.shape_of(value))
            if value in early and here is not None and (here.size == banded.size or not _is_constant(value)):
                wanted[value] = max(wanted.get(value, here), here, key=_count)
    return found


def _early(ops: Sequence[Operation]) -> set[SSAValue]:
    """The tensors that are made of inputs by layers with one result that multiply with no weights."""
    early = set[SSAValue]()
    for op in ops:
        made = isinstance(op, spat.PlainLayerOp) and len(op.outputs) == 1
        if isinstance(op, spat.InputOp) or (
            (made or isinstance(op, spat.JoinOp)) and all(value in early for value in op.operands)
        ):
            early.update(op.results)
    return early


def _is_constant(value: SSAValue) -> bool:
    return isinstance(value.owner, spat.LayerOp) and not value.owner.operands


def _is_cut(op: Operation, banded: Banded) -> bool:
    """Whether an operation is an input that is cut along another axis than the first one."""
    return isinstance(op, spat.InputOp) and len(attr.shape_of(op.tile)) + banded.axis > 0


def _count(banded: Banded) -> int:
    return len(banded.bands)
