"""The decode stage of a core, edge by edge: values of registers, and how often its parts are active.

The register file has a write port (seen at once by who reads), behind it a register of one cycle, behind that the
registers. A scalar instruction that is held up in decode runs again in every cycle in which its operands have changed:
also those that it wrote itself.
"""

from __future__ import annotations

from dataclasses import dataclass

from emu.errors import ProgramError
from emu.interop.pim_isa.format.program import CoreColumns
from emu.interop.pim_isa.isa import BY_CODE, BY_NAME, PAIRS, REGISTERS, SCALARS, codes, computed

_SCALARS, _PAIRS = frozenset(codes(*SCALARS)), frozenset(codes(*PAIRS))
_LEAVING = -1
MAX_AGAIN = 1 << 18  # cycles in which an instruction runs again and again

Values = tuple[int, int, int, int, int]  # rd, rs1, rs2, and rs1 and rd as pairs: 64 bits


@dataclass(slots=True)
class DecodeCounts:
    """How often: instructions decoded, register file read and written, scalar unit used."""

    decodes: int = 0
    reads: int = 1
    writes: int = 1
    scalars: int = 0


class DecodeStage:
    """Instructions pass in order; `values` are those of the registers that the last one names."""

    def __init__(self, columns: CoreColumns, name: str) -> None:
        self._name = name
        names = ("op", "rd", "rs1", "rs2", "imm")
        self._op, self._rd, self._rs1, self._rs2, self._imm = (getattr(columns, name).tolist() for name in names)
        self.activity = DecodeCounts()
        self.values: Values = (0, 0, 0, 0, 0)
        self._registers = [0] * (REGISTERS + 1)  # one more: the second half of a pair that nobody uses
        self._port = self._behind = (0, 0)
        self._reads = (0, 0, 0, False)
        self._here = _LEAVING
        self._ran: tuple[int, ...] = ()

    def enter(self, instruction: int, held: int) -> None:
        """The next instruction comes, and is held up for some cycles; raises ProgramError if that is too much to do."""
        self._edge(instruction, True)
        for cycle in range(held):
            if not self._edge(instruction, False):
                break
            if cycle == MAX_AGAIN:
                raise ProgramError(
                    f"{self._name}, instruction {instruction}: it reads what it writes, so it runs again in each of the"
                    f" {held} cycles in which it is held up: more than the {MAX_AGAIN} that are followed"
                )

    def leave(self) -> None:
        """The last one has gone."""
        self._edge(_LEAVING, True)
        self._edge(_LEAVING, False)

    def _edge(self, instruction: int, new: bool) -> bool:
        """One clock edge; whether the next one could be different if nothing new comes."""
        activity = self.activity
        times = int(new)
        if self._port != self._behind:
            self._behind = self._port
            self._registers[self._behind[0]] = self._behind[1]
            times += self._read()
        written = self._execute()
        named = self._names(instruction) if new and instruction != _LEAVING else self._reads
        if written or named != self._reads:
            self._reads = named
            times += self._read()
        self._here = instruction
        if instruction != _LEAVING:
            activity.decodes += times if activity.decodes else 1
        return self._port != self._behind or self._due()

    def _due(self) -> bool:
        """Whether a scalar instruction is here that has not run, or whose operands have changed since."""
        return self._here != _LEAVING and self._op[self._here] in _SCALARS and self._operands() != self._ran

    def _execute(self) -> bool:
        """Run the scalar instruction that was here in the last cycle; whether it writes something else than before."""
        if not self._due():
            return False
        self._ran = self._operands()
        self.activity.scalars += 1
        before, self._port = self._port, self._result()
        if self._port == before:
            return False
        self.activity.writes += 1
        return True

    def _operands(self) -> tuple[int, ...]:
        return (self._here, self.values[1], self.values[2], self.values[3])

    def _result(self) -> tuple[int, int]:
        """Register and value that the scalar instruction writes; `sld` reads nothing and writes 0 to r0."""
        here = self._here
        code = self._op[here]
        if code == _SLD:
            return 0, 0
        return self._rd[here], computed(BY_CODE[code], self.values[1], self.values[2], self._imm[here])

    def _names(self, instruction: int) -> tuple[int, int, int, bool]:
        op = self._op[instruction]
        return self._rd[instruction], self._rs1[instruction], self._rs2[instruction], op in _PAIRS

    def _read(self) -> bool:
        """Read the registers again; whether a value is another one."""
        self.activity.reads += 1
        rd, rs1, rs2, pair = self._reads
        value = self._value
        if pair:
            first, second = (value(q) << 32 | value(q + 1) & 0xFFFFFFFF for q in (rs1, rd))
            values = (0, 0, value(rs2), first, second)
        else:
            values = (value(rd), value(rs1), value(rs2), 0, 0)
        before, self.values = self.values, values
        return values != before

    def _value(self, register: int) -> int:
        if register == self._port[0]:
            return self._port[1]
        if register == self._behind[0]:
            return self._behind[1]
        return self._registers[register]


_SLD = BY_NAME["sld"].code
