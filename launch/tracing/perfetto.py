"""Native Perfetto traces, by the builder of Perfetto's own package."""

from __future__ import annotations

from collections.abc import Iterable

from perfetto.protos.perfetto.trace.perfetto_trace_pb2 import CounterDescriptor, TrackDescriptor, TrackEvent
from perfetto.trace_builder.proto_builder import TraceProtoBuilder

from emu.output.stream import OutputStream
from launch.tracing.model import Counter, CounterUnit, Part, Slice

SEQUENCE = 1  # of packets: the only one
_UNITS = {
    CounterUnit.BYTES: CounterDescriptor.UNIT_SIZE_BYTES,
    CounterUnit.NS: CounterDescriptor.UNIT_TIME_NS,
    CounterUnit.CORES: CounterDescriptor.UNIT_COUNT,
}


def write_perfetto(file: OutputStream, parts: Iterable[Part]) -> None:
    """Write `parts` one after the other: a trace is a sequence of packets, so that its pieces can be joined."""
    known: dict[tuple[str, ...], int] = {}
    for part in parts:
        builder = TraceProtoBuilder()
        uuid = _describe(builder, known, part.path, part.unit if isinstance(part, Counter) else None)
        if isinstance(part, Counter):
            for time, value in part.points:
                _event(builder, uuid, time, TrackEvent.TYPE_COUNTER).counter_value = value
        else:
            for one in part.slices:
                _add(builder, uuid, one)
        file.write(builder.serialize())


def _describe(
    builder: TraceProtoBuilder,
    known: dict[tuple[str, ...], int],
    path: tuple[str, ...],
    unit: CounterUnit | None = None,
) -> int:
    """The number of a track, described with the groups around it where they are new; tracks stay in this order."""
    if path in known:
        return known[path]
    parent = _describe(builder, known, path[:-1]) if path[:-1] else 0
    known[path] = uuid = len(known) + 1
    descriptor = builder.add_packet().track_descriptor
    descriptor.uuid, descriptor.name, descriptor.sibling_order_rank = uuid, path[-1], uuid
    descriptor.child_ordering = TrackDescriptor.EXPLICIT
    if parent:
        descriptor.parent_uuid = parent
    if unit is not None:
        descriptor.counter.unit = _UNITS[unit]
    return uuid


def _add(builder: TraceProtoBuilder, uuid: int, one: Slice) -> None:
    event = _event(builder, uuid, one.begin, TrackEvent.TYPE_SLICE_BEGIN)
    event.name = one.name
    event.flow_ids.extend(one.starts)
    event.terminating_flow_ids.extend(one.ends)
    for name, value in one.notes:
        note = event.debug_annotations.add()
        note.name, note.int_value = name, value
    for inner in one.inner:
        _add(builder, uuid, inner)
    _event(builder, uuid, one.end, TrackEvent.TYPE_SLICE_END)


def _event(builder: TraceProtoBuilder, uuid: int, time: int, kind: int) -> TrackEvent:
    packet = builder.add_packet()
    packet.timestamp, packet.trusted_packet_sequence_id = time, SEQUENCE
    packet.track_event.type, packet.track_event.track_uuid = kind, uuid
    return packet.track_event
