"""A host process that somebody has stopped does not hold a run beyond its timeout, and is called stopped."""

import os
import signal
import time
from contextlib import contextmanager
from pathlib import Path

import host_nets
import numpy as np
import pytest
from onnx import helper, numpy_helper

from compiler import compile
from emu.image.manifest import Segment, Work
from launch.chips.segmented import power_on_segments
from launch.host_nodes.host_process import HostProcess
from launch.supervision.errors import RunTimeout

LARGE = 1 << 20  # elements: more than any buffer of a socket holds
TIMEOUT = 1.5
STOPPED = r"host process of .* is stopped \(SIGSTOP\)"


def network(elements, repeats=1):
    """A host node that turns around one row of so many elements, and repeats it."""
    lengths = numpy_helper.from_array(np.array([elements], np.int64), "lengths")
    times = numpy_helper.from_array(np.array([1, repeats], np.int64), "times")
    nodes = [host_nets.reversing("x", "y" if repeats == 1 else "r", "turn")]
    if repeats > 1:
        nodes.append(helper.make_node("Tile", ["r", "times"], ["y"], "tile"))
    return host_nets.model(nodes, {"x": [1, elements]}, {"y": [1, elements * repeats]}, lengths, times)


@contextmanager
def host(model, folder, **options):
    """A process for the whole of a model."""
    (folder / "part.onnx").write_bytes(model.SerializeToString())
    segment = Segment("part.onnx", "", ("x",), ("y",), ("turn (ReverseSequence)",), Work(1, 0, 0), "onnxruntime")
    with HostProcess(folder, segment, {}, **options) as process:
        process.ready()
        yield process


def in_time(run):
    """Run what must time out, not much later than it should."""
    began = time.monotonic()
    with pytest.raises(RunTimeout, match=STOPPED) as raised:
        run()
    assert time.monotonic() - began < 20 * TIMEOUT
    assert raised.value.exit_code == 6


@pytest.mark.parametrize("elements", [4, LARGE])
def test_before_it_has_read(elements, tmp_path):
    told = []
    with host(network(elements), tmp_path, timeout=TIMEOUT, notice=told.append) as process:
        os.kill(process.pid, signal.SIGSTOP)
        in_time(lambda: process.run({"x": np.zeros((1, elements), np.float32)}))
    assert [line for line in told if "waits until it is continued" in line]


def test_while_it_answers(tmp_path):
    """It stands in the middle of its answer, of which only a part fits into the socket."""
    with host(network(4, LARGE // 2), tmp_path, timeout=TIMEOUT) as process:
        process.ask("run", values={"x": np.zeros((1, 4), np.float32)})
        deadline = time.monotonic() + 60
        while not _waits_for_a_reader(process) and time.monotonic() < deadline:
            time.sleep(0.02)
        os.kill(process.pid, signal.SIGSTOP)
        process.start_clock()
        in_time(process.answer)


def _waits_for_a_reader(process):
    """Whether a part of its answer has come, and it sleeps."""
    import select

    came, _, _ = select.select([process.descriptors[0]], [], [], 0)
    state = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()[0]
    return bool(came) and state == "S"


def test_a_network_with_a_stopped_host(tmp_path):
    compile(network(LARGE), out=tmp_path / "out", host_fallback=True, cores=1)
    with power_on_segments(tmp_path / "out", timeout=TIMEOUT) as chip:
        name = next(name for name in chip.processes if "host process" in name)
        os.kill(chip.processes[name], signal.SIGSTOP)
        in_time(lambda: chip.run({"x": np.zeros((1, LARGE), np.float32)}))


def test_one_that_goes_on_is_waited_for(tmp_path):
    told = []

    def resume(line):
        told.append(line)
        os.kill(process.pid, signal.SIGCONT)

    with host(network(4), tmp_path, timeout=60, notice=resume) as process:
        os.kill(process.pid, signal.SIGSTOP)
        found = process.run({"x": np.arange(4, dtype=np.float32).reshape(1, 4)})
    np.testing.assert_array_equal(found["y"], [[3, 2, 1, 0]])
    assert "waits until it is continued" in told[0]
