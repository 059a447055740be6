"""The state of one core and what a single instruction does to it; engines decide which instruction is next."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from emu.arch import Arch
from emu.core.checks import check_defined, check_overlaps, check_ranges, mark_written
from emu.core.crossbars.bank import make_groups
from emu.core.crossbars.crossbar import make_crossbar
from emu.core.crossbars.fault import Fault
from emu.core.crossbars.origin import Origin, Position
from emu.core.memory import LocalMemory
from emu.core.operation import Operation, make_operation
from emu.core.sequencer import Sequencer
from emu.core.statistics import Statistics
from emu.core.trap import INIT_SAMPLE, CoreTrap, TrapRecord
from emu.isa.codes import tabulate
from emu.program.program import Program
from emu.program.section import Instr, Section

LOADS_REGISTER = tabulate(lambda row: row.loads_register, np.bool_)
MAX_OPERATIONS = 1 << 16  # kept per section: unrolled programs have millions of instructions, each used once


class CoreState:
    """Registers, local memory, crossbars and position of one core, for engines and request handling."""

    def __init__(
        self,
        program: Program,
        arch: Arch,
        weights: Sequence[np.ndarray],
        stacked: bool = False,
    ) -> None:
        self.program, self.arch = program, arch
        self.memory = LocalMemory(arch.core.local_memory)
        self.groups = make_groups(program.groups, lambda spec: make_crossbar(spec, arch, stacked))
        for number, (group, array) in enumerate(zip(self.groups, weights, strict=True)):
            group.program(array, program.core, number)
        self.registers = [0] * arch.core.registers
        self.statistics = Statistics()
        self.position = Position(program.core)
        self.pause_at = -1  # index, outside of every loop, before which `batch` returns to its caller
        self.trusted = False  # a complete sample has shown that no sample reads undefined bytes
        self._operations: dict[str, dict[int, Operation]] = {"init": {}, "main": {}}
        self._checked: dict[str, set[int]] = {"init": set(), "main": set()}  # whose fixed addresses are right

    @cached_property
    def _sequencers(self) -> dict[str, Sequencer]:
        return {"init": Sequencer(self.program.init), "main": Sequencer(self.program.main)}

    @property
    def sequencer(self) -> Sequencer:
        """Where the core is in the running section."""
        return self._sequencers[self.position.section]

    @property
    def section(self) -> Section:
        """The running section."""
        return self.program.init if self.position.section == "init" else self.program.main

    def begin(self, section: str, sample: int) -> None:
        """Stand at the first instruction of `section`, registers cleared."""
        self.position.section, self.position.sample = section, sample
        self.registers[:] = [0] * len(self.registers)
        self.sequencer.restart()
        self.position.counters = self.sequencer.counters

    @property
    def paused(self) -> bool:
        """Whether the core stands at `pause_at`."""
        sequencer = self.sequencer
        return sequencer.pc == self.pause_at and not sequencer.depth

    @cached_property
    def loads_addresses(self) -> bool:
        """Whether an address of `main` may depend on a register loaded from global memory."""
        columns = self.program.main.columns
        return bool(LOADS_REGISTER[columns["op"]].any() and (columns["reg"] >= 0).any())

    def operation(self, index: int) -> Operation:
        """Instruction `index` of the running section, prepared."""
        known = self._operations[self.position.section]
        op = known.get(index)
        if op is None:
            op = make_operation(self.section.decode(index), self.groups, Origin(self.position, index))
            if len(known) < MAX_OPERATIONS:
                known[index] = op
        return op

    def addresses(self, op: Operation) -> Sequence[int]:
        """The operand addresses at the present counters and registers, checked against the memories and each other."""
        checked = self._checked[self.position.section]
        if op.fixed is not None and op.index in checked:
            return op.fixed
        if op.fault is not None:
            raise op.fault
        addresses: Sequence[int] | None = op.fixed
        if addresses is None:
            counters, registers = self.sequencer.counters, self.registers
            addresses = [slot.address.value(counters, registers) for slot in op.slots]
        check_ranges(op, addresses, self.memory.size, self.arch.global_memory.size)
        check_overlaps(op, addresses)
        if op.fixed is not None and len(checked) < MAX_OPERATIONS:
            checked.add(op.index)
        return addresses

    def views(self, op: Operation, addresses: Sequence[int]) -> list[np.ndarray]:
        """The operands as one-dimensional arrays over local memory."""
        return [
            self.memory.view(slot.dtype, address, slot.shape, slot.steps)
            for slot, address in zip(op.slots, addresses, strict=True)
        ]

    def execute(self, op: Operation) -> list[np.ndarray]:
        """Run one instruction that is no request, with every check; raises Fault with nothing changed.

        What its kernel got, as `views`.
        """
        self.statistics.stepped += 1
        addresses = self.addresses(op)
        check_defined(op, addresses, self.memory)
        views = list[np.ndarray]()
        if op.kernel is not None:
            views = self.views(op, addresses)
            op.kernel(*views)
            mark_written(op, addresses, self.memory)
        elif op.scalar is not None:
            self.registers[op.instr.arg0] = op.scalar(self.registers)
        return views

    def _instr(self) -> Instr | None:
        index = self.sequencer.pc
        return self.section.decode(index) if index < len(self.section) else None

    def instruction_text(self) -> str:
        """The mnemonic at the present position; empty at the end."""
        instr = self._instr()
        return instr.text if instr else ""

    def trap(self, fault: Fault) -> CoreTrap:
        """The trap that `fault` becomes at the present position."""
        index, instr = self.sequencer.pc, self._instr()
        sources = self.program.sources
        node = sources[instr.source].name if instr and 0 <= instr.source < len(sources) else ""
        record = TrapRecord(
            self.program.core,
            self.position.section,
            index,
            self.instruction_text(),
            tuple(self.sequencer.counters),
            INIT_SAMPLE if self.position.section == "init" else self.position.sample,
            node,
            fault.reason,
            fault.operand,
            fault.value,
            fault.limit,
        )
        return CoreTrap(record)
