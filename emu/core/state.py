"""The state of one core and what a single instruction does to it; engines decide which instruction is next."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from emu.arch import Arch
from emu.core.checks import check_defined, check_overlaps, check_ranges, mark_written
from emu.core.crossbar import CrossbarGroup
from emu.core.fault import Fault
from emu.core.memory import LocalMemory
from emu.core.operation import Operation, instruction_name, make_operation
from emu.core.scalar import SCALAR, int32
from emu.core.sequencer import Sequencer
from emu.core.statistics import Statistics
from emu.core.trap import INIT_SAMPLE, CoreTrap, TrapRecord
from emu.isa.table import BY_NAME
from emu.program.program import Program
from emu.program.section import Instr, Section

MAX_OPERATIONS = 1 << 16  # kept per section: unrolled programs have millions of instructions, each used once


class CoreState:
    """Registers, local memory, crossbars and position of one core, for engines and request handling."""

    def __init__(self, program: Program, arch: Arch, weights: Sequence[np.ndarray], stacked: bool = False) -> None:
        self.program, self.arch = program, arch
        self.memory = LocalMemory(arch.core.local_memory)
        pairs = zip(program.groups, weights, strict=True)
        self.groups = [CrossbarGroup(spec, array, stacked) for spec, array in pairs]
        self.registers = [0] * arch.core.registers
        self.statistics = Statistics()
        self.section_name = "init"
        self.sample = 0
        self.pause_at = -1  # index, outside of every loop, before which `batch` returns to its caller
        self.trusted = False  # a complete sample has shown that no sample reads undefined bytes
        self._operations: dict[str, dict[int, Operation]] = {"init": {}, "main": {}}

    @cached_property
    def _sequencers(self) -> dict[str, Sequencer]:
        return {"init": Sequencer(self.program.init), "main": Sequencer(self.program.main)}

    @property
    def sequencer(self) -> Sequencer:
        """Where the core is in the running section."""
        return self._sequencers[self.section_name]

    @property
    def section(self) -> Section:
        """The running section."""
        return self.program.init if self.section_name == "init" else self.program.main

    @property
    def paused(self) -> bool:
        """Whether the core stands at `pause_at`."""
        sequencer = self.sequencer
        return sequencer.pc == self.pause_at and not sequencer.depth

    @cached_property
    def loads_addresses(self) -> bool:
        """Whether an address of `main` may depend on a register loaded from global memory."""
        columns = self.program.main.columns
        return bool((columns["op"] == BY_NAME["sld"].code).any() and (columns["reg"] >= 0).any())

    def operation(self, index: int) -> Operation:
        """Instruction `index` of the running section, prepared."""
        known = self._operations[self.section_name]
        op = known.get(index)
        if op is None:
            op = make_operation(index, self.section.decode(index), self.groups)
            if len(known) < MAX_OPERATIONS:
                known[index] = op
        return op

    def addresses(self, op: Operation) -> list[int]:
        """The operand addresses at the present counters and registers, checked against the memories and each other."""
        if op.fault is not None:
            raise op.fault
        counters, registers = self.sequencer.counters, self.registers
        found = [slot.address.value(counters, registers) for slot in op.slots]
        check_ranges(op, found, self.memory.size, self.arch.global_memory.size)
        check_overlaps(op, found)
        return found

    def views(self, op: Operation, addresses: Sequence[int]) -> list[np.ndarray]:
        """The operands as one-dimensional arrays over local memory."""
        return [
            self.memory.view(slot.dtype, address, (slot.count,), (slot.step,))
            for slot, address in zip(op.slots, addresses, strict=True)
        ]

    def execute(self, op: Operation) -> None:
        """Run one instruction that is no request, with every check; raises Fault with nothing changed."""
        self.statistics.stepped += 1
        addresses = self.addresses(op)
        check_defined(op, addresses, self.memory)
        if op.kernel is not None:
            op.kernel(*self.views(op, addresses))
            mark_written(op, addresses, self.memory)
        elif op.name == "xbwrite":
            self._write_crossbar(op, addresses)
        elif op.name in SCALAR:
            rd = op.instr.arg0
            self.registers[rd] = int32(SCALAR[op.name](op.instr, self.registers))

    def _write_crossbar(self, op: Operation, addresses: Sequence[int]) -> None:
        group, row, rows = op.instr.arg0, op.instr.arg1, op.instr.n
        values = self.views(op, addresses)[0].reshape(rows, self.groups[group].spec.cols)
        self.groups[group].write(row, values)

    def _instr(self) -> Instr | None:
        index = self.sequencer.pc
        return self.section.decode(index) if index < len(self.section) else None

    def instruction_text(self) -> str:
        """The mnemonic at the present position; empty at the end."""
        instr = self._instr()
        return instruction_name(instr) if instr else ""

    def trap(self, fault: Fault) -> CoreTrap:
        """The trap that `fault` becomes at the present position."""
        index, instr = self.sequencer.pc, self._instr()
        sources = self.program.sources
        node = sources[instr.source].node if instr and 0 <= instr.source < len(sources) else ""
        record = TrapRecord(
            self.program.core,
            self.section_name,
            index,
            self.instruction_text(),
            tuple(self.sequencer.counters),
            INIT_SAMPLE if self.section_name == "init" else self.sample,
            node,
            fault.reason,
            fault.operand,
            fault.value,
            fault.limit,
        )
        return CoreTrap(record)
