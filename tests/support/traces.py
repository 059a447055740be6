"""Traces read back from their files, whatever the format, and what must hold for every one of them."""

import gzip
import json
from collections import defaultdict
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

from perfetto.protos.perfetto.trace.perfetto_trace_pb2 import Trace, TrackEvent

Where = tuple[str, str]  # outermost group, and the names in it


@dataclass
class Seen:
    """A slice: times in ns."""

    where: Where
    name: str
    begin: int
    depth: int
    notes: dict[str, int]
    starts: list[int]
    ends: list[int]
    end: int = -1
    inner: list["Seen"] = field(default_factory=list)

    def plain(self) -> tuple:
        """All of it, to be compared."""
        return (
            self.name,
            self.begin,
            self.end,
            self.notes,
            self.starts,
            self.ends,
            [one.plain() for one in self.inner],
        )


@dataclass
class Read:
    """Slices in the order in which they began, the outermost ones by track, and counters."""

    slices: list[Seen] = field(default_factory=list)
    tracks: dict[Where, list[Seen]] = field(default_factory=lambda: defaultdict(list))
    counters: dict[Where, list[tuple[int, int]]] = field(default_factory=lambda: defaultdict(list))
    _open: dict[Where, list[Seen]] = field(default_factory=lambda: defaultdict(list))
    _last: dict[Where, int] = field(default_factory=dict)

    def begins(self, one: Seen) -> None:
        stack = self._open[one.where]
        one.depth = len(stack)
        (stack[-1].inner if stack else self.tracks[one.where]).append(one)
        stack.append(one)
        self.slices.append(one)
        self._goes_on(one.where, one.begin)

    def ends(self, where: Where, time: int) -> None:
        self._goes_on(where, time)
        self._open[where].pop().end = time

    def _goes_on(self, where: Where, time: int) -> None:
        assert time >= self._last.get(where, 0), "an earlier event of a track comes later"
        self._last[where] = time

    def finish(self) -> "Read":
        assert not any(self._open.values()), "a slice begins and never ends"
        return self


def read_trace(path: Path) -> Read:
    """The trace in a file, by its name."""
    if path.name.endswith(".pftrace"):
        return _perfetto(path.read_bytes())
    content = path.read_bytes()
    return _chrome(json.loads(gzip.decompress(content) if path.name.endswith(".gz") else content))


def _perfetto(content: bytes) -> Read:
    trace, read = Trace(), Read()
    trace.ParseFromString(content)
    described = {p.track_descriptor.uuid: p.track_descriptor for p in trace.packet if p.HasField("track_descriptor")}

    def where(uuid: int) -> Where:
        names = []
        while uuid:
            names.insert(0, described[uuid].name)
            uuid = described[uuid].parent_uuid
        return names[0], " ".join(names[1:]) or names[0]

    for packet in trace.packet:
        if not packet.HasField("track_event"):
            continue
        event, place = packet.track_event, where(packet.track_event.track_uuid)
        if event.type == TrackEvent.TYPE_SLICE_BEGIN:
            notes = {note.name: note.int_value for note in event.debug_annotations}
            flows = list(event.flow_ids), list(event.terminating_flow_ids)
            read.begins(Seen(place, event.name, packet.timestamp, 0, notes, *flows))
        elif event.type == TrackEvent.TYPE_SLICE_END:
            read.ends(place, packet.timestamp)
        else:
            assert event.type == TrackEvent.TYPE_COUNTER
            assert described[event.track_uuid].HasField("counter")
            read.counters[place].append((packet.timestamp, event.counter_value))
    return read.finish()


def _chrome(content: dict) -> Read:
    read, names = Read(), {}
    events = content["traceEvents"]
    for event in events:
        if event["ph"] == "M" and event["name"].endswith("_name"):
            names[event["name"], event["pid"], event["tid"]] = event["args"]["name"]
    for event in (event for event in events if event["ph"] != "M"):
        time, process = round(event["ts"] * 1000), names["process_name", event["pid"], 0]
        if event["ph"] == "C":
            ((_, value),) = event["args"].items()
            read.counters[process, event["name"]].append((time, value))
            continue
        place = process, names["thread_name", event["pid"], event["tid"]]
        if event["ph"] == "B":
            read.begins(Seen(place, event["name"], time, 0, event.get("args", {}), [], []))
        elif event["ph"] == "E":
            read.ends(place, time)
        else:
            around = read._open[place][-1]
            assert event["id"] and time == around.begin
            (around.starts if event["ph"] == "s" else around.ends).append(event["id"])
    return read.finish()


def check_trace(read: Read, apart: int = 0) -> None:
    """Slices nest and follow each other, every flow has one begin and one later end, counters end where they began.

    Clocks of hosts may be so many ns `apart`.
    """
    for one in read.slices:
        assert one.begin <= one.end
        assert all(one.begin <= inner.begin and inner.end <= one.end for inner in one.inner)
        _follow(one.inner)
    for track in read.tracks.values():
        _follow(track)
    begins = {flow: one for one in read.slices for flow in one.starts}
    ends = {flow: one for one in read.slices for flow in one.ends}
    assert len(begins) == sum(len(one.starts) for one in read.slices)
    assert len(ends) == sum(len(one.ends) for one in read.slices)
    assert begins.keys() == ends.keys()
    assert all(begins[flow].begin <= ends[flow].begin + apart for flow in begins)
    for points in read.counters.values():
        times, values = zip(*points, strict=True) if points else ((), ())
        assert list(times) == sorted(times)
        assert all(value >= 0 for value in values) and (not values or values[-1] == 0)


def _follow(slices: list[Seen]) -> None:
    assert all(one.end <= later.begin for one, later in pairwise(slices))
