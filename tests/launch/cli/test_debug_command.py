"""`emu debug`: scripts, exit codes, JSON, and a terminal with history, completion and Ctrl-C."""

import contextlib
import json
import os
import pty
import re
import select
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import onnx
import pytest
from commands import DIGITS, Emu
from debug_shells import rich_image
from emu_processes import EmuProcesses
from stepped_nets import accumulator

from emu.image.reader import open_image

PATIENCE = 60
TRAPS = """arch tiny
output "y" i32[1, 2] at 0x00
core 0 {
  main {
    loop i 3 {
      lldi l[0x40], 0, 8
    }
    vsadd.i32 l[0x00], l[0x20], 2, 1
    st g[0x00], l[0x00], 8
  }
}
core 1 {
  main {
    lldi l[0x00], 0, 8
  }
}
"""
ENDLESS = TRAPS.replace("loop i 3", "loop i 2000000000")


def script(folder: Path, *lines: str) -> Path:
    path = folder / "script.emu"
    path.write_text("".join(f"{line}\n" for line in lines))
    return path


def test_commands_come_from_a_pipe(emu_processes: EmuProcesses, tmp_path: Path) -> None:
    done = emu_processes.run("debug", rich_image(tmp_path), stdin=subprocess.PIPE, given="run 0\nstep\n")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("(emu) run 0\nsample 0 is about to begin\n")


def test_every_tensor_is_golden_and_the_outputs_are_those_of_a_run(
    emu: Emu, digits_image: Path, tmp_path: Path
) -> None:
    tensors = ["relu", "max_pool2d", "relu_1", "max_pool2d_1"]
    lines = [
        "run 1",
        f"until core 0 main:{len(open_image(digits_image).program(0).main) - 1}",
        *(f"print max(abs(tensor('{name}') - golden('{name}'))) < 1e-4" for name in tensors[:2]),
    ]
    lines += ["continue", *(f"print max(abs(tensor('{name}') - golden('{name}'))) < 1e-4" for name in tensors)]
    lines += ["print golden('node_Conv_36').shape", "print tensor('out0')"]
    first = emu("debug", digits_image, "--json", "--model", DIGITS, "--script", script(tmp_path, "continue", *lines))
    assert first.exit_code == 0, first.output
    told = json.loads(first.stdout)
    answers = [command["output"] for command in told["commands"] if command["command"].startswith("print max")]
    assert answers == [["True"]] * 6
    assert told["ending"]["end"] == "finished"
    save = tmp_path / "out.npz"
    assert emu("launch", digits_image, "--sequential", "--engine", "step", "--save", save).exit_code == 0
    with np.load(save) as saved:
        wanted = np.array2string(saved["out0"][1], separator=", ", max_line_width=100)
    assert "\n".join(told["commands"][-1]["output"][1:]) == wanted


def test_tensors_are_named_where_they_are_made_and_used(emu: Emu, digits_image: Path, tmp_path: Path) -> None:
    info = emu("debug", digits_image, "--script", script(tmp_path, "info tensors"))
    name, core = re.search(r"^(max_pool2d) .* core (\d+) ", info.stdout, re.MULTILINE).groups()
    lines = (f"core {core}", f"until core {core} write {name} node node_max_pool2d", "where", f"show {name}")
    result = emu("debug", digits_image, "--script", script(tmp_path, *lines))
    assert result.exit_code == 2
    assert re.search(rf"^  (writes|updates) dst: local .*, {name}\[0, 0, 0, 0\]$", result.stdout, re.MULTILINE), (
        result.stdout
    )
    assert f"tensor '{name}' is not complete yet: core {core} has its part before main[" in result.stderr


# The slave end of a pseudo terminal, which is its standard input, becomes the terminal of the session that it makes.
OWN_TERMINAL = "import fcntl, os, termios; os.setsid(); fcntl.ioctl(0, termios.TIOCSCTTY, 0)"


class Terminal:
    """`emu` at a pseudo terminal: what is typed, and what appears."""

    def __init__(self, emu_processes: EmuProcesses, arguments: list[object], home: Path) -> None:
        self.descriptor, theirs = pty.openpty()
        environment = {"XDG_STATE_HOME": str(home), "TERM": "dumb", "NO_COLOR": "1", "COLUMNS": "200"}
        streams = dict.fromkeys(("stdin", "stdout", "stderr"), theirs)
        self.process = emu_processes.start(*arguments, before=OWN_TERMINAL, env=environment, **streams)
        os.close(theirs)
        self.seen = ""
        self._ready = select.poll()
        self._ready.register(self.descriptor, select.POLLIN)

    def type(self, text: str) -> None:
        os.write(self.descriptor, text.encode())

    def until(self, words: str, again: str = "") -> str:
        """What appears up to `words`, which are waited for; a key pressed `again` every two seconds that nothing comes.

        CPython's readline misses a Ctrl-C between the prompt and its select until the next key comes.
        """
        end = time.monotonic() + PATIENCE
        while words not in self.seen:
            assert time.monotonic() < end, (words, self.seen)
            if self._ready.poll(2000 if again else 100):  # unlike select, whatever the number of the descriptor
                self.seen += self._read()
            elif again:
                self.type(again)
        before, _, self.seen = self.seen.partition(words)
        return before

    def _read(self) -> str:
        try:
            found = os.read(self.descriptor, 1 << 16)
        except OSError:  # it has ended
            found = b""
        assert found, f"it ended: {self.seen}"
        return found.decode().replace("\r\n", "\n")

    def end(self) -> int:
        code = self.process.wait()
        os.close(self.descriptor)  # no sooner: it would be hung up
        return code


