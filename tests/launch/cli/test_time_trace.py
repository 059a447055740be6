"""`emu time --trace`: in every format slices nest, flows go forward, nodes are there, and picoseconds stand beside."""

import json
from pathlib import Path

import pytest
from commands import Emu
from traces import Read, check_trace, read_trace

from emu.arch.derived import derived
from emu.arch.read import load_arch
from emu.arch.write import arch_to_toml
from launch.tracing.trace_file import FORMATS

QUEUES = "puma-queues"  # where operations in flight wait for ports
NAMES = "puma", "isaac", "pimsim-latency", QUEUES
CHIPS = [*((chip, ".pftrace") for chip in NAMES), *(("puma", end) for end in FORMATS)]


@pytest.fixture(params=dict.fromkeys(CHIPS), ids=" ".join)
def traced(request: pytest.FixtureRequest, emu: Emu, digits_image: Path, tmp_path: Path) -> tuple[Read, dict]:
    chip, end = request.param
    file = tmp_path / f"sample{end}"
    if chip == QUEUES:
        chip = tmp_path / "queues.toml"
        queues = derived(load_arch("puma"), {"timing.window": 4, "timing.local_ports": 1})
        chip.write_text(arch_to_toml(queues))
    result = emu("time", digits_image, "--arch", chip, "--trace", file, "--json")
    assert result.exit_code == 0, result.output
    values = json.loads(result.stdout)
    assert values["trace"] == str(file)
    read = read_trace(file)
    check_trace(read)
    return read, values


def test_slices_are_as_long_as_their_picoseconds_say(traced: tuple[Read, dict]) -> None:
    read, values = traced
    assert read.slices and not read.counters
    for one in read.slices:
        begin, end = one.notes["begin_ps"], one.notes["end_ps"]
        assert begin <= end and (begin // 1000, end // 1000) == (one.begin, one.end)
        assert all(begin <= inner.notes["begin_ps"] and inner.notes["end_ps"] <= end for inner in one.inner)
    assert max(one.notes["end_ps"] for one in read.slices) == values["latency_ps"]


def test_tracks_of_units_and_cores(traced: tuple[Read, dict]) -> None:
    read, values = traced
    assert {(f"core {unit['core']}", unit["unit"]) for unit in values["units"]} <= read.tracks.keys()
    assert {(f"core {core['core']}", "nodes") for core in values["cores"]} <= read.tracks.keys()
    slices = {part for one in read.slices for part in one.name.split(" + ")}
    assert {node["node"] for node in values["nodes"]} <= slices


def test_every_message_is_one_arrow(traced: tuple[Read, dict], emu: Emu, digits_image: Path) -> None:
    arrows = [flow for one in traced[0].slices for flow in one.starts]
    summary = json.loads(emu("info", digits_image, "--json").stdout)
    assert len(arrows) == sum(core["messages"] for core in summary["cores"]) > 0
