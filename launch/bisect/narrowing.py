"""From the first wrong tensor to the statement, crossbar or message behind it, by values."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from emu.asm.section_printer import print_instruction
from emu.isa.table import LOOP
from launch.bisect.finding import Site
from launch.bisect.known import Known
from launch.bisect.products import Block, Product, locate, make_product, wrong_cells
from launch.bisect.recording import Message
from launch.bisect.replaying import replay
from launch.bisect.reference import cell_text, user_of_group
from launch.bisect.scene import Scene
from launch.bisect.statements import CoreStatements, Region, Statement
from launch.bisect.streams import Stream, WrongStream
from launch.bisect.tensors import TensorState
from launch.bisect.tracing import Target, Trace, Walk

MOST_TILES = 4  # wrong tiles that are traced
MOST_PAIRS = 24  # pairs of messages that are exchanged to see whether that makes it right


@dataclass(frozen=True, eq=False)
class Blame:
    """What the values say: the place, other places that are as likely, and what went into it."""

    site: Site
    node: str
    suspects: tuple[Site, ...] = ()
    right: dict[str, str] | None = None
    message: str = ""


class Narrowing:
    """One wrong tensor of a scene, or wrong bytes that a core has stored."""

    def __init__(self, scene: Scene, tensor: str, streams: Sequence[Stream] = ()) -> None:
        self._scene, self._tensor = scene, tensor
        network = scene.network
        self._nodes = _nodes_of(scene, tensor)
        self._expected: dict[tuple[int, str], bool] = {}
        for name, held in scene.buffers.items():
            if name in scene.golden:
                for _, _, buffer in held:
                    self._expected[buffer.nbytes, network.nodes.get(name, name)] = True
        self._cells = list(self._learn_products())
        for stream in streams:
            if stream.partial and stream.node in self._nodes and scene.knowledge.find(stream.content) is not None:
                scene.knowledge.trust(f"partial sums of {stream.node}", [message.data for message in stream.messages])

    def of_tensor(self, state: TensorState) -> Blame | None:
        """Who made a tensor wrong."""
        tiles = sorted(state.tiles, key=lambda tile: -float(np.nan_to_num(tile.off, nan=np.inf).max()))
        targets = [
            Target(tile.core, tile.buffer.complete, (tile.buffer.address, tile.buffer.address + tile.buffer.nbytes))
            for tile in tiles[:MOST_TILES]
        ]
        worst = tiles[0]
        statements = self._scene.statements(worst.core)
        last = next(iter(statements.before(worst.buffer.complete)), None)
        place = int(np.nan_to_num(worst.off, nan=np.inf).argmax()) * worst.off.itemsize // 8 * worst.got.itemsize
        found = self.of_targets(targets, worst.buffer.address + place)
        return found or (self.of_statement(worst.core, last.index) if last is not None else None)

    def of_targets(self, targets: Sequence[Target], address: int) -> Blame | None:
        """Who made these bytes wrong; `address` is where those of the first target are worst."""
        walk = [Walk(self._scene, self._expected).trace(target) for target in targets]
        walk = [trace for trace in walk if trace.suspects or trace.asked] or walk
        if not walk:
            return None
        trace = walk[0]
        if cell := self._cell(walk):
            return cell
        if trace.asked is not None:
            core, index = trace.asked
            site = self._site(core, index)
            return Blame(site, site.node, (), trace.right, "what stands right in the memory of the sender is not what is sent")
        suspects = _common([each.suspects for each in walk])
        chosen = self._choose(suspects)
        if chosen is None:
            return None
        core, statement = chosen
        if swapped := self._swapped(trace):
            return swapped
        node = self._scene.network.owner(statement.node)
        others = tuple(self._site(c, s.index) for c, s in suspects if (c, s) != chosen)
        return Blame(self._writer(core, statement, trace.target, address), node, others, trace.right)

    def of_stream(self, found: WrongStream, streams: Sequence[Stream]) -> Blame:
        """Who made a streamed tensor wrong: a core whose partial sums are wrong, or the core that sends it."""
        src = found.stream.src
        right: dict[str, str] = {}
        for stream in streams:
            if stream.partial and stream.messages[0].dst == src and stream.node in self._nodes:
                if self._scene.knowledge.find(stream.content) is not None:
                    right[f"partial sums of core {stream.src}"] = "right"
                elif self._expected.get((stream.src, stream.node)):
                    return self._of_product(stream.src, stream.node, right)
        at = found.message.sent
        mine = [cell for cell in self._cells if cell[0] == src]
        if mine:
            return self._of_product(src, found.stream.node, right)
        statements = self._scene.statements(src)
        region = statements.hull(at[1], written=False)
        if region and at[1] in statements.indices:
            blame = self.of_targets([Target(src, at[1], region)], region[0])
            if blame is not None and blame.site.core == src:
                return blame
        site = self._site(src, at[1], at[2])
        return Blame(site, site.node, (), right, f"the first wrong message goes to core {found.message.dst}")

    def _of_product(self, core: int, node: str, right: dict[str, str]) -> Blame:
        """A core whose products of a node are wrong: a cell, if one is, else its first product."""
        program = self._scene.programs[core]
        for at, group, row, column, block in self._cells:
            user = user_of_group(program, group)
            if at == core and user is not None:
                weights = self._scene.image.weights(core)[group]
                site = self._site(core, user, what=cell_text(program, group, row, column))
                said = f"the crossbar holds {weights[row, column]}, the model {block.weights[row, column]}"
                return Blame(site, site.node, (), right, said)
        first = _groups_of(self._scene.statements(core), node, self._scene)
        user = user_of_group(program, first[0]) if first else None
        site = self._site(core, user if user is not None else 0)
        return Blame(site, node, (), right, "its partial sums are not the product of its weights and its inputs")

    def of_statement(self, core: int, index: int) -> Blame:
        """An instruction that took the wrong bytes although right ones stand there."""
        site = self._site(core, index)
        return Blame(site, site.node)

    def _swapped(self, trace: Trace) -> Blame | None:
        """A message that should have been another one of its size: with that one, the target is right."""
        scene, target = self._scene, trace.target
        core = trace.suspects[0][0]
        if core != target.core:
            return None
        every = [m for each in scene.recording.messages.values() for m in each]
        known = {id(m): scene.knowledge.find(np.frombuffer(m.data, np.uint8)) for m in every if m.dst == core}
        right = [m for m in every if m.dst == core and known[id(m)] is not None and m.received is not None]
        pairs = [(a, b) for a, b in combinations(right, 2) if len(a.data) == len(b.data) and a.data != b.data]
        for a, b in pairs[:MOST_PAIRS]:
            if self._is_right(target, {id(a): b, id(b): a}):
                return self._exchanged(a, b, known, trace)
        for a in right:
            others = {m.data: m for m in every if m.src == a.src and len(m.data) == len(a.data) and m.data != a.data}
            for b in list(others.values())[:MOST_PAIRS]:
                if self._is_right(target, {id(a): b}):
                    site = self._site(a.src, a.sent[1])
                    said = f"with what core {b.src} sends at main[{b.sent[1]}] in place of it, the result is right"
                    return Blame(site, site.node, (), trace.right, said)
        return None

    def _is_right(self, target: Target, instead: dict[int, Message]) -> bool:
        """Whether the bytes of a target are known to be right when its core gets other messages."""
        scene, statements = self._scene, self._scene.statements(target.core)
        again = replay(scene.image, statements, scene.recording, scene.engine, instead, target.index)
        memory = again.before(target.index)
        return memory is not None and scene.knowledge.find(memory[slice(*target.region)]) is not None

    def _exchanged(self, a: Message, b: Message, known: dict[int, Known | None], trace: Trace) -> Blame:
        """The receiver is to blame if two senders cannot both be, or if one sends tiles in order; else the sender."""
        first, second = known[id(a)], known[id(b)]
        assert first is not None and second is not None and a.received is not None and b.received is not None
        in_order = a.src != b.src or first.name != second.name or first.box <= second.box
        core, index = (a.dst, a.received[1]) if in_order else (a.src, a.sent[1])
        site = self._site(core, index)
        places = " and ".join(f"main[{m.received[1]}]" for m in (a, b) if m.received)
        said = f"with the messages that core {a.dst} receives at {places} exchanged, the result is right"
        return Blame(site, site.node, (), trace.right, said)

    def _choose(self, suspects: Sequence[tuple[int, Statement]]) -> tuple[int, Statement] | None:
        """The earliest suspect of the nodes between the wrong tensor and the right ones before it."""
        owner = self._scene.network.owner
        near = [each for each in suspects if owner(each[1].node) in self._nodes] or list(suspects)
        return near[-1] if near else None

    def _cell(self, walk: Sequence[Trace]) -> Blame | None:
        """A cell that holds another weight than the ONNX file, of a group that the suspects multiply with."""
        for trace in walk:
            for core, statement in trace.suspects:
                for at, group, row, column, block in self._cells:
                    if at == core and group in statement.groups:
                        weights = self._scene.image.weights(core)[group]
                        program = self._scene.programs[core]
                        user = user_of_group(program, group)
                        what = cell_text(program, group, row, column)
                        site = self._site(core, user if user is not None else statement.index, what=what)
                        said = f"the crossbar holds {weights[row, column]}, the model {block.weights[row, column]}"
                        return Blame(site, site.node, (), trace.right, said)
        return None

    def _learn_products(self) -> Iterator[tuple[int, int, int, int, Block]]:
        """Know the partial sums of the tensor's nodes; yields core, group and cell of weights that differ."""
        network, scene = self._scene.network, self._scene
        made = {
            network.nodes.get(name, ""): product
            for name in network.order
            if network.nodes.get(name) in self._nodes
            and (product := make_product(network, name, {**scene.inputs, **scene.golden}, scene))
        }
        for node, product in made.items():
            total: dict[tuple[int, int], np.ndarray] = {}
            for core in scene.programs:
                yield from self._learn_core(core, node, product, total)
            known = list(total.items())
            if product.constant is not None:
                known += [((c, w), sums + product.constant[c : c + w].astype(sums.dtype)) for (c, w), sums in known]
            scene.knowledge.add(Known(f"sums of {node}", sums, _room(sums, scene)) for _, sums in known)

    def _learn_core(
        self, core: int, node: str, product: Product, total: dict[tuple[int, int], np.ndarray]
    ) -> Iterator[tuple[int, int, int, int, Block]]:
        scene = self._scene
        groups = _groups_of(scene.statements(core), node, scene)
        sums: dict[tuple[int, int], np.ndarray] = {}
        complete = bool(groups)
        for group in groups:
            spec = scene.programs[core].groups[group]
            weights = np.asarray(scene.image.weights(core)[group][:, : spec.cols])
            block = locate(weights, product.matrix, scene.image.arch)
            if block is None:
                complete = False
                continue
            yield from ((core, group, int(row), int(column), block) for row, column in wrong_cells(weights, block)[:1])
            part = product.features[:, block.row : block.row + spec.rows]
            wide = np.float32 if weights.dtype.kind == "f" else np.int64
            value = (part.astype(wide) @ block.weights.astype(wide)).astype(spec.output.numpy)
            place = (block.column, spec.cols)
            sums[place] = sums[place] + value if place in sums else value
            scene.knowledge.add([Known(f"partial sum of {node}", value, _room(value, scene))])
        for place, value in sums.items():
            scene.knowledge.add([Known(f"partial sum of {node}", value, _room(value, scene))])
            total[place] = total[place] + value if place in total else value
        if complete:
            self._expected[core, node] = True

    def _writer(self, core: int, statement: Statement, target: Target, address: int) -> Site:
        """The instruction of a statement that wrote the worst byte last, else the one that multiplies, or its first."""
        statements = self._scene.statements(core)
        rows = range(statement.index, statement.end)
        if core == target.core:
            for index in reversed(rows):
                region = statements.hull(index, written=True)
                if region and region[0] <= address < region[1] and (counters := _counters(statements, index, address)) is not None:
                    return self._site(core, index, counters)
        columns = statements.program.main.columns
        used = [index for index in rows if columns["op"][index] != LOOP]
        multiplies = [index for index in used if statements.program.main.decode(index).spec.crossbar]
        return self._site(core, (multiplies or used or [statement.index])[0])

    def _site(self, core: int, index: int, counters: tuple[int, ...] = (), what: str = "") -> Site:
        main = self._scene.programs[core].main
        text = print_instruction(main.decode(index))
        return Site(core, self._scene.node_of(core, index), "main", index, text, counters, what)


