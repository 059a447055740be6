"""Crossbar products: whole crossbars take whole inputs, so what a group does not use is filled up with zeros."""

from __future__ import annotations

from emu.interop.pim_isa.exporting.crossbars import GroupRows
from emu.interop.pim_isa.exporting.refusal import ExportRefusal
from emu.interop.pim_isa.exporting.writer import CoreWriter, Hull, plus, same
from emu.isa.address import Address
from emu.isa.dtypes import DType
from emu.isa.instruction import FLAG_BITS
from emu.program.group import GroupSpec
from emu.program.section import Instr


def product(to: CoreWriter, instr: Instr, hulls: tuple[Hull, ...]) -> None:
    """`mvmul`: partial sums of row tiles, added in their order as our crossbars do it."""
    number = int(instr.field("group"))
    spec, tiles = to.crossbars.specs[number], to.crossbars.tiles[number]
    target, source = instr.operands
    accumulate, relu = (bool(instr.flags & FLAG_BITS[name]) for name in ("acc", "relu"))
    adds = accumulate or len(tiles) > 1
    if adds and spec.output is DType.f16:
        raise ExportRefusal("sums of f16 are kept in f32, for which PIM-ISA has no place")
    if adds and hulls[0].meets(hulls[1]):
        source = _copied(to, source, spec)
    for k, tile in enumerate(tiles):
        given = _whole_input(to, plus(source, tile.low * spec.input.size), spec, tile)
        fits = tile.outputs == spec.cols
        fresh = k == 0 and not accumulate
        place = target if fresh and fits else to.area("product", tile.outputs * spec.output.size)
        to.emit(
            "mvmul",
            place,
            given,
            types=(spec.input, spec.output),
            mbiw=8 * spec.weight.size,
            group=tile.number,
            relu=int(relu and not adds),
        )
        if not fresh:
            to.emit("vvadd", target, target, place, types=same(spec.output), len=spec.cols)
        elif not fits:
            to.emit("lmv", target, place, len=spec.cols * spec.output.size)
    if relu and adds:
        to.emit("vrelu", target, target, types=same(spec.output), len=spec.cols)


def _copied(to: CoreWriter, source: Address, spec: GroupSpec) -> Address:
    """The input where no partial sum is written over it."""
    nbytes = spec.rows * spec.input.size
    area = to.area("input", nbytes)
    to.emit("lmv", area, source, len=nbytes)
    return area


def _whole_input(to: CoreWriter, source: Address, spec: GroupSpec, tile: GroupRows) -> Address:
    """As many inputs as a crossbar has rows: those of the tile, then zeros."""
    used, size, rows = tile.high - tile.low, spec.input.size, to.crossbars.cells.rows
    if used == rows:
        return source
    area = to.cleared(used * size, rows * size)
    to.emit("lmv", area, source, len=used * size)
    return area
