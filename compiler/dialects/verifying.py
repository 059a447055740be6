"""Checks that verifiers of several dialects share."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import prod

from xdsl.dialects.builtin import DenseArrayBase, StringAttr
from xdsl.ir import Attribute, Operation, Region, SSAValue
from xdsl.utils.exceptions import VerifyException

from compiler.basis.suggest import suggestion
from compiler.dialects import attributes as attr
from emu.program.form import Form, box_text


def verify_channels(channels: DenseArrayBase, tiles: Sequence[SSAValue]) -> None:
    """Raise VerifyException unless `channels` has a half-open range per tile that is as wide as the tile."""
    bounds = attr.values(channels)
    widths = [high - low for low, high in zip(bounds[::2], bounds[1::2], strict=False)]
    wanted = [attr.shape_of(tile)[-1] for tile in tiles]
    if len(bounds) != 2 * len(wanted) or widths != wanted or min(bounds, default=0) < 0:
        raise VerifyException(f"channels must hold one range per tile, of {wanted} channels, not {list(bounds)}")


def verify_offsets(offsets: DenseArrayBase, tiles: Sequence[SSAValue]) -> None:
    """Raise VerifyException unless `offsets` tells where each tile begins in its tensor, one number per size of it."""
    numbers, wanted = attr.values(offsets), sum(len(attr.shape_of(tile)) for tile in tiles)
    if len(numbers) != wanted or min(numbers, default=0) < 0:
        raise VerifyException(f"offsets must hold {wanted} numbers from 0 on, one per axis of each tile")


def verify_form(properties: Mapping[str, Attribute], offsets: DenseArrayBase, tiles: Sequence[SSAValue]) -> Form:
    """Raise VerifyException unless the form is one, and the tiles, which begin at `offsets`, are boxes of it."""
    form = attr.form_of(properties)
    verify_offsets(offsets, tiles)
    for box in attr.boxes(offsets, tiles):
        if prod(form.extent) and (fault := form.box_fault(box)):
            raise VerifyException(f"a tile {box_text(box)} holds {fault}")
    return form


def verify_name(what: str, name: StringAttr, known: Iterable[str]) -> None:
    """Raise VerifyException, with advice, for a name that is not known."""
    if name.data not in known:
        raise VerifyException(f'{what} = "{name.data}" does not exist{suggestion(name.data, known)}')


def verify_body(body: Region, refused: tuple[type[Operation], ...]) -> None:
    """Raise VerifyException for operations of other dialects, of `refused`, kernels on tensors, and arguments."""
    if len(body.block.args):
        raise VerifyException("takes no values: buffers are those of pim.alloc and pim.constant")
    for item in body.block.ops:
        dialect = item.name.partition(".")[0]
        if dialect not in ("pim", "kernel") or isinstance(item, refused):
            raise VerifyException(f"cannot hold a {item.name}")
        if dialect == "kernel" and "segments" not in item.properties:
            raise VerifyException(f"cannot hold a {item.name} on tensors")
