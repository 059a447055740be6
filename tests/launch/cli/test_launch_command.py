"""`emu launch` and `emu validate`: images that were changed or damaged, and what a process is about."""

import json
import shutil
import signal
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest
from commands import DIGITS, Emu
from emu_processes import CLOSED, EmuProcesses
from leaks import descendants

from launch.chips import power

CHATTER = """arch tiny
core 0 { main {
  lldi l[0x00], 0, 8
  loop i 2147483647 {
    loop j 2147483647 {
      send core 1, l[0x00], 8
    }
  }
} }
core 1 { main {
  loop i 2147483647 {
    loop j 2147483647 {
      recv core 0, l[0x08], 8
    }
  }
} }
"""


def test_wrong_weight_fails(emu: Emu, own_image: Path) -> None:
    victim = own_image / "core_0000.xbar"
    content = bytearray(victim.read_bytes())
    content[3] ^= 0x40  # an exponent bit of the first weight
    victim.write_bytes(content)
    assert emu("launch", own_image, "--sequential").exit_code == 2
    assert emu("import", "--seal", own_image).exit_code == 0
    assert emu("launch", own_image, "--sequential").exit_code == 1


def test_damaged_images_are_refused(emu: Emu, digits_image: Path, tmp_path: Path) -> None:
    for name in ("manifest.json", "core_0000.prog", "core_0000.xbar", "inputs.npz", "golden.npz"):
        out = Path(shutil.copytree(digits_image, tmp_path / name))
        content = (out / name).read_bytes()
        (out / name).write_bytes(content[: len(content) // 2])
        for prepare in ([], ["import", "--seal", out]):
            if prepare:
                emu(*prepare)
            result = emu("launch", out, "--sequential")
            assert result.exit_code == 2, (name, prepare)
            assert result.stderr.startswith("error: ")


@pytest.mark.parametrize("closed", [{0}, {2}, {1, 2}, {0, 1, 2}], ids=str)
def test_daemons_may_have_closed_streams(emu_processes: EmuProcesses, tmp_path: Path, closed: set[int]) -> None:
    (tmp_path / "one.asm").write_text("arch tiny\ncore 0 { main {\n lldi l[0x00], 0, 8\n} }\n")
    streams = {name: CLOSED for number, name in enumerate(("stdin", "stdout", "stderr")) if number in closed}
    done = emu_processes.run("launch", tmp_path / "one.asm", "--golden", "none", "--timeout", 60, **streams)
    assert (done.returncode, done.stderr) == (0, "")


def test_interrupt_ends_everything_with_its_code(emu_processes: EmuProcesses, tmp_path: Path) -> None:
    (tmp_path / "endless.asm").write_text(CHATTER)
    words = ("launch", tmp_path / "endless.asm", "--golden", "none")
    with emu_processes.start(*words, before="import os; os.setsid()") as process:
        deadline = time.monotonic() + 20
        while len(descendants()) < 5 and time.monotonic() < deadline:  # launcher, zygote, memory and two cores
            time.sleep(0.05)
        assert len(descendants()) == 5
        process.signal_group(signal.SIGINT)  # what a terminal does
        stdout, stderr = process.communicate()
    assert (process.returncode, stdout, stderr) == (130, "", "error: interrupted\n")


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_a_terminated_validation_leaves_nothing(
    emu_processes: EmuProcesses, tmp_path: Path, number: signal.Signals, code: int
) -> None:
    with emu_processes.start("validate", DIGITS, "--repeat", 500, env={"TMPDIR": str(tmp_path)}) as process:
        deadline = time.monotonic() + 20
        while not list(tmp_path.glob("emu-validate-*")) and time.monotonic() < deadline:
            time.sleep(0.01)
        process.send_signal(number)
        _, stderr = process.communicate()
    assert (process.returncode, stderr) == (code, "error: terminated\n")
    assert list(tmp_path.iterdir()) == []


def test_stopped_processes_are_told_on_stderr(emu: Emu, digits_image: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = power.power_on

    def noticing(*arguments: Any, notice: Callable[[str], None], **options: Any) -> AbstractContextManager[Any]:
        notice("core 5 is stopped (SIGSTOP)")
        return whole(*arguments, notice=notice, **options)

    monkeypatch.setattr(power, "power_on", noticing)
    result = emu("launch", digits_image, "--json")
    assert result.stderr == "core 5 is stopped (SIGSTOP)\n" and json.loads(result.stdout)["exit_code"] == 0
