"""The first sample as a native Perfetto trace: tracks per unit and core, slices per ONNX node, flows per message."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

from perfetto.protos.perfetto.trace.perfetto_trace_pb2 import TrackDescriptor, TrackEvent
from perfetto.trace_builder.proto_builder import TraceProtoBuilder

from emu.isa.instruction import Ask as Kind
from emu.output.whole_file import write_whole
from emu.program.program import Program
from emu.timing.basis.units import PS_PER_NS, TRANSFER, unit_name
from emu.timing.path.decided import MAIN, At, Decided
from emu.timing.path.run import SlicedFast
from emu.timing.path.sliced import Issue
from launch.images.summary import NO_NODE
from launch.timing.timed_image import TimedImage

SEQUENCE = 1  # of packets: the only one
ORDER = ("nodes", "transfer", "vector", "scalar")  # of the tracks of a core; array groups follow


@dataclass(frozen=True, slots=True)
class Slice:
    """A slice of a track, ps since the sample began; `inner` slices lie in it, `flows` begin or end with it."""

    name: str
    begin: int
    end: int
    inner: tuple[Slice, ...] = ()
    starts: tuple[int, ...] = ()
    ends: tuple[int, ...] = ()


@dataclass(slots=True)
class Track:
    """A track of a core, its slices in order of time."""

    core: int
    name: str
    slices: list[Slice] = field(default_factory=list)


def write_trace(path: Path, timed: TimedImage) -> None:
    """Write the first sample of a timed image to `path`; raises InputError."""
    write_whole(path, trace_bytes(list(tracks(timed))), streams=True)


def tracks(timed: TimedImage) -> Iterator[Track]:
    """All tracks with something on them, core by core."""
    run = SlicedFast(timed.setup)
    timing = run.trace()
    decided, begin = Decided(timed.setup, run.sliced), timing.main.begin
    flows = {at: number for number, pair in enumerate(_messages(decided), 1) for at in pair}
    for place, core in enumerate(timing.cores):
        traced = run.sliced[MAIN, core]
        program, end = timed.programs[core], int(timing.main.ends[place, 0])
        by_name = {"nodes": Track(core, "nodes", _issued(program, traced.issues, begin, end))}
        number = 0
        for span in traced.spans:
            track = by_name.setdefault(unit_name(span.unit), Track(core, unit_name(span.unit)))
            if span.unit == TRANSFER:
                track.slices.append(_request(program, decided, At(MAIN, core, number, False), begin, flows))
                number += 1
            else:
                node = _node(program, span.first, span.last)
                track.slices.append(Slice(node, span.begin - begin, span.end - begin))
        yield from sorted(by_name.values(), key=_order)


def _order(track: Track) -> tuple[int, int]:
    if track.name in ORDER:
        return ORDER.index(track.name), 0
    return len(ORDER), int(track.name.split()[-1])


def _messages(decided: Decided) -> Iterator[tuple[At, At]]:
    """Send and receive of every message."""
    for at in decided.all(MAIN):
        if decided.ask(at).kind == Kind.SEND:
            yield decided.pair(at)


def _issued(program: Program, issues: Sequence[Issue], begin: int, end: int) -> list[Slice]:
    """What the core works on, one slice per node as long as that does not change."""
    found: list[Slice] = []
    starts = [*(issue.begin - begin for issue in issues), end - begin]
    for issue, (start, stop) in zip(issues, pairwise(starts), strict=True):
        node = _node(program, issue.first, issue.last)
        if found and found[-1].name == node:
            found[-1] = Slice(node, found[-1].begin, stop)
        else:
            found.append(Slice(node, start, stop))
    return found


def _request(program: Program, decided: Decided, at: At, begin: int, flows: dict[At, int]) -> Slice:
    asked, ask = decided.asked(at), decided.ask(at)
    index, kind = asked.record.index, Kind(ask.kind)
    peer = f" core {ask.first}" if kind in (Kind.SEND, Kind.RECV, Kind.SYNC) else ""
    name = f"{kind.name.lower()}{peer}: {_node(program, index, index)}"
    start, end = asked.record.start - begin, asked.end - begin
    flow = (flows[at],) if at in flows else ()
    if kind != Kind.RECV:
        return Slice(name, start, end, (), flow)
    arrived = Slice("write", end - ask.write, end, (), (), flow)  # where the arrow ends: not before it begins
    return Slice(name, start, end, (arrived,))


def _node(program: Program, first: int, last: int) -> str:
    """The nodes of some instructions."""
    sources = program.main.columns["source"][first : last + 1].tolist()
    names = dict.fromkeys(program.sources[source].node if source >= 0 else NO_NODE for source in sources)
    return " + ".join(names)


def trace_bytes(found: list[Track]) -> bytes:
    """The tracks as a file. Its times are nanoseconds, cut off; the picoseconds stand beside each slice."""
    builder = TraceProtoBuilder()
    parents: dict[int, int] = {}
    for number, track in enumerate(found, 1):
        if track.core not in parents:
            parents[track.core] = _describe(builder, 2 * number, f"core {track.core}", 0, track.core)
        uuid = _describe(builder, 2 * number + 1, track.name, parents[track.core], number)
        for one in track.slices:
            _add(builder, uuid, one)
    return builder.serialize()


def _describe(builder: TraceProtoBuilder, uuid: int, name: str, parent: int, rank: int) -> int:
    descriptor = builder.add_packet().track_descriptor
    descriptor.uuid, descriptor.name, descriptor.sibling_order_rank = uuid, name, rank
    descriptor.child_ordering = TrackDescriptor.EXPLICIT
    if parent:
        descriptor.parent_uuid = parent
    return uuid


def _add(builder: TraceProtoBuilder, uuid: int, one: Slice) -> None:
    event = _event(builder, uuid, one.begin, TrackEvent.TYPE_SLICE_BEGIN)
    event.name = one.name
    event.flow_ids.extend(one.starts)
    event.terminating_flow_ids.extend(one.ends)
    for name, ps in (("begin_ps", one.begin), ("end_ps", one.end)):
        note = event.debug_annotations.add()
        note.name, note.int_value = name, ps
    for inner in one.inner:
        _add(builder, uuid, inner)
    _event(builder, uuid, one.end, TrackEvent.TYPE_SLICE_END)


def _event(builder: TraceProtoBuilder, uuid: int, ps: int, kind: int) -> TrackEvent:
    packet = builder.add_packet()
    packet.timestamp, packet.trusted_packet_sequence_id = ps // PS_PER_NS, SEQUENCE
    packet.track_event.type, packet.track_event.track_uuid = kind, uuid
    return packet.track_event
