"""From the first wrong tensor to the statement, crossbar or message behind it, by values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from emu.isa.table import LOOP
from emu.operands.timeline import TooMuch
from launch.bisect.exchanging import find_exchange
from launch.bisect.finding import Site
from launch.bisect.partial_sums import PartialSums, WrongCell
from launch.bisect.reference import user_of_group
from launch.bisect.scene import Scene
from launch.bisect.statements import CoreStatements, InstructionRange
from launch.bisect.streams import Stream, WrongStream
from launch.bisect.tensors import TensorState
from launch.bisect.tracing import BisectTrace, Suspect, SuspectWalk, TraceTarget

MOST_TILES = 4  # wrong tiles that are traced


@dataclass(frozen=True, eq=False)
class Blame:
    """The cause by values: the place, other places that are as likely, and the inputs that are known to be right."""

    site: Site
    node: str
    right: Mapping[str, str] = field(default_factory=dict)
    message: str = ""
    suspects: tuple[Site, ...] = ()


class Narrowing:
    """One wrong tensor of a scene, or wrong bytes that a core has stored."""

    def __init__(self, scene: Scene, tensor: str, streams: Sequence[Stream] = ()) -> None:
        self._scene, network = scene, scene.network
        self._nodes = _nodes_of(scene, tensor)
        self._expected: set[tuple[int, str]] = set()
        for name, held in scene.buffers.items():
            if name in scene.golden:
                self._expected |= {(buffer.nbytes, network.nodes.get(name, name)) for _, _, buffer in held}
        self._sums = PartialSums(scene)
        self._sums.learn(self._nodes)
        for stream in streams:
            if stream.partial and stream.node in self._nodes and scene.knowledge.find(stream.content) is not None:
                scene.knowledge.trust(f"partial sums of {stream.node}", [message.data for message in stream.messages])

    def of_tensor(self, state: TensorState) -> Blame | None:
        """The cause of a wrong tensor."""
        tiles = sorted(state.tiles, key=lambda tile: -tile.worst)
        targets = [
            TraceTarget(
                tile.core, tile.buffer.complete, (tile.buffer.address, tile.buffer.address + tile.buffer.nbytes)
            )
            for tile in tiles[:MOST_TILES]
        ]
        first = tiles[0]
        found = self.of_targets(targets, first.address)
        last = next(iter(self._scene.statements(first.core).before(first.buffer.complete)), None)
        return found or (self.of_statement(first.core, last.index) if last is not None else None)

    def of_targets(self, targets: Sequence[TraceTarget], address: int) -> Blame | None:
        """The cause of wrong bytes; `address` is where those of the first target are worst."""
        scene = self._scene
        walked = [SuspectWalk(scene, self._expected, self._sums.known_cores).trace(target) for target in targets]
        walked = [trace for trace in walked if trace.suspects or trace.asked] or walked
        if cell := self._cell(walked):
            return self._of_cell(cell, walked[0].right)
        if blame := self._of_spoilt(walked):
            return blame
        trace = walked[0]
        if trace.asked is not None:
            said = "what it takes stands right in memory, but elsewhere"
            return self.of_statement(*trace.asked, right=trace.right, message=said)
        suspects = _common([each.suspects for each in walked])
        if not suspects:
            return None
        core, statement = self._earliest(suspects)
        if core == trace.target.core and (other := find_exchange(scene, trace.target)):
            return self.of_statement(other.core, other.index, trace.right, other.said)
        others = tuple(scene.site(c, s.index) for c, s in suspects if (c, s) != (core, statement))
        site = self._writer(core, statement, trace.target, address)
        return Blame(site, scene.network.owner(statement.node), trace.right, suspects=others)

    def of_stream(self, found: WrongStream, streams: Sequence[Stream]) -> Blame:
        """Who made a streamed tensor wrong: a core whose partial sums are wrong, or the core that sends it."""
        scene, src = self._scene, found.stream.src
        right: dict[str, str] = {}
        for stream in streams:
            if stream.partial and stream.messages[0].dst == src and stream.node in self._nodes:
                if scene.knowledge.find(stream.content) is not None:
                    right[f"partial sums of core {stream.src}"] = "right"
                elif (stream.src, stream.node) in self._sums.known_cores:
                    return self._of_product(stream.src, stream.node, right)
        if cell := next((cell for cell in self._sums.cells if cell.core == src), None):
            return self._of_cell(cell, right)
        _, index, counters, _ = found.message.sent
        statements = scene.statements(src)
        region = statements.hull(index, written=False)
        if region and index in statements.indices:
            blame = self.of_targets([TraceTarget(src, index, region)], region[0])
            if blame is not None and blame.site.core == src:
                return blame
        site = scene.site(src, index, counters)
        return Blame(site, site.node, right, f"the first wrong message goes to core {found.message.dst}")

    def of_statement(self, core: int, index: int, right: Mapping[str, str] | None = None, message: str = "") -> Blame:
        """A faulty instruction."""
        site = self._scene.site(core, index)
        return Blame(site, site.node, right or {}, message)

    def _of_cell(self, cell: WrongCell, right: Mapping[str, str]) -> Blame:
        site = self._sums.cell_site(cell)
        return Blame(site, site.node, right, cell.said)

    def _of_product(self, core: int, node: str, right: Mapping[str, str]) -> Blame:
        """A core whose products of a node are wrong: a cell, if one is, else its first product."""
        groups = self._sums.groups(core, node)
        if cell := self._sums.cell_of(core, groups):
            return self._of_cell(cell, right)
        user = user_of_group(self._scene.programs[core], groups[0])
        said = "its partial sums are not the product of its weights and its inputs"
        return Blame(self._scene.site(core, user or 0), node, right, said)

    def _of_spoilt(self, walked: Sequence[BisectTrace]) -> Blame | None:
        """What writes over bytes of `init` that every sample needs: it spoils the next sample, not its own."""
        for trace in walked:
            for core, needs in trace.before:
                spoilt = needs & self._scene.replay(core).spoilt
                statements = self._scene.statements(core)
                last = next(
                    (s for s in statements.before(len(statements.program.main)) if (s.writes & spoilt).any()), None
                )
                if last is not None:
                    first = int(np.flatnonzero(last.writes & spoilt)[0])
                    said = (
                        f"it writes over l[{first:#x}], which stood there from power-on and is needed in every sample"
                    )
                    return self.of_statement(core, last.index, trace.right, said)
        return None

    def _cell(self, walked: Sequence[BisectTrace]) -> WrongCell | None:
        """A cell that holds another weight than the ONNX file, of a group that the suspects multiply with."""
        used = [(core, statement.groups) for trace in walked for core, statement in trace.suspects]
        return next(filter(None, (self._sums.cell_of(core, groups) for core, groups in used)), None)

    def _earliest(self, suspects: Sequence[Suspect]) -> Suspect:
        """The earliest suspect of the nodes between the wrong tensor and the right ones before it.

        Of those of its core and node, the first that multiplies, or computes: what only moves bytes is for its sake.
        """
        owner = self._scene.network.owner
        near = [each for each in suspects if owner(each[1].node) in self._nodes] or list(suspects)
        core, first = near[-1]
        alike = [(c, s) for c, s in reversed(near) if c == core and owner(s.node) == owner(first.node)]
        chosen = [[each for each in alike if each[1].groups], [each for each in alike if each[1].computes], alike]
        return next(filter(None, chosen))[0]

    def _writer(self, core: int, statement: InstructionRange, target: TraceTarget, address: int) -> Site:
        """The instruction of a statement that wrote the worst byte last, else the one that multiplies, or its first."""
        statements = self._scene.statements(core)
        rows = range(statement.index, statement.end)
        for index in reversed(rows) if core == target.core else ():
            low, high = statements.hull(index, written=True) or (0, 0)
            counters = _counters(statements, index, address) if low <= address < high else None
            if counters is not None:
                return self._scene.site(core, index, counters)
        used = [index for index in rows if statements.program.main.columns["op"][index] != LOOP]
        multiplies = [index for index in used if statements.program.main.decode(index).spec.crossbar]
        return self._scene.site(core, (multiplies or used or [statement.index])[0])


def _nodes_of(scene: Scene, tensor: str) -> set[str]:
    """The nodes between the tensor and the nearest ones that cores hold: fused, or without data of their own."""
    network = scene.network
    held = {name for name in scene.buffers if name in scene.golden and name != tensor}
    nodes, waiting, seen = set(network.fused_with(network.nodes.get(tensor, ""))), [tensor], {tensor}
    while waiting:
        name = waiting.pop()
        nodes.add(network.nodes.get(name, ""))
        maker = network.makers.get(name)
        for given in maker.input if maker is not None else ():
            if given not in seen and given not in held:
                seen.add(given)
                waiting.append(given)
    return nodes - {""}


def _common(lists: Sequence[list[Suspect]]) -> list[Suspect]:
    """What is in all lists, in the order of the first; that one, if nothing is."""
    keys = [{(core, statement.index) for core, statement in each} for each in lists]
    shared = set.intersection(*keys) if keys else set()
    return [each for each in lists[0] if (each[0], each[1].index) in shared] or lists[0]


def _counters(statements: CoreStatements, index: int, address: int) -> tuple[int, ...] | None:
    """The loop counters at which instruction `index` last wrote the byte at `address`; None if it is not known to."""
    view = statements.view
    first = int(statements.program.main.columns["operand"][index])
    for row in range(first, first + len(statements.program.main.decode(index).operands)):
        if not view.accesses.write[row] or view.accesses.is_global[row] or not view.used[row]:
            continue
        try:
            times, addresses, _ = view.addresses(row)
        except TooMuch:
            continue
        begin, end = addresses + view.accesses.low[row], addresses + view.accesses.high[row]
        hits = np.flatnonzero((begin <= address) & (address < end))
        if len(hits):
            return tuple(view.timeline.counters(index, int(times[hits[-1]])))
    return None
