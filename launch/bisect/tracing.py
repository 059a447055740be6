"""Walks back from wrong bytes of a core's memory to what is right, and so to the statements that can have gone wrong.

A statement is a suspect if it wrote bytes that are wrong, or that nothing is known of, out of such bytes or out of
right ones. The walk ends where bytes are known: a golden tensor, whole or a tile, in whatever order of its axes, or a
partial sum as the ONNX file's weights and the golden inputs give it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field

import numpy as np

from emu.isa.instruction import RequestKind
from launch.bisect.recording import RecordedMessage
from launch.bisect.scene import Scene
from launch.bisect.statements import InstructionRange, Region, masked

Suspect = tuple[int, InstructionRange]  # on which core
MOST_CORES = 64  # that one walk passes through
NEARLY = 0.95  # of the buffers of an image
BESIDE = 256  # bytes beside a message in which it may be looked for


@dataclass(frozen=True, slots=True)
class TraceTarget:
    """Bytes of a core's memory that are wrong before the statement at `index`."""

    core: int
    index: int
    region: Region


@dataclass(eq=False)
class BisectTrace:
    """Where the walk from `target` has come: suspects, the last one first, and what was right on the way."""

    target: TraceTarget
    suspects: list[Suspect] = field(default_factory=list)
    right: dict[str, str] = field(default_factory=dict)  # what came in, and as what it is known
    asked: tuple[int, int] | None = None  # core and index of a message or store that took the wrong bytes
    cores: list[int] = field(default_factory=list)
    before: list[tuple[int, np.ndarray]] = field(default_factory=list)  # by core, bytes that stood there before `main`