Open = Callable[..., Terminal]


@pytest.fixture
def terminal(emu_processes: EmuProcesses, tmp_path: Path) -> Iterator[Open]:
    """Starts `emu` at a pseudo terminal; what is left running in the end is killed."""
    with contextlib.ExitStack() as running:

        def start(*arguments: object) -> Terminal:
            opened = Terminal(emu_processes, list(arguments), tmp_path / "state")
            running.enter_context(opened.process)
            return opened

        yield start


def test_a_session_at_a_terminal(terminal: Open, tmp_path: Path) -> None:
    image = rich_image(tmp_path, ENDLESS)
    emu = terminal("debug", image)
    assert "nothing has run yet" in emu.until("(emu) ")
    emu.type("run 0\n")
    assert "sample 0 is about to begin" in emu.until("(emu) ")
    emu.type("disa\tmai\t\n")
    assert "disasm main" in emu.until("loop i0 2000000000 {")
    emu.until("(emu) ")
    emu.type("bogus\n")
    assert "error: there is no command 'bogus'" in emu.until("(emu) ")
    emu.type("step\n")
    assert "main[1] lldi" in emu.until("(emu) ")
    emu.type("\n")  # once more
    assert "main[1] lldi" in emu.until("(emu) ")
    emu.type("print reg(0, 0)\x03")  # at the prompt, Ctrl-C drops the line
    emu.until("(emu) ", again="\x03")
    told = ""
    while "interrupted in sample 0" not in told:  # one that comes before the chip runs drops the line
        emu.type("continue\n")
        emu.until("continue\n")
        time.sleep(0.1)
        emu.type("\x03")
        told = emu.until("(emu) ", again="\x03")
    emu.type("back stop\n")
    assert "loops [2]" in emu.until("(emu) ")
    emu.type("\x10\x10\x10\n")  # three lines up: step
    emu.until("loops [3])")
    emu.until("(emu) ")
    emu.type("q\n")
    assert emu.end() == 0
    history = (tmp_path / "state" / "emu" / "debug_history").read_text().splitlines()
    assert history[0] == "run 0" and history[-1] == "q"


def test_the_end_of_input_and_signals_end_it(terminal: Open, tmp_path: Path) -> None:
    image = rich_image(tmp_path, ENDLESS)
    emu = terminal("debug", image)
    emu.until("(emu) ")
    emu.type("\x04")
    assert emu.end() == 0
    emu = terminal("debug", image)
    emu.until("(emu) ")
    emu.process.terminate()
    emu.until("error: terminated")
    assert emu.end() == 128 + signal.SIGTERM


def test_ctrl_c_ends_a_script(terminal: Open, tmp_path: Path) -> None:
    image = rich_image(tmp_path, ENDLESS)
    emu = terminal("debug", image, "--script", script(tmp_path, "continue"))
    emu.until("(emu) continue\n")
    emu.type("\x03")
    emu.until("error: interrupted")
    assert emu.end() == 130


def test_json_at_a_terminal_needs_a_script(terminal: Open, tmp_path: Path) -> None:
    emu = terminal("debug", rich_image(tmp_path), "--json")
    emu.until("give --script FILE, or a pipe")
    assert emu.end() == 2


def test_states_go_on_from_step_to_step(emu: Emu, tmp_path: Path) -> None:
    onnx.save(accumulator(), tmp_path / "sum.onnx")
    np.savez(tmp_path / "x.npz", x=np.arange(12, dtype=np.float32).reshape(3, 1, 4))
    assert emu("compile", tmp_path / "sum.onnx", "-o", tmp_path / "sum", "--state", "s=y").exit_code == 0
    steps = ["--input", tmp_path / "x.npz", "--stateful", "--initial", "s=1,1,1,1", "--model", tmp_path / "sum.onnx"]
    ends = [
        line for sample in (1, 2) for line in (f"run {sample}", "print tensor('s')[0, 0]", "print golden('y')[0, 0]")
    ]
    path = script(tmp_path, *ends, "continue", "print tensor('y')[0, 0]", "run 1", "print tensor('s')[0, 0]")
    result = emu("debug", tmp_path / "sum", *steps, "--script", path)
    assert result.exit_code == 0, result.output
    assert [line for line in result.stdout.splitlines() if line.endswith(".0")] == [
        "1.0",
        "5.0",
        "5.0",
        "13.0",
        "13.0",
        "1.0",
    ]
    assert emu("debug", tmp_path / "sum", *steps[:2], "--script", path).exit_code == 2
    assert "keep them by --stateful" in emu("debug", tmp_path / "sum", "--initial", "s=1,1,1,1").stderr