def _room(values: np.ndarray, scene: Scene) -> float:
    if values.dtype.kind != "f":
        return 0.0
    return scene.share(values.dtype) * float(np.abs(values).max(initial=0))


def _nodes_of(scene: Scene, tensor: str) -> set[str]:
    """The nodes between the tensor and the nearest ones that cores hold: fused with it, or without data of their own."""
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


def _groups_of(statements: CoreStatements, node: str, scene: Scene) -> list[int]:
    """The array groups that a core multiplies with for a node."""
    from launch.images.summary import MULTIPLIES

    columns = statements.program.main.columns
    users = np.flatnonzero(MULTIPLIES[columns["op"]])
    return sorted(
        {int(columns["arg0"][k]) for k in users.tolist() if scene.network.owner(statements.node(k)) == node}
    )


def _common(lists: Sequence[list[tuple[int, Statement]]]) -> list[tuple[int, Statement]]:
    """What is in all lists, in the order of the first; that one, if nothing is."""
    keys = [{(core, statement.index) for core, statement in each} for each in lists]
    shared = set.intersection(*keys) if keys else set()
    return [each for each in lists[0] if (each[0], each[1].index) in shared] or lists[0]


def _counters(statements: CoreStatements, index: int, address: int) -> tuple[int, ...] | None:
    """The loop counters at which instruction `index` last wrote the byte at `address`; None if never."""
    view, columns = statements.view, statements.program.main.columns
    first = int(columns["operand"][index])
    count = len(statements.program.main.decode(index).operands)
    for row in range(first, first + count):
        if not view.accesses.write[row] or view.accesses.is_global[row] or not view.used[row]:
            continue
        times, addresses, _ = view.addresses(row)
        begin, end = addresses + view.accesses.low[row], addresses + view.accesses.high[row]
        hits = np.flatnonzero((begin <= address) & (address < end))
        if len(hits):
            return tuple(view.timeline.counters(index, int(times[hits[-1]])))
    return None


__all__ = ["Blame", "Narrowing", "Region"]
