"""What a breakpoint is about: conditions on the instruction that a core is about to begin."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

from emu.debug.accesses import accesses
from emu.debug.chip import SteppedChip
from emu.isa.instruction import RequestKind
from emu.program.section import Instr


class Condition(ABC):
    """Holds or not when `core` is about to begin the instruction that it stands on."""

    @abstractmethod
    def holds(self, chip: SteppedChip, core: int) -> bool:
        """Whether it does."""


@dataclass(frozen=True, slots=True)
class OnCore(Condition):
    """Any instruction of a core."""

    core: int

    def holds(self, chip: SteppedChip, core: int) -> bool:
        """Whether it is that core."""
        return core == self.core


@dataclass(frozen=True, slots=True)
class InSample(Condition):
    """Any instruction of a sample (INIT_SAMPLE: of `init`)."""

    sample: int

    def holds(self, chip: SteppedChip, core: int) -> bool:
        """Whether that sample is under way."""
        return chip.sample == self.sample


@dataclass(frozen=True, slots=True)
class AtInstruction(Condition):
    """An instruction by section and index; with `counters`, in these iterations of the outermost loops around it."""

    section: str
    index: int
    counters: tuple[int, ...] = ()

    def holds(self, chip: SteppedChip, core: int) -> bool:
        """Whether the core stands there."""
        sequencer = chip.cores[core].state.sequencer
        if sequencer.pc != self.index or chip.section_name != self.section:
            return False
        return tuple(sequencer.counters[: len(self.counters)]) == self.counters


@dataclass(frozen=True, slots=True)
class InNode(Condition):
    """The first instruction of an ONNX node, when the core has begun one of another node before."""

    node: str

    def holds(self, chip: SteppedChip, core: int) -> bool:
        """Whether the core comes to the node."""
        if node_of(chip, core, chip.instr(core)) != self.node:
            return False
        last = chip.last[core]
        return last < 0 or node_of(chip, core, chip.section(core).instr(last)) != self.node


@dataclass(frozen=True, slots=True)
class MemoryRange:
    """Bytes [low, high) of the local memory of core `space`, or of global memory (GLOBAL)."""

    space: int
    low: int
    high: int


@dataclass(frozen=True, slots=True)
class Touches(Condition):
    """A read, a write, or either, of bytes of `spans`."""

    reads: bool
    writes: bool
    spans: tuple[MemoryRange, ...]

    def holds(self, chip: SteppedChip, core: int) -> bool:
        """Whether the instruction reads or writes there."""
        return any(
            access.space == span.space and access.touches(span.low, span.high)
            for access in accesses(chip.cores[core].state)
            if (self.reads and access.slot.read) or (self.writes and access.slot.write)
            for span in self.spans
        )


@dataclass(frozen=True, slots=True)
class Sends(Condition):
    """A send of message `number` (None: any) of a pair of cores (None: any core); counted since power-on, from 0."""

    sender: int | None
    receiver: int | None
    number: int | None = None

    def holds(self, chip: SteppedChip, core: int) -> bool:
        """Whether it is about to be sent."""
        instr = chip.instr(core)
        if instr.spec.ask is not RequestKind.SEND or self.sender not in (None, core):
            return False
        if self.receiver not in (None, instr.arg0):
            return False
        return self.number is None or chip.fabric.channel(core, instr.arg0).sent == self.number


@dataclass(slots=True)
class Breakpoint:
    """A stop wherever all of its conditions hold; `text` is what its owner calls it."""

    conditions: tuple[Condition, ...]
    text: str = ""

    def holds(self, chip: SteppedChip, core: int) -> bool:
        """Whether `core`, about to begin an instruction, is to stop."""
        return all(condition.holds(chip, core) for condition in self.conditions)


def node_of(chip: SteppedChip, core: int, instr: Instr) -> str:
    """The ONNX node of an instruction; empty if unknown."""
    sources = chip.programs[core].sources
    return sources[instr.source].node if 0 <= instr.source < len(sources) else ""
