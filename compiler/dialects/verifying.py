"""Checks that verifiers of several dialects share."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import prod

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Operation, Region, SSAValue
from xdsl.utils.exceptions import VerifyException

from compiler.basis.suggest import suggestion
from compiler.dialects import attributes as attr
from compiler.dialects.boxes import BoxesAttr
from compiler.dialects.parts import RangesAttr
from emu.program.form import Form, box_shape, box_text


def verify_channels(channels: RangesAttr, tiles: Sequence[SSAValue]) -> None:
    """Raise VerifyException unless `channels` has a half-open range per tile that is as wide as the tile."""
    widths = [high - low for low, high in channels.data]
    wanted = [attr.shape_of(tile)[-1] for tile in tiles]
    if widths != wanted or any(low < 0 for low, _ in channels.data):
        raise VerifyException(f"channels must hold one range per tile, of {wanted} channels, not <{channels.text()}>")


def verify_boxes(boxes: BoxesAttr, tiles: Sequence[SSAValue]) -> None:
    """Raise VerifyException unless `boxes` tells for each tile where it stands in its tensor, and has its sizes."""
    if len(boxes) != len(tiles):
        raise VerifyException(f"boxes must hold {len(tiles)} boxes, one per tile, not {len(boxes)}")
    for box, tile in zip(boxes.data, tiles, strict=True):
        if box_shape(box) != attr.shape_of(tile) or any(low < 0 for low, _ in box):
            raise VerifyException(
                f"boxes holds {box_text(box)} for a tile of {list(attr.shape_of(tile))}: it must begin at 0 or later,"
                " and have its sizes"
            )


def verify_form(form: Form, boxes: BoxesAttr, tiles: Sequence[SSAValue]) -> None:
    """Raise VerifyException unless the form is one, and the tiles, which stand at `boxes`, are boxes of it."""
    if fault := form.fault():
        raise VerifyException(fault)
    verify_boxes(boxes, tiles)
    for box in boxes.data:
        if prod(form.extent) and (fault := form.box_fault(box)):
            raise VerifyException(f"a tile {box_text(box)} holds {fault}")


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
