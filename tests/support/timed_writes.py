"""The same random sets in which loops write crossbars with what they have computed, and rivals of the bank by turns."""

from __future__ import annotations

from dataclasses import dataclass, replace

from timed_nests import Nests
from timed_sets import GROUPS, WRITTEN

from emu.isa.address import Address
from emu.isa.dtypes import DType
from emu.program.builder import SectionBuilder

STAGING, INPUTS, OUTPUTS = 200, 0, 100


@dataclass
class Writings(Nests):
    """Nests in which every other computation is an operand that goes onto crossbars, and products with it."""

    def _compute(self, build: SectionBuilder) -> None:
        if self.choose.integer(0, 1):
            super()._compute(build)
        else:
            self._offload(build)

    def _offload(self, build: SectionBuilder) -> None:
        """Compute some rows, write them to a group, multiply with it or with what stood there, read the result."""
        choose, group = self.choose, self.choose.choice(WRITTEN)
        spec, staging = GROUPS[group], Address(STAGING)
        rows = choose.integer(0, min(3, spec.rows))
        build.emit("vvadd", (DType.i8,), (staging, self._place(build), self._place(build)), n=rows * spec.cols)
        build.emit("xbwrite", (DType.i8,), (staging,), group=group, row=choose.integer(0, spec.rows - rows), rows=rows)
        for _ in range(choose.integer(0, 2)):
            other = choose.choice((group, group, *WRITTEN))
            where = choose.choice((Address(OUTPUTS), self._place(build)))
            types = GROUPS[other].input, GROUPS[other].output
            build.emit("mvmul", types, (where, Address(INPUTS)), choose.choice(((), ("acc",))), group=other)
        if choose.integer(0, 1):
            result = replace(Address(OUTPUTS), stride=1)
            build.emit("vsum", (DType.i32,), (result, self._place(build)), n=choose.integer(0, 4))
