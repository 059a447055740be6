"""Open files: counted before anything starts, and enough when they are said to be enough."""

from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import numpy as np
import pytest
from emu_processes import EmuProcesses
from images import ARCH, byte_tensor, write_image
from program_sets import SLOT, ordered_messages
from stepper import program

from emu.image.manifest import Manifest, ReadOnlySpec
from emu.image.writer import ImageWriter
from emu.isa.dtypes import DType
from launch.system.open_files import FILES, check_open_files, files_needed

CORES = 8


@pytest.fixture
def everybody(tmp_path: Path) -> Path:
    """Each core sends to every other one."""
    order = [(a, b, 8) for a in range(CORES) for b in range(CORES) if a != b]
    programs = ordered_messages(CORES, order)
    return write_image(tmp_path / "m", programs, (), (byte_tensor("y", 4 * SLOT * CORES, 0),))


@pytest.fixture
def launch(emu_processes: EmuProcesses) -> Callable[..., CompletedProcess[str]]:
    """Runs an image in a process that may open so many files."""

    def run(limit: int, image: Path, *options: str) -> CompletedProcess[str]:
        before = f"import resource; resource.setrlimit(resource.RLIMIT_NOFILE, ({limit}, {limit}))"
        words = ("launch", image, "--golden", "none", "--timeout", "30", *options)
        return emu_processes.run(*words, before=before)

    return run


@pytest.mark.parametrize("idle", [0, 40])
def test_what_is_needed_is_enough_and_less_is_refused(
    launch: Callable[..., CompletedProcess[str]], everybody: Path, idle: int
) -> None:
    cores = CORES + idle
    need = files_needed(cores, CORES - 1)
    done = launch(need, everybody, "--cores", str(cores))
    assert (done.returncode, done.stderr) == (0, "")
    done = launch(need - 1, everybody, "--cores", str(cores))
    assert done.returncode == 2
    assert done.stderr == (
        f"error: {cores} core processes need {need} open files each and the limit is {need - 1}: "
        f"raise ulimit -n to {need}, use fewer cores, or --sequential\n"
    )


def test_peers_are_counted_only_if_it_matters() -> None:
    def unasked() -> int:
        raise AssertionError

    check_open_files(1, unasked)
    assert files_needed(100, 0) == FILES + 100


def test_the_memory_node_keeps_a_file_open_per_read_only_tensor(
    launch: Callable[..., CompletedProcess[str]], tmp_path: Path
) -> None:
    count, out = 90, tmp_path / "m"
    steps = [step for k in range(count) for step in (("ld", 0, 8 + 8 * k, 8), ("st", 0, 0, 8))]
    with ImageWriter(out) as writer:
        writer.add_core(program(0, *steps), [])
        for k in range(count):
            spec = ReadOnlySpec(f"w{k}", DType.i64, (), 8 + 8 * k, f"w{k}.npy")
            writer.add_read_only(spec, np.array(k))
        writer.finish(Manifest(ARCH, (), (), (byte_tensor("y", 8, 0),), 8 + 8 * count))
    need = files_needed(1, 0, count)
    done = launch(need, out)
    assert (done.returncode, done.stderr) == (0, "")
    done = launch(need - 1, out)
    assert done.returncode == 2 and f"needs {need} open files each and the limit is {need - 1}" in done.stderr
