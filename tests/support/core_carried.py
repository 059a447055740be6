"""Random loops that carry dependences in some instructions: shifted arrays, rings, moving registers, integer sums."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from emu.isa.address import Address, Term
from emu.isa.dtypes import DType
from emu.isa.table import BY_NAME
from emu.program.builder import SectionBuilder


class Carried:
    """Writes one such nest."""

    def __init__(self, choose: Any) -> None:
        self.choose = choose

    def write(self, builder: SectionBuilder) -> None:
        """Loops that carry dependences in some instructions: shifted arrays, rings, moving registers, integer sums."""
        choose = self.choose
        shape = tuple(choose.choice((2, 3, 4, 5, 7)) for _ in range(choose.choice((1, 1, 2))))
        width, rings, moving = 4 * choose.choice((1, 2)), choose.integer(0, 2) == 0, choose.integer(0, 2) == 0
        if moving:
            builder.emit("sldi", rd=1, imm=choose.choice((0, 16, 100)))
        self._level(builder, shape, (), width, rings, moving)

    def _level(
        self,
        builder: SectionBuilder,
        shape: Sequence[int],
        trips: tuple[int, ...],
        width: int,
        rings: bool,
        moving: bool,
    ) -> None:
        choose = self.choose
        with builder.loop(shape[0]):
            trips = (*trips, shape[0])
            for _ in range(choose.integer(1, 3)):
                self._instruction(builder, trips, width, rings, moving)
            if shape[1:]:
                self._level(builder, shape[1:], trips, width, rings, moving)
                if choose.integer(0, 1):
                    self._instruction(builder, trips, width, rings, moving)
            if moving and choose.integer(0, 1):
                self._step_register(builder)

    def _step_register(self, builder: SectionBuilder) -> None:
        choose = self.choose
        name = choose.choice(("saddi", "saddi", "saddi", "sldi", "sadd", "smuli"))
        rd = choose.choice((1, 1, 1, 2))
        fields = {"rd": rd, "rs1": choose.choice((rd, 1)), "rs2": 2, "imm": choose.choice((4, 8, -4, 0, 1))}
        builder.emit(name, **{field: fields[field] for field in BY_NAME[name].fields})

    def _instruction(
        self, builder: SectionBuilder, trips: tuple[int, ...], width: int, rings: bool, moving: bool
    ) -> None:
        choose, n = self.choose, width // 4
        dtype = choose.choice((DType.f32, DType.i32, DType.i32, DType.i16))
        name = choose.choice(("vvadd", "vvadd", "vvsub", "vvmax", "vrelu", "lmv", "vsadd"))
        dst, a, b = (self._shifted(trips, width, rings, moving) for _ in range(3))
        if name == "lmv":
            builder.emit(name, (), (dst, a), size=width)
        elif name in ("vrelu", "vsadd"):
            builder.emit(name, (dtype,), (dst, a), n=n, **({"imm": 1} if name == "vsadd" else {}))
        else:
            builder.emit(name, (dtype,), (dst, dst if choose.integer(0, 1) else a, b), n=n)

    def _shifted(self, trips: tuple[int, ...], width: int, rings: bool, moving: bool) -> Address:
        """An element of one of three arrays, shifted by up to two places, perhaps the same for all iterations."""
        choose = self.choose
        base, terms, span = 16 + 240 * choose.integer(0, 2) + width * choose.integer(0, 2), list[Term](), width
        for loop in reversed(range(len(trips))):
            modulus = choose.choice((2, 3, 4)) if rings and choose.integer(0, 1) else 0
            if choose.integer(0, 3):
                terms.insert(0, Term(loop, span, choose.integer(0, 3) if modulus else 0, modulus))
            span *= trips[loop]
        if moving and choose.integer(0, 1):
            return Address(base, tuple(terms[:1]) if choose.integer(0, 1) else (), choose.choice((1, 1, 2)))
        return Address(base, tuple(terms))
