"""Runs that fail are reported in the user's terms, with the right exit code, and leave nothing behind."""

import os
import re
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from images import byte_tensor, write_endless, write_image
from leaks import descendants
from program_sets import DEADLOCKS, RENDEZVOUS_ONLY
from stepper import program

from emu.errors import EmuError, InputError
from emu.isa.address import Address
from emu.program.builder import SectionBuilder
from emu.program.program import Program
from launch.chips import power
from launch.chips.power import power_on
from launch.chips.sequential import power_on_sequential
from launch.processes.zygote_process import ZygoteAhead, ZygoteProcess
from launch.supervision.errors import CoreDied, CoreTrapped, Deadlock, RunTimeout

OUTPUT = (byte_tensor("y", 4, 0),)
ROOT = Path(__file__).parents[3]


@pytest.fixture
def endless(tmp_path):
    return write_endless(tmp_path / "endless")


@pytest.mark.few(4)
@pytest.mark.parametrize("flow", ["rendezvous", "credits:1"])
@pytest.mark.parametrize(
    "name", ["recv cycle of 2", "send cycle of 3", "chain to a halted core", "wait that nobody syncs"]
)
def test_both_schedulers_report_the_same_deadlock(tmp_path, name, flow):
    if flow != "rendezvous" and name in RENDEZVOUS_ONLY:
        flow = "rendezvous"
    programs, edges, halted = DEADLOCKS[name]
    image = write_image(tmp_path / "image", programs)
    reports = []
    for start in (power_on, power_on_sequential):
        with start(image, flow=flow, timeout=60) as chip:
            began = time.monotonic()
            with pytest.raises(Deadlock) as error:
                chip.run({})
            assert time.monotonic() - began < 5
        assert error.value.exit_code == 4
        reports.append(error.value.report)
    assert [edge.edge for edge in reports[0].edges] == edges and reports[0].halted == halted
    assert reports[0] == reports[1] and str(reports[0]) == str(reports[1])


def test_both_ends_of_a_misfit_message_trap(tmp_path):
    programs = {0: program(0, ("lldi", 0, 1, 8), ("send", 1, 0, 8)), 1: program(1, ("recv", 0, 0, 4))}
    image = write_image(tmp_path / "image", programs)
    texts = []
    for start in (power_on, power_on_sequential):
        with start(image, timeout=60) as chip, pytest.raises(CoreTrapped) as error:
            chip.run({})
        assert [(r.core, r.instruction, r.value, r.limit) for r in error.value.records] == [
            (0, "send", 8, 4),
            (1, "recv", 8, 4),
        ]
        assert error.value.exit_code == 3
        texts.append(str(error.value))
    assert texts[0] == texts[1]


def test_traps_of_cores_and_of_global_memory(tmp_path):
    for steps, reason in (
        ([("send", 1, 0, 4)], "undefined"),
        ([("ld", 0, 100, 4)], "never written"),
        ([("lldi", 0, 1, 8), ("st", (1 << 24) - 4, 0, 8)], "out of range"),
    ):
        image = write_image(tmp_path / "image", {0: program(0, *steps), 1: program(1)})
        records = []
        for start in (power_on, power_on_sequential):
            with start(image, timeout=60) as chip, pytest.raises(CoreTrapped, match=reason) as error:
                chip.run({})
            records.append(error.value.records)
        assert records[0] == records[1]


def test_a_trap_in_init_and_a_chip_that_is_off(tmp_path):
    image = write_image(tmp_path / "image", {0: program(0, init=(("send", 1, 0, 4),)), 1: program(1)})
    with power_on(image, timeout=60) as chip:
        for _ in range(2):
            with pytest.raises(CoreTrapped, match=r"init\[0\]"):
                chip.run({})


def test_timeout_lists_what_cores_were_doing(endless):
    with power_on(endless, engine="step", timeout=60) as chip, pytest.raises(RunTimeout) as error:
        chip.supervisor.timeout = 0.5  # the start may take longer
        chip.run({})
    assert error.value.exit_code == 6
    first, second = error.value.unfinished
    assert first == "core 0 was computing after main[1] st (sample 0, node spin)"
    assert second == "core 1 waited for message 0 from core 0 at main[0] recv (sample 0)"
    with (
        power_on_sequential(endless, engine="step", timeout=0.2) as chip,
        pytest.raises(RunTimeout, match="core 0 computed at main"),
    ):
        chip.run({})


