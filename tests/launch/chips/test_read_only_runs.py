"""Read-only tensors: the same bits in every way of running, one copy for all samples, traps in the checker's words."""

import gc
import os
import signal
from pathlib import Path
from random import Random

import numpy as np
import pytest
from read_only_sets import Generator

from emu.asm.assembler import assemble
from emu.check import check
from emu.errors import EmuError, InputError
from emu.image.reader import open_image
from emu.image.seal import seal
from emu.noc.ports.port import FlowControl
from launch.chips.power import power_on
from launch.chips.sequential import power_on_sequential
from launch.supervision.errors import CoreDied, CoreTrapped

SAMPLES = 5
MEETS = "overwrites read-only tensor"
WAYS = {
    "step in turns": (power_on_sequential, {"engine": "step"}),
    "batch in turns": (power_on_sequential, {"engine": "batch"}),
    "step as processes": (power_on, {"engine": "step"}),
    "batch as processes": (power_on, {"engine": "batch", "flow": "credits:2"}),
    "batch over tcp": (power_on, {"engine": "batch", "transport": "tcp"}),
}
IN_TURNS = ("step in turns", "batch in turns")


def outcome(zygotes, image, way, inputs):
    """Outputs of all samples, and the error that ended the run, if any."""
    power, options = WAYS[way]
    if power is power_on:
        options = {**options, "zygotes": zygotes}
    outputs = []
    try:
        with power(image, timeout=60, **options) as chip:
            for result in chip.stream(inputs):
                outputs.append(result.outputs["y"].tolist())
    except CoreTrapped as trapped:
        return outputs, trapped
    return outputs, None


def compare(directory: Path, seed: int, ways, strays=True, zygotes=None):
    """All ways agree with each other and with the checker; the checker's report and the error."""
    random = Generator(Random(seed), strays)
    image = random.write(directory)
    report = check(open_image(image), FlowControl())
    inputs = random.inputs(SAMPLES)
    outputs, error = outcome(zygotes, image, IN_TURNS[0], inputs)
    for way in ways:
        others, other = outcome(zygotes, image, way, inputs)
        assert others == outputs and str(other and other.record) == str(error and error.record), way
    assert not (report.proved and error) and (error or len(outputs) == SAMPLES)
    assert error is None or len(outputs) == error.sample
    finding = report.of("races").result.finding
    if finding is None or not finding.reason.startswith(MEETS):
        assert error is None or not error.record.reason.startswith(MEETS)
    else:
        mine = next((record for record in error.records if record.core == finding.core), error.record)
        if mine.reason.startswith(MEETS):  # if not, something else stopped the core before
            assert str(mine) == str(finding).replace(" at ", " trapped at ", 1)
    return report, error


def test_all_ways_in_one_process_and_the_checker_agree(tmp_path_factory):
    proved = trapped = 0
    for seed in range(30):
        report, error = compare(tmp_path_factory.mktemp("set"), seed, IN_TURNS[1:])
        proved += report.proved
        trapped += error is not None and error.record.reason.startswith(MEETS)
    assert proved > 6 and trapped > 3


def test_processes_agree(emu_zygotes, tmp_path_factory):
    errors = [compare(tmp_path_factory.mktemp("set"), seed, [*WAYS][2:], zygotes=emu_zygotes)[1] for seed in range(4)]
    assert None in errors and any(errors)


@pytest.mark.full
def test_many_sets_agree(emu_zygotes, tmp_path_factory):
    for seed in range(60, 120):
        compare(tmp_path_factory.mktemp("set"), seed, IN_TURNS[1:])
    for seed in range(1000, 1080):
        compare(tmp_path_factory.mktemp("set"), seed, [*WAYS][1:], zygotes=emu_zygotes)


def test_sets_without_stray_stores_end(tmp_path_factory):
    for seed in range(10):
        gaps = compare(tmp_path_factory.mktemp("set"), 500 + seed, IN_TURNS[1:], strays=False)[1]
        assert gaps is None or gaps.record.reason == "global memory was never written in this sample"


