"""The instructions of a foreign core as a section of ours: what only prepares others is left out."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from emu.interop.pim_isa.format.source_map import CoreMap
from emu.interop.pim_isa.importing.lowering import LOWERING, ImportedRow, SectionWriter
from emu.interop.pim_isa.importing.registers import ARITHMETIC, sources
from emu.interop.pim_isa.importing.resolve import PLACES, Effective
from emu.interop.pim_isa.importing.row_matrix import PLACE
from emu.interop.pim_isa.isa import BY_CODE, SINGLE, UNIT_OF, PimUnit, among, having
from emu.interop.rolling.rolled import Rolled, items_in_loops
from emu.isa.address import Address
from emu.isa.dtypes import DType
from emu.program.program import Source

_TYPES = list(DType)
_FIELDS = ("len", "size", "core", "relu", "event_register", "wait_value")


class Projection:
    """Writes items of `rows` to a section; `loads`: the core loads registers, which are then kept up.

    A core that does is never rolled, so its rows are the instructions of `found`. What is written has a source map with
    the instruction of the file that it is of, and the node if `network` tells it. `ends` are instructions of the file
    at which no loop goes on; afterwards `begins` tells for each the index of what is written for it.
    """

    def __init__(
        self, to: SectionWriter, core: int, rows: Rolled, found: Effective, network: CoreMap, ends: Sequence[int]
    ) -> None:
        self._to, self._core, self._rows, self._found = to, core, rows, found
        self._network, self._ends, self.begins = network, list(ends), dict[int, int]()
        self._first, self._body = rows.timeline.start.tolist(), rows.timeline.length.tolist()
        self._sources: list[Source] = []

    def write(self) -> tuple[Source, ...]:
        """All of it; returns the source map."""
        for item, loops in items_in_loops(self._rows, self._to.section, _executed(self._rows, self._found)):
            if not loops:
                self._reach(self._first[item])
            self._name(item, loops)
            if not self._rows.trips[item]:
                self._row(item)
        self._to.section.source = -1
        self._reach(self._rows.instructions)
        return tuple(self._sources)

    def _name(self, item: int, loops: tuple[int, ...]) -> None:
        """What follows is of the instruction at `item`: its place in the file, with the counters of loops."""
        steps = "".join(f" + {self._body[loop]}*i{level}" for level, loop in enumerate(loops))
        self._to.section.source = len(self._sources)
        node = self._network.source(self._first[item]).node
        self._sources.append(Source(node, f"core{self._core}[{self._first[item]}{steps}]"))

    def _reach(self, instruction: int) -> None:
        """What is written next is of this instruction of the file, or of one behind it."""
        while self._ends and self._ends[0] <= instruction:
            self.begins[self._ends.pop(0)] = len(self._to.section)

    def _row(self, item: int) -> None:
        base = self._rows.base[item].tolist()
        op = BY_CODE[base[PLACE["op"]]]
        addresses = [self._address(item, base, place) for place in PLACES]
        target, first, second = (
            address if operand is not None else None for address, operand in zip(addresses, op.operands, strict=True)
        )
        if op.unit == PimUnit.FRONT:
            self._scalar(item, op.name, base, first)
            return
        row = ImportedRow(
            op,
            target,
            first,
            second,
            _TYPES[base[PLACE["input"]]],
            _TYPES[base[PLACE["output"]]],
            bool(base[PLACE["apart"]]),
            base[PLACE["extra"]],
            {name: base[PLACE[name]] for name in _FIELDS} | {"imm": base[PLACE["byte"]]},
            base[PLACE["use"]],
        )
        LOWERING[op.name](self._to, row)

    def _address(self, item: int, base: list[int], place: str) -> Address:
        field = PLACE[place]
        stride = base[PLACE["extra"]] if place == "first" and BY_CODE[base[PLACE["op"]]].stride else 1
        return Address(base[field], self._rows.terms(item, field), base[PLACE[f"{place}_register"]], stride)

    def _scalar(self, item: int, name: str, base: list[int], first: Address | None) -> None:
        """An instruction that makes a register that is loaded; what else it needs is set first."""
        section = self._to.section
        if name == "sld":
            assert first is not None
            section.emit("sld", (), (first,), rd=base[PLACE["rd"]])
            return
        fields = {key: base[PLACE[key]] for key in BY_CODE[base[PLACE["op"]]].fields}
        for key in sources(base[PLACE["op"]]):
            value, loaded = self._found.registers.read(np.array([item]), np.array([fields[key]]))
            if not loaded[0]:
                section.emit("sldi", rd=fields[key], imm=int(value[0]))
        section.emit(name, (), (), (), **fields)


def _executed(rows: Rolled, found: Effective) -> np.ndarray:
    """Which items are rows that do something: no preparation, and no elements or bytes of which there are none."""
    op = rows.base[:, PLACE["op"]].astype(np.uint8)
    unit = UNIT_OF[op]
    kept = (unit != PimUnit.FRONT) & (rows.trips == 0)
    elements = having(op, "len") & ~among(op, *SINGLE)
    kept &= ~(elements & (rows.base[:, PLACE["len"]] == 0))
    kept &= ~(among(op, "ld", "st") & (rows.base[:, PLACE["size"]] == 0))
    if found.loads_registers:
        kept |= among(op, "sld", *ARITHMETIC) & found.registers.loaded
    return kept