def processes_of(image: Path) -> dict[str, int]:
    """Zygote, memory node and cores of the one run, in the order of their start."""
    found = [pid for pid in descendants() if b"launch.processes.zygote" in Path(f"/proc/{pid}/cmdline").read_bytes()]
    names = ["zygote", "memory node", "core 0", "core 1"]
    return dict(zip(names, sorted(found), strict=True))


def test_a_killed_core_is_named_with_its_last_instruction(endless):
    def kill_when_it_computes(chip):
        while not any("was computing after main[1]" in text for text in chip.supervisor.inspector.unfinished()):
            time.sleep(0.01)
        os.kill(processes_of(endless)["core 0"], signal.SIGSEGV)

    with power_on(endless, engine="step", timeout=60) as chip:
        killer = threading.Thread(target=kill_when_it_computes, args=[chip])
        killer.start()
        with pytest.raises(CoreDied, match=r"core 0 was killed by SIGSEGV, last seen at main\[1\] st") as error:
            chip.run({})
        killer.join()
    assert (error.value.core, error.value.status, error.value.exit_code) == (0, -signal.SIGSEGV, 5)
    assert error.value.place.node == "spin"


@pytest.mark.parametrize(("victim", "who"), [("memory node", "the memory node"), ("zygote", "the zygote process")])
def test_killed_helpers_are_named(endless, victim, who):
    with power_on(endless, engine="step", timeout=60) as chip:
        os.kill(processes_of(endless)[victim], signal.SIGKILL)
        with pytest.raises(CoreDied, match=f"{who} was killed by SIGKILL") as error:
            chip.run({})
    assert error.value.core is None


def test_the_death_of_the_zygote_is_known_before_that_of_its_children(endless):
    """A child that dies late keeps the pipe of reports open: here this process does."""
    zygote = ZygoteProcess()
    held = os.dup(zygote.sender)
    try:
        with power_on(endless, engine="step", timeout=60, zygotes=ZygoteAhead(zygote)) as chip:
            os.kill(zygote.pid, signal.SIGKILL)
            with pytest.raises(CoreDied, match="the zygote process was killed by SIGKILL"):
                chip.run({})
    finally:
        os.close(held)


def test_errors_of_the_emulator_itself_are_told_and_logged(endless, tmp_path, monkeypatch):
    monkeypatch.setattr(power, "check_engine", lambda name: None)
    with (
        pytest.raises(CoreDied, match="failed by an error of the emulator itself: KeyError: 'warp'") as error,
        power_on(endless, engine="warp", log_dir=tmp_path / "logs", timeout=60),
    ):
        pass
    assert "Traceback" in error.value.traceback
    assert "Traceback" in (tmp_path / "logs" / f"core_{error.value.core:04d}.log").read_text()


def test_damaged_programs_are_named(endless):
    (endless / "core_0001.prog").write_bytes(b"\x00")
    with pytest.raises(InputError, match=r"core_0001\.prog"), power_on(endless, timeout=60):
        pass


LAUNCHER = """
import sys, threading
from launch.chips.power import power_on
def work():
    with power_on(sys.argv[1], engine="step", transport=sys.argv[2]) as chip:
        print("up", flush=True)
        chip.run({})
if sys.argv[3] == "thread":
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
work()
"""


@pytest.mark.few(2)
@pytest.mark.parametrize(
    ("number", "transport", "where"),
    [
        (signal.SIGKILL, "ipc", "main"),
        (signal.SIGKILL, "tcp", "thread"),
        (signal.SIGTERM, "ipc", "main"),
        (signal.SIGINT, "ipc", "main"),
    ],
)
def test_nothing_survives_the_launcher(emu_processes, endless, number, transport, where):
    with emu_processes.start(endless, transport, where, program=LAUNCHER) as launcher:
        assert launcher.stdout.readline() == "up\n"
        launcher.send_signal(number)
        launcher.wait(10)
        if number == signal.SIGINT:
            assert re.search("KeyboardInterrupt", launcher.stderr.read())
    # The fixture of every test fails if a process, directory or memory is left.