DOUBLE = """\
arch tiny
input "x" f32[1, 4] at 0x00
output "y" f32[1, 4] at 0x10
readonly "weights" f32[256, 1024] at 0x1000 from "weights.npy"
core 0 {
  main {
    ld l[0x00], g[0x00], 16
    ld l[0x10], g[0x100ff0], 16
    vvadd.f32 l[0x00], l[0x00], l[0x10], 4
    st g[0x10], l[0x00], 16
    halt
  }
}
"""


@pytest.fixture
def large(tmp_path):
    """One megabyte of weights; y is x and the last but one quarter of them."""
    (tmp_path / "chip.asm").write_text(DOUBLE)
    np.save(tmp_path / "weights.npy", np.arange(1 << 18, dtype=np.float32).reshape(256, 1024))
    assemble(tmp_path, tmp_path / "out")
    return tmp_path / "out"


@pytest.mark.parametrize("way", WAYS)
def test_samples_read_what_stands_there(large, way):
    power, options = WAYS[way]
    last = np.arange((1 << 18) - 4, 1 << 18, dtype=np.float32)
    with power(large, timeout=60, **options) as chip:
        inputs = [{"x": np.full((1, 4), k, np.float32)} for k in range(9)]
        for k, result in enumerate(chip.stream(inputs)):
            assert result.outputs["y"].tolist() == [(last + k).tolist()]


def test_the_memory_node_maps_the_file_once_and_cores_do_not(large):
    with power_on(large, timeout=60) as chip:
        list(chip.stream([{"x": np.zeros((1, 4), np.float32)}] * 5))
        counts = {name: mappings(pid, large / "weights.npy") for name, pid in chip.processes.items()}
    assert counts.pop("the memory node") == 1
    assert not any(counts.values()) and len(counts) == 2  # a core and the zygote


@pytest.mark.parametrize("victim", ["the memory node", "core 0"])
def test_killed_runs_leave_nothing(large, victim):
    """What is left would be found after the test, see `conftest.py`."""
    with power_on(large, timeout=60) as chip:
        chip.run({"x": np.zeros((1, 4), np.float32)})
        os.kill(chip.processes[victim], signal.SIGKILL)
        with pytest.raises(CoreDied, match=f"{victim} was killed by SIGKILL"):
            list(chip.stream([{"x": np.zeros((1, 4), np.float32)}] * 3))


def mappings(process: int, file: Path) -> int:
    return Path(f"/proc/{process}/maps").read_text().count(f" {file.resolve()}\n")


def test_a_chip_that_is_off_has_no_file_open(large):
    files = Path("/proc/self/fd")
    gc.collect()  # of earlier tests
    before = len(list(files.iterdir()))
    for power in (power_on, power_on_sequential):
        with power(large, timeout=60) as chip:
            chip.run({"x": np.zeros((1, 4), np.float32)})
        del chip
        gc.collect()
        assert len(list(files.iterdir())) == before


@pytest.mark.parametrize("power", [power_on, power_on_sequential])
def test_a_file_of_another_shape_is_refused_in_a_sentence(large, power):
    np.save(large / "weights.npy", np.zeros((1024, 256), np.float32))
    with pytest.raises(InputError, match=r"weights.npy has changed"), power(large, timeout=60):
        pass
    with pytest.raises(InputError, match=r"weights.npy: read-only tensor 'weights' is <f4\[1024, 256\], expected <f4"):
        seal(large)


@pytest.mark.parametrize("power", [power_on, power_on_sequential])
def test_a_file_that_is_exchanged_after_the_digests_were_compared(large, power, monkeypatch):
    np.save(large / "weights.npy", np.zeros((1024, 256), np.float32))
    monkeypatch.setattr("emu.image.reader.check_digests", lambda *_: None)
    with pytest.raises(EmuError, match=r"is <f4\[1024, 256\], expected") as caught, power(large, timeout=60):
        pass
    assert caught.value.exit_code == 2
