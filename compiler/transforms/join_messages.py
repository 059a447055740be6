"""Pass `join-messages`: messages that follow each other from one core to another become one."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block
from xdsl.passes import ModulePass

from compiler.dialects import attributes as attr
from compiler.dialects import pim
from compiler.dialects.rows import Rows, rows_attribute, rows_of
from compiler.dialects.types import dtype_of
from compiler.session.context import CompilerContext
from compiler.streaming.adjacency import Adjacency, adjacency_of
from compiler.transforms.allocate_buffers import buffer_bytes, placed, plan

Pair = tuple[int, int]  # sender and receiver
Cores = Mapping[int, pim.CoreOp]


@dataclass(frozen=True)
class JoinMessagesPass(ModulePass):
    """Joins messages between two cores that follow each other at both ends, and puts their buffers side by side."""

    name = "join-messages"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Join in place, except where buffers have addresses, or would need more local memory than there is."""
        limit = cast(CompilerContext, ctx).arch.core.local_memory
        cores = {core.coreId.value.data: core for core in op.ops if isinstance(core, pim.CoreOp) and not placed(core)}
        joined = [_Joined(pair, run) for pair, run in _runs(cores)]
        while full := {core for core in _cores_of(joined) if not _fits(cores[core], limit)}:
            for join in joined:
                if full.intersection(join.pair):
                    join.undo()
            joined = [join for join in joined if not full.intersection(join.pair)]


@dataclass(frozen=True, slots=True)
class _Message:
    """Both ends of a message outside of loops, and how many operations stand before each in its program."""

    ends: tuple[pim.MessageOp, pim.MessageOp]
    places: Pair

    @property
    def whole(self) -> bool:
        """Whether it carries all rows of its buffers, which the two ends see alike."""
        sizes = [[attr.bytes_of(value) for value in end.buffers] for end in self.ends]
        return sizes[0] == sizes[1] and all(_rows(end) == _all_rows(end) for end in self.ends)

    def precedes(self, other: _Message) -> bool:
        """Whether nothing lies between the two, at either end."""
        return all(place + 1 == later for place, later in zip(self.places, other.places, strict=True))


class _Joined:
    """Some messages that became one, and may become several again."""

    def __init__(self, pair: Pair, messages: Sequence[_Message]) -> None:
        self.pair = pair
        self._parts = [[message.ends[end] for message in messages] for end in (0, 1)]
        self._wholes = [_join(parts) for parts in self._parts]

    def undo(self) -> None:
        """Put the messages back in its place."""
        for whole, parts in zip(self._wholes, self._parts, strict=True):
            _block_of(whole).insert_ops_before(parts, whole)
            whole.detach()
            whole.erase()


def _cores_of(joined: Iterable[_Joined]) -> set[int]:
    """The cores at their ends, each once however many messages of it were joined."""
    return {core for join in joined for core in join.pair}


def _join(parts: Sequence[pim.MessageOp]) -> pim.MessageOp:
    """Replace one end of some messages by that of one message with the buffers of all."""
    whole = type(parts[0]).create(
        operands=[value for op in parts for value in op.buffers],
        properties={**parts[0].properties, "rows": rows_attribute(rows for op in parts for rows in _rows(op))},
    )
    _block_of(parts[0]).insert_op_before(whole, parts[0])
    for op in parts:
        op.detach()
    return whole


def _block_of(op: pim.MessageOp) -> Block:
    block = op.parent_block()
    assert block is not None
    return block


def _rows(op: pim.MessageOp) -> list[Rows]:
    """The rows of each buffer."""
    return rows_of(op.rows) or _all_rows(op)


def _all_rows(op: pim.MessageOp) -> list[Rows]:
    return [Rows(0, 0, depth, depth) for depth, *_ in map(attr.shape_of, op.buffers)]


def _runs(cores: Cores) -> list[tuple[Pair, list[_Message]]]:
    """Messages that can be one, two or more at a time: their buffers can follow each other at both ends."""
    beside = {number: adjacency_of(core) for number, core in cores.items()}
    runs: list[tuple[Pair, list[_Message]]] = []
    for pair, messages in _messages(cores).items():
        run: list[_Message] = []
        for message in messages:
            if run and run[-1].precedes(message) and _link([beside[core] for core in pair], run[-1], message):
                run.append(message)
            else:
                run = [message]
                runs.append((pair, run))
    return [(pair, run) for pair, run in runs if len(run) > 1]


def _messages(cores: Cores) -> dict[Pair, list[_Message]]:
    """The messages of whole buffers outside of loops, by pair of cores, in order.

    The n-th message that a core sends to another one is the n-th that this one receives from it.
    """
    ends = {number: _ends(core) for number, core in cores.items()}
    found: dict[Pair, list[_Message]] = {}
    for sender, program in ends.items():
        for receiver, sent in program[pim.SendOp].items():
            received = ends[receiver][pim.ReceiveOp].get(sender, {}) if receiver in ends else {}
            both = [(*sent[number], *received[number]) for number in sent if number in received]
            messages = [_Message((send, receive), (at, place)) for send, at, receive, place in both]
            found[sender, receiver] = [message for message in messages if message.whole]
    return found


def _ends(core: pim.CoreOp) -> dict[type[pim.MessageOp], dict[int, dict[int, tuple[pim.MessageOp, int]]]]:
    """By kind, peer and number among all of these: each message outside of loops, with its place in the program."""
    found: dict[type[pim.MessageOp], dict[int, dict[int, tuple[pim.MessageOp, int]]]] = {}
    for kind in (pim.SendOp, pim.ReceiveOp):
        count, found[kind] = Counter[int](), defaultdict(dict)
        for place, op in enumerate(core.body.block.ops):
            if isinstance(op, kind):
                found[kind][op.peer.value.data][count[op.peer.value.data]] = op, place
                count[op.peer.value.data] += 1
            elif isinstance(op, pim.LoopOp):
                for each in op.body.block.ops:
                    if isinstance(each, kind):
                        count[each.peer.value.data] += op.trips.value.data
    return found


def _link(beside: Sequence[Adjacency], first: _Message, second: _Message) -> bool:
    """Let the buffers of `second` follow those of `first` at both ends, if they can.

    They have elements of one type, so every element stands at a multiple of its size.
    """
    ends = [(one.buffers[-1], other.buffers[0]) for one, other in zip(first.ends, second.ends, strict=True)]
    if len({dtype_of(value) for buffers in ends for value in buffers}) > 1:
        return False
    if not all(core.allows(*buffers) for core, buffers in zip(beside, ends, strict=True)):
        return False
    for core, buffers in zip(beside, ends, strict=True):
        core.link(*buffers)
    return True


def _fits(core: pim.CoreOp, limit: int) -> bool:
    """Whether the buffers of a core fit into its memory; that is known at once where they fit side by side."""
    buffers = [op.buffer for op in core.body.block.ops if isinstance(op, pim.AllocOp | pim.ConstantOp)]
    return sum(map(buffer_bytes, buffers)) <= limit or plan(core)[0] <= limit