def test_nothing_survives_a_launcher_that_dies_at_the_start(endless):
    for delay in (0.05, 0.2, 0.3):
        command = [sys.executable, "-c", LAUNCHER, str(endless), "ipc", "main"]
        with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as launcher:
            time.sleep(delay)
            launcher.kill()


FILL = ("lldi", 0, 7, 8)


def _both(image, samples, flow="rendezvous"):
    """What came out and what ended the run, for both ways of running."""
    found = []
    for start in (power_on, power_on_sequential):
        outputs = []
        with pytest.raises(EmuError) as error, start(image, flow=flow, timeout=60) as chip:
            outputs.extend(result.sample for result in chip.stream([{}] * samples))
        found.append((outputs, str(error.value), error.value.exit_code))
    assert found[0] == found[1]
    return found[0]


@pytest.mark.parametrize(("flow", "code"), [("rendezvous", 4), ("credits:1", 3)])
def test_no_sample_begins_before_every_init_has_ended(tmp_path, flow, code):
    """A message of `init` that is only received in `main`."""
    programs = {0: program(0, init=(FILL, ("send", 1, 0, 8))), 1: program(1, ("recv", 0, 0, 8))}
    image = write_image(tmp_path / "image", programs)
    outputs, text, exit_code = _both(image, 3, flow)
    assert outputs == [] and exit_code == code
    if code == 4:
        assert "core 0 waits until core 1 takes message 0 at init[1] send; core 1 has halted" in text


def test_a_trap_of_init_names_no_sample(tmp_path):
    image = write_image(tmp_path / "image", {0: program(0, init=(FILL, ("st", 0, 0, 8)))})
    assert "trapped at init[1] st:" in _both(image, 2)[1]


@pytest.mark.parametrize("flow", ["rendezvous", "credits:2"])
def test_a_core_that_goes_on_to_the_next_sample_changes_no_word(tmp_path, flow):
    """Core 0 sends one message where core 1 wants two; it is in the next sample long before core 1 is stuck."""
    slow = [("lldi", 64, 1, 8)] * 200
    programs = {0: program(0, FILL, ("send", 1, 0, 8)), 1: program(1, ("recv", 0, 0, 8), *slow, ("recv", 0, 0, 8))}
    outputs, text, exit_code = _both(write_image(tmp_path / "image", programs), 6, flow)
    assert outputs == [] and exit_code == 4
    assert "core 1 waits for message 1 from core 0 at main[201] recv (sample 0); core 0 has halted" in text


@pytest.mark.parametrize(
    ("steps", "flow", "words"),
    [
        ([FILL, ("sync", 1, 2)], "rendezvous", "syncs event 2 of core 1 1 time and waits for 0"),
        ([FILL, ("send", 1, 0, 8)], "credits:4", "core 0 at main[1] send (sample 0): message 0 to core 1 is never rec"),
    ],
)
def test_what_a_sample_leaves_behind_is_an_error(tmp_path, steps, flow, words):
    image = write_image(tmp_path / "image", {0: program(0, *steps), 1: program(1, FILL)})
    outputs, text, exit_code = _both(image, 1, flow)
    assert outputs == [] and exit_code == 3 and words in text


def test_samples_before_the_one_that_fails_come_out(tmp_path):
    """Core 1 fails when its input says so; core 0 is samples ahead of it."""
    builder = SectionBuilder()
    builder.emit("sld", operands=[Address(0)], rd=0)
    builder.emit("ld", operands=[Address(0), Address(0, reg=0)], size=4)
    builder.emit("st", operands=[Address(8), Address(0)], size=4)
    programs = {0: program(0, FILL, ("st", 12, 0, 4)), 1: Program(1, main=builder.finish())}
    inputs, outputs = (byte_tensor("x", 4, 0),), (byte_tensor("y", 8, 8),)
    image = write_image(tmp_path / "image", programs, inputs, outputs, 64)
    samples = [{"x": np.array([[address, 0, 0, 0]], np.uint8)} for address in (0, 0, 0, 48, 0)]
    for start in (power_on, power_on_sequential):
        found = []
        with pytest.raises(CoreTrapped) as error, start(image, timeout=60) as chip:
            found.extend(result.sample for result in chip.stream(samples))
        assert found == [0, 1, 2] and error.value.sample == 3
