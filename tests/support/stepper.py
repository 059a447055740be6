"""A small core for tests of the network: moves, fills, communication and loops, one instruction per step."""

from __future__ import annotations

from emu.core.progress import Progress
from emu.core.request import Load, Recv, Send, Store, Sync, Wait
from emu.core.trap import CoreTrap, TrapRecord
from emu.isa.address import Address
from emu.program.builder import SectionBuilder
from emu.program.program import Program


class Stepper:
    def __init__(self, program: Program, size: int = 4096) -> None:
        self.program, self.memory, self.events = program, bytearray(size), 32
        self._run, self._at = iter(()), ("main", 0, (), 0)

    def begin(self, section, sample):
        self._section, self._sample = section, sample
        self._code = self.program.main if section == "main" else self.program.init
        self._run = self._steps(0, len(self._code), [])

    def advance(self):
        return next(self._run, Progress.HALTED)

    def complete(self, request):
        pass

    def position(self):
        return self._at

    def trap(self, reason, *, value=None, limit=None):
        section, index, counters, sample = self._at
        name = self._code.instr(index).spec.name
        return CoreTrap(
            TrapRecord(self.program.core, section, index, name, counters, sample, "", reason, value=value, limit=limit)
        )

    def _steps(self, begin, end, counters):
        for index in self._code.children(begin, end):
            instr = self._code.instr(index)
            if instr.spec.name == "loop":
                for trip in range(instr.n):
                    yield from self._steps(index + 1, instr.end, [*counters, trip])
                continue
            self._at = (self._section, index, tuple(counters), self._sample)
            yield self._step(instr, counters) or Progress.RUNNING

    def _step(self, instr, counters):
        at = [address.value(counters, []) for address in instr.operands]
        memory, n, core = memoryview(self.memory), instr.n, instr.arg0
        match instr.spec.name:
            case "send":
                return Send(core, memory[at[0] : at[0] + n])
            case "recv":
                return Recv(core, memory[at[0] : at[0] + n])
            case "ld":
                return Load(at[1], memory[at[0] : at[0] + n])
            case "st":
                return Store(at[0], memory[at[1] : at[1] + n])
            case "sync":
                return Sync(core, instr.arg1)
            case "wait":
                return Wait(instr.arg1, core)
            case "lldi":
                memory[at[0] : at[0] + n] = bytes([core]) * n
            case "lmv":
                memory[at[0] : at[0] + n] = bytes(memory[at[1] : at[1] + n])


# Instructions as (name, core or event or byte, local address, bytes[, global address]), for short tests.
def emit(builder: SectionBuilder, name: str, *args: int) -> None:
    match name, args:
        case (("send" | "recv"), (core, address, size)):
            builder.emit(name, operands=[Address(address)], core=core, size=size)
        case "ld", (address, source, size):
            builder.emit(name, operands=[Address(address), Address(source)], size=size)
        case "st", (target, address, size):
            builder.emit(name, operands=[Address(target), Address(address)], size=size)
        case "sync", (core, event):
            builder.emit(name, core=core, event=event)
        case "wait", (event, value):
            builder.emit(name, event=event, value=value)
        case "lldi", (address, byte, size):
            builder.emit(name, operands=[Address(address)], byte=byte, size=size)
        case "lmv", (target, source, size):
            builder.emit(name, operands=[Address(target), Address(source)], size=size)
        case "halt", ():
            builder.emit(name)


def program(core: int, *steps: tuple, init: tuple = ()) -> Program:
    sections = []
    for part in (init, (*steps, ("halt",))):
        builder = SectionBuilder()
        for name, *args in part:
            emit(builder, name, *args)
        sections.append(builder.finish())
    return Program(core, init=sections[0], main=sections[1])