class SuspectWalk:
    """Finds the suspects behind a target.

    A message should be known, if it is right, that has as many bytes as a tile of its node (`expected`), or comes from
    a core of whose node's partial sums all are known (`known_cores`).
    """

    def __init__(
        self, scene: Scene, expected: Collection[tuple[int, str]], known_cores: Collection[tuple[int, str]]
    ) -> None:
        self._scene, self._expected, self._known_cores = scene, expected, known_cores
        self._visited: set[TraceTarget] = set()
        self._alignment = _alignment(scene)

    def trace(self, target: TraceTarget) -> BisectTrace:
        """Walk back from the target; where a message that came in is certainly wrong, from there on."""
        scene, core = self._scene, target.core
        trace = BisectTrace(target, cores=[core])
        self._visited.add(target)
        statements, memory = scene.statements(core), scene.replay(core)
        needs = masked(statements.top, target.region)
        unwritten = needs.copy()  # bytes of the target whose last writer is not found yet
        wanted: dict[Region, None] = {target.region: None}
        following = target.index
        for statement in statements.before(target.index):
            after = memory.before(following)
            following = statement.index
            if after is None or not (statement.writes & needs).any():
                continue
            whole = bool(unwritten[slice(*target.region)].any())
            shown = needs.copy()
            # What the walk began with is wrong, even if it looks like something that is right elsewhere.
            regions = [r for r in (*statement.write_regions, *wanted) if not (whole and r == target.region)]
            self._settle(statement, after, needs, dict.fromkeys(regions), trace)
            unwritten &= ~statement.writes
            if trace.suspects and self._displaced(statement, after, shown):
                trace.asked = (core, statement.index)
                return trace
            if not (statement.writes & needs).any():
                continue
            if statement.receives:
                stopped = self._follow(core, statement, trace)
                if stopped is not None:
                    return stopped
                needs &= ~statement.writes
                if len(statement.asks) == statement.end - statement.index:
                    continue
            trace.suspects.append((core, statement))
            needs &= ~statement.writes
            needs |= statement.reads
            wanted.update(dict.fromkeys(statement.read_regions))
        trace.before.append((core, needs))
        return trace

    def _settle(
        self,
        statement: InstructionRange,
        after: np.ndarray,
        needs: np.ndarray,
        wanted: dict[Region, None],
        trace: BisectTrace,
    ) -> None:
        """Take what is known to be right after a statement out of what is needed."""
        for low, high in wanted:
            if high <= low or not (needs[low:high] & statement.writes[low:high]).any():
                continue
            known = self._scene.knowledge.find(after[low:high])
            if known is not None:
                needs[low:high] = False
                trace.right.setdefault(known.name, f"right before core {trace.target.core} main[{statement.end}]")

    def _follow(self, core: int, statement: InstructionRange, trace: BisectTrace) -> BisectTrace | None:
        """Look at the messages that a statement receives; the trace to return instead if one is certainly wrong."""
        scene = self._scene
        for message in self._received(core, statement):
            if scene.knowledge.find_message(np.frombuffer(message.data, np.uint8), scene.clipped) is not None:
                continue
            before = scene.statements(message.src)
            region = before.hull(message.sent[1], written=False)
            target = TraceTarget(message.src, before.at(message.sent[1]).index, region or (0, 0))
            if region is None or message.sent[0] != "main" or target in self._visited or len(trace.cores) > MOST_CORES:
                continue
            behind = self.trace(target)
            behind.asked = behind.asked or self._taken_wrong(message, region, behind)
            node = scene.node_of(message.src, message.sent[1])
            if (len(message.data), node) in self._expected or (message.src, node) in self._known_cores:
                return behind
            trace.suspects += behind.suspects
            trace.right.update(behind.right)
            trace.cores += behind.cores
            trace.before += behind.before
            trace.asked = trace.asked or behind.asked
        return None

    def _displaced(self, statement: InstructionRange, after: np.ndarray, needs: np.ndarray) -> bool:
        """Whether a message that is right stands beside where all that is read of it is read, or where none stands."""
        if self._scene.streams or not statement.receives or len(statement.write_regions) != 1:
            return False
        low, high = statement.write_regions[0]
        if self._scene.knowledge.find(after[low:high]) is None:
            return False
        if low % self._alignment:
            return True
        begin = max(0, low - BESIDE)
        read = np.flatnonzero(needs[begin : high + BESIDE])
        if not len(read):
            return False
        shift = begin + int(read[0]) - low
        return shift != 0 and begin + int(read[-1]) + 1 - high == shift

    def _received(self, core: int, statement: InstructionRange) -> Iterator[RecordedMessage]:
        asks = {index for ask, index in statement.asks if ask is RequestKind.RECV}
        for (_, receiver), messages in self._scene.recording.messages.items():
            if receiver == core:
                for message in messages:
                    position = message.received
                    if position is not None and position[0] == "main" and position[1] in asks:
                        yield message

    def _taken_wrong(self, message: RecordedMessage, region: Region, behind: BisectTrace) -> tuple[int, int] | None:
        """The send itself, if what stands there is right, but begins or ends elsewhere."""
        if not behind.suspects or self._beside(message.src, behind.target.index, region):
            return message.src, message.sent[1]
        return None

    def _beside(self, core: int, index: int, region: Region) -> bool:
        """Whether a tensor that is right lies across the bounds of a region before the statement at `index`."""
        memory = self._scene.replay(core).before(index)
        if memory is None:
            return False
        low, high = region
        for buffer in self._scene.programs[core].buffers:
            begin, end = buffer.address, buffer.address + buffer.nbytes
            if (begin, end) == region or end <= low or begin >= high or buffer.complete > index:
                continue
            if low <= begin and end <= high:
                continue  # one of several that are sent together
            if self._scene.knowledge.find(memory[begin:end]) is not None and end - begin >= high - low:
                return True
        return False


def _alignment(scene: Scene) -> int:
    """What nearly all buffers' addresses are multiples of; 1 if there is no such number."""
    addresses = [buffer.address for program in scene.programs.values() for buffer in program.buffers]
    for number in (64, 32, 16, 8, 4):
        if addresses and sum(address % number == 0 for address in addresses) >= NEARLY * len(addresses):
            return number
    return 1
