"""`emu time --trace`: the file is parsed with Perfetto's own protos; slices nest, flows go forward, nodes are there."""

import json
from collections import defaultdict
from pathlib import Path

import pytest
from commands import Emu
from perfetto.protos.perfetto.trace.perfetto_trace_pb2 import Trace, TrackEvent

from emu.arch_file import load_arch
from emu.arch_toml import arch_to_toml
from launch.sweeps.variations import changed_chip


def parsed(path: Path) -> Trace:
    trace = Trace()
    trace.ParseFromString(path.read_bytes())
    return trace


QUEUES = "puma, where operations in flight wait for ports"


@pytest.fixture(params=["puma", "isaac", "pimsim-latency", QUEUES])
def traced(request: pytest.FixtureRequest, emu: Emu, digits_image: Path, tmp_path: Path) -> tuple[Trace, dict]:
    file, chip = tmp_path / "sample.pftrace", request.param
    if chip == QUEUES:
        chip = tmp_path / "queues.toml"
        queues = changed_chip(load_arch("puma"), {"timing.window": 4, "timing.local_ports": 1})
        chip.write_text(arch_to_toml(queues))
    result = emu("time", digits_image, "--arch", chip, "--trace", file, "--json")
    assert result.exit_code == 0, result.output
    values = json.loads(result.stdout)
    assert values["trace"] == str(file)
    return parsed(file), values


def test_slices_nest_in_order_of_time(traced: tuple[Trace, dict]) -> None:
    trace, values = traced
    open_slices, last, count = defaultdict(list), defaultdict(int), 0
    for packet in trace.packet:
        if not packet.HasField("track_event"):
            continue
        event = packet.track_event
        assert packet.timestamp >= last[event.track_uuid]
        last[event.track_uuid] = packet.timestamp
        stack = open_slices[event.track_uuid]
        if event.type == TrackEvent.TYPE_SLICE_BEGIN:
            exact = {note.name: note.int_value for note in event.debug_annotations}
            assert exact["begin_ps"] // 1000 == packet.timestamp and exact["begin_ps"] <= exact["end_ps"]
            assert not stack or (stack[-1]["begin_ps"] <= exact["begin_ps"] and exact["end_ps"] <= stack[-1]["end_ps"])
            stack.append(exact)
            count += 1
        else:
            assert event.type == TrackEvent.TYPE_SLICE_END
            assert stack.pop()["end_ps"] // 1000 == packet.timestamp
    assert count and not any(open_slices.values())
    assert max(last.values()) == values["latency_ps"] // 1000


def test_tracks_of_units_and_cores(traced: tuple[Trace, dict]) -> None:
    trace, values = traced
    described = {p.track_descriptor.uuid: p.track_descriptor for p in trace.packet if p.HasField("track_descriptor")}
    names = {
        (described[track.parent_uuid].name, track.name) for track in described.values() if track.HasField("parent_uuid")
    }
    units = {(f"core {unit['core']}", unit["unit"]) for unit in values["units"]}
    assert units <= names
    assert {(f"core {core['core']}", "nodes") for core in values["cores"]} <= names
    used = {p.track_event.track_uuid for p in trace.packet if p.HasField("track_event")}
    assert used == {uuid for uuid, track in described.items() if track.HasField("parent_uuid")}
    slices = {p.track_event.name for p in trace.packet if p.HasField("track_event")}
    assert {node["node"] for node in values["nodes"]} <= {part for name in slices for part in name.split(" + ")}


def test_every_message_is_one_arrow_forward(traced: tuple[Trace, dict], emu: Emu, digits_image: Path) -> None:
    begins, ends = {}, {}
    for packet in traced[0].packet:
        event = packet.track_event
        for found, ids in ((begins, event.flow_ids), (ends, event.terminating_flow_ids)):
            for flow in ids:
                assert flow not in found
                found[flow] = packet.timestamp
    summary = json.loads(emu("info", digits_image, "--json").stdout)
    assert len(begins) == sum(core["messages"] for core in summary["cores"]) > 0
    assert begins.keys() == ends.keys() and all(begins[flow] <= ends[flow] for flow in begins)


def test_a_place_that_cannot_be_written(emu: Emu, digits_image: Path, tmp_path: Path) -> None:
    result = emu("time", digits_image, "--arch", "puma", "--trace", tmp_path / "none" / "t.pftrace")
    assert result.exit_code == 2 and result.stderr.count("\n") == 1 and "t.pftrace" in result.stderr
