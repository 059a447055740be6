"""Traces of real runs: all that the cores did is there, however the run is carried and however it ends."""

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from commands import DIGITS
from images import byte_tensor, write_image
from stepper import program
from traces import Read, Seen, check_trace, read_trace

import compiler
from emu.census.census import census_of_image
from emu.census.nodes import NO_NODE
from emu.chaos.spec import Chaos
from emu.errors import EmuError, InputError
from emu.image.reader import Image, open_image
from launch.chips.power import power_on
from launch.chips.sequential import power_on_sequential
from launch.runs.tracing import observers_of
from launch.supervision.errors import CoreDied, CoreTrapped, Deadlock
from launch.tracing.options import ALL, LEAST, MOST, TraceOptions, most_of
from launch.tracing.recording import INTERRUPTED, TraceRecording
from launch.tracing.run_tracks import REAL
from launch.tracing.trace_file import FORMATS

INPUT = {"in0": np.ones((1, 1, 8, 8), np.float32)}
SAMPLES = 3
EIGHT = {"x": np.ones((1, 8), np.uint8)}
POWER = {"processes": power_on, "sequential": power_on_sequential}


@pytest.fixture(scope="module")
def digits(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compiler.compile(DIGITS, cores=16, out=tmp_path_factory.mktemp("images") / "digits").out


def traced(power, image: Path, file: Path, count: int = SAMPLES, most: int | None = None, **options) -> dict:
    """Run `count` samples; what is told of the trace."""
    with power(image, observers=[TraceRecording(file, most)], timeout=60, **options) as chip:
        assert len(list(chip.stream([INPUT] * count))) == count
        return chip.observed["trace"]


def of_core(read: Read, core: int) -> list[Seen]:
    return read.tracks[REAL, f"core {core}"]


def leaves(one: Seen, depth: int = 2) -> list[Seen]:
    """The slices at this depth below `one`."""
    return [one] if depth == 0 else [leaf for inner in one.inner for leaf in leaves(inner, depth - 1)]


def check_run(read: Read, image: Image, samples: int) -> None:
    """Every core went through all samples, worked for its nodes and sent its messages, and no others."""
    check_trace(read)
    census, sent = census_of_image(image), 0
    for core in image.cores:
        *rest, last = of_core(read, core)
        names = [one.name for one in (*rest, last)]
        assert names[-samples:] == [f"sample {k}" for k in range(samples)] and set(names[:-samples]) <= {"init"}
        mine = census.cores[core]
        nodes, messages = {share.node for share in mine.shares} - {NO_NODE}, mine.counts.messages
        for sample in of_core(read, core)[-samples:]:
            assert {part for one in sample.inner for part in one.name.split(" + ")} - {NO_NODE} == nodes
            assert all(one.name != later.name for one, later in pairwise(sample.inner))
            sends = [leaf for leaf in leaves(sample) if leaf.name.startswith("send")]
            assert (len(sends), sum(leaf.notes["bytes"] for leaf in sends)) == (messages, mine.counts.sent)
            assert all(len(leaf.starts) == 1 for leaf in sends)
            sent += messages
    arrows = [one for one in read.slices if one.ends]
    assert len(arrows) == sent and all(one.name == "message" and one.depth == 3 for one in arrows)


@pytest.mark.parametrize("end", FORMATS)
@pytest.mark.parametrize("power", POWER)
def test_a_run_in_every_format(digits: Path, tmp_path: Path, power: str, end: str) -> None:
    observed = traced(POWER[power], digits, tmp_path / f"run{end}")
    read, image = read_trace(tmp_path / f"run{end}"), open_image(digits)
    check_run(read, image, SAMPLES)
    assert observed["events"] == sum(len(leaves(sample)) for core in image.cores for sample in of_core(read, core))
    assert observed["dropped"] == {} and observed["most"] == most_of(len(image.cores)) == MOST


@pytest.mark.parametrize(
    ("flow", "engine", "transport"),
    [("credits:2", "batch", "ipc"), ("rendezvous", "step", "ipc"), ("credits:1", "fast", "tcp")],
)
def test_other_flows_engines_and_transports(
    digits: Path, tmp_path: Path, flow: str, engine: str, transport: str
) -> None:
    traced(power_on, digits, tmp_path / "run.pftrace", flow=flow, engine=engine, transport=transport)
    check_run(read_trace(tmp_path / "run.pftrace"), open_image(digits), SAMPLES)


def test_what_is_blocked_and_in_flight_adds_up(digits: Path, tmp_path: Path) -> None:
    traced(power_on, digits, tmp_path / "run.pftrace")
    read, image = read_trace(tmp_path / "run.pftrace"), open_image(digits)
    waiting = ("send", "recv", "load", "store", "wait")
    for core in image.cores:
        points = read.counters[REAL, f"core {core} blocked in this sample"]
        for sample in of_core(read, core)[-SAMPLES:]:
            spent = sum(leaf.end - leaf.begin for leaf in leaves(sample) if leaf.name.startswith(waiting))
            inside = [value for time, value in points if sample.begin <= time <= sample.end]
            assert max(inside, default=0) == spent and (not inside or inside[-1] == 0)
    flights = {where[1]: points for where, points in read.counters.items() if "in flight" in where[1]}
    taking = {int(one.where[1].split()[-1]) for one in read.slices if one.ends}
    assert set(flights) == {"all cores bytes in flight", *(f"core {core} bytes in flight to it" for core in taking)}
    assert len(taking) > 2
    assert max(value for _, value in read.counters[REAL, "all cores blocked cores"]) <= len(image.cores)


@pytest.mark.parametrize("power", POWER)
def test_of_a_long_run_the_newest_events_are_kept(digits: Path, tmp_path: Path, power: str) -> None:
    observed = traced(POWER[power], digits, tmp_path / "run.pftrace", count=12, most=7)
    read, image = read_trace(tmp_path / "run.pftrace"), open_image(digits)
    check_trace(read)
    assert observed["dropped"].keys() == set(image.cores) and min(observed["dropped"].values()) > 0
    for core in image.cores:
        assert sum(len(leaves(sample)) for sample in of_core(read, core)) == 7
        assert of_core(read, core)[-1].name == "sample 11"


@pytest.mark.parametrize("power", POWER)
def test_captures_are_named(digits: Path, tmp_path: Path, power: str) -> None:
    traced(POWER[power], digits, tmp_path / "run.pftrace", keep=["all"])
    read, image = read_trace(tmp_path / "run.pftrace"), open_image(digits)
    check_trace(read)
    for core in image.cores:
        buffers = sorted((f"capture {b.tensor}", b.nbytes) for b in image.program(core).buffers)
        for sample in of_core(read, core)[-SAMPLES:]:
            found = [leaf for leaf in leaves(sample) if leaf.name.startswith("capture")]
            assert sorted((leaf.name, leaf.notes["bytes"]) for leaf in found) == buffers


def test_many_cores_keep_fewer_events_each() -> None:
    assert [most_of(cores) for cores in (0, 1, 64, 1024, 1 << 30)] == [MOST, MOST, MOST, ALL // 1024, LEAST]


def test_the_same_results_with_and_without(digits: Path, tmp_path: Path) -> None:
    with power_on(digits, timeout=60) as plain:
        expected = plain.run(INPUT)["out0"]
    for power in POWER.values():
        with power(digits, observers=[TraceRecording(tmp_path / "run.json")], timeout=60) as chip:
            assert np.array_equal(chip.run(INPUT)["out0"], expected)


def two_cores(folder: Path, first: tuple, second: tuple) -> Path:
    programs = {0: program(0, ("ld", 0, 1000, 8), *first), 1: program(1, *second)}
    return write_image(folder / "two", programs, (byte_tensor("x", 8, 1000),), (byte_tensor("y", 8, 0),))


@pytest.mark.parametrize("power", POWER)
def test_a_deadlock_is_seen_in_the_trace(tmp_path: Path, power: str) -> None:
    first = (("send", 1, 0, 8), ("recv", 1, 0, 8), ("recv", 1, 0, 8))
    image = two_cores(tmp_path, first, (("recv", 0, 0, 8), ("send", 0, 0, 8), ("recv", 0, 0, 8)))
    file = tmp_path / "run.pftrace"
    with pytest.raises(Deadlock) as caught, POWER[power](image, observers=[TraceRecording(file)], timeout=60) as chip:
        chip.run(EIGHT)
    read = read_trace(file)
    check_trace(read)
    for core in (0, 1):
        *_, waits = leaves(of_core(read, core)[-1])
        assert waits.name == f"recv from core {1 - core}" and not waits.inner
        assert waits.end == max(one.end for one in read.slices)
    assert caught.value.details["trace"] == {"file": str(file), "events": 7, "most": MOST, "dropped": {}, "hosts": []}
    assert f"trace: 7 events in {file}: open it at ui.perfetto.dev" in caught.value.__notes__


@pytest.mark.parametrize("power", POWER)
def test_a_trap_is_the_end_of_its_core(tmp_path: Path, power: str) -> None:
    image = two_cores(tmp_path, (("send", 1, 0, 8), ("st", 0, 0, 8)), (("recv", 0, 0, 12),))
    with (
        pytest.raises(CoreTrapped),
        POWER[power](image, observers=[TraceRecording(tmp_path / "run.json")], timeout=60) as chip,
    ):
        chip.run(EIGHT)
    read = read_trace(tmp_path / "run.json")
    check_trace(read)
    (refused,) = leaves(of_core(read, 1)[-1])
    assert refused.name == "recv from core 0" and refused.notes["bytes"] == 12
    (send,) = [one for one in read.slices if one.starts]
    assert send.notes["bytes"] == 8 and [one.ends for one in refused.inner] == [send.starts]


def test_a_killed_core_leaves_what_it_had_recorded(digits: Path, tmp_path: Path) -> None:
    chaos, file = Chaos(("kill:1@20",)), tmp_path / "run.json.gz"
    with pytest.raises(CoreDied), power_on(digits, observers=[TraceRecording(file)], timeout=60, chaos=chaos) as chip:
        list(chip.stream([INPUT] * 50))
    read = read_trace(file)
    check_trace(read)
    requests = [leaf for sample in of_core(read, 1) for leaf in leaves(sample) if "index" in leaf.notes]
    assert len(requests) == 21  # killed when it began the last one
    assert all(of_core(read, core) for core in open_image(digits).cores)


def test_whoever_interrupts_a_run_gets_the_newest_events_only(
    digits: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted() -> None:
        with pytest.raises(KeyboardInterrupt), power_on(digits, observers=[TraceRecording(file)], timeout=60) as chip:
            chip.run(INPUT)
            raise KeyboardInterrupt

    file = tmp_path / "run.pftrace"
    interrupted()
    check_run(read_trace(file), open_image(digits), 1)
    assert INTERRUPTED > 100
    monkeypatch.setattr("launch.tracing.recording.INTERRUPTED", 10)
    interrupted()
    read = read_trace(file)
    check_trace(read)
    for core in open_image(digits).cores:
        assert sum(len(leaves(sample)) for sample in of_core(read, core)) == 3


@pytest.mark.parametrize("power", POWER)
def test_a_trace_that_cannot_be_written(digits: Path, power: str) -> None:
    file = Path("/proc/none/run.pftrace")
    with (
        pytest.raises(InputError, match=r"run\.pftrace"),
        POWER[power](digits, observers=[TraceRecording(file)], timeout=60) as chip,
    ):
        chip.run(INPUT)
    with (
        pytest.raises(ValueError, match="mine") as caught,
        POWER[power](digits, observers=[TraceRecording(file)]) as chip,
    ):
        chip.run(INPUT)
        raise ValueError("mine")
    assert "its trace is lost: " in caught.value.__notes__[0]


def test_a_run_that_never_began_writes_nothing(digits: Path, tmp_path: Path) -> None:
    with pytest.raises(EmuError), power_on(digits, observers=[TraceRecording(tmp_path / "run.json")], cores=2):
        pass
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("arch", ["puma", "isaac"])
def test_simulated_time_stands_beside_a_sample_of_the_run(digits: Path, tmp_path: Path, arch: str) -> None:
    recording = observers_of(TraceOptions(tmp_path / "run.pftrace", None, arch), digits, "rendezvous")
    with power_on(digits, observers=recording, timeout=60) as chip:
        list(chip.stream([INPUT] * SAMPLES))
    read = read_trace(tmp_path / "run.pftrace")
    check_trace(read)
    (group,) = {where[0] for where in read.tracks} - {REAL}
    assert group.startswith(f"simulated time on {arch}, ") and group.endswith(" times as slow")
    real = [track[-SAMPLES] for where, track in read.tracks.items() if where[0] == REAL]
    simulated = [one for where, track in read.tracks.items() if where[0] == group for one in track]
    begin, end = min(one.begin for one in real), max(one.end for one in real)
    latency = max(one.notes["end_ps"] for one in simulated)
    for one in simulated:
        assert one.begin == begin + one.notes["begin_ps"] * (end - begin) // latency
        assert one.end == begin + one.notes["end_ps"] * (end - begin) // latency
    cores = {where[1] for where in read.tracks if where[0] == group and where[1].endswith(" nodes")}
    assert cores == {f"core {core} nodes" for core in open_image(digits).cores}
