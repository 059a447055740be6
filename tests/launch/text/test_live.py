"""The view of a run on a terminal: it is there while the run is, as wide as the terminal, and leaves nothing."""

import os
import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from emu_processes import EmuProcess, EmuProcesses
from images import ARCH, byte_tensor, write_image
from stepper import program
from terminal import Screen, resize, run_on_terminal

from emu.arch import Arch
from emu.arch.system import System
from emu.image.reader import open_image
from emu.noc.traffic.traffic import traffic
from emu.noc.watch.board import Activity
from launch.chips.power import power_on
from launch.system.readable import readable
from launch.text.live import Chips, LiveView, launch_view

SIZE = 64
COLOURS = {"31", "32", "33", "34", "36"}
LAUNCH = ("launch", "--golden", "none", "--timeout", "60", "--no-check")


def ring(tmp_path: Path, cores: int = 4, arch: Arch = ARCH) -> Path:
    """A token goes from core 0 over all others; the last one stores it."""
    last = cores - 1
    programs = {0: program(0, ("lldi", 0, 7, SIZE), ("send", 1, 0, SIZE))}
    for core in range(1, last):
        programs[core] = program(core, ("recv", core - 1, 0, SIZE), ("send", core + 1, 0, SIZE))
    programs[last] = program(last, ("recv", last - 1, 0, SIZE), ("st", 0, 0, SIZE))
    return write_image(tmp_path / "ring", programs, (), (byte_tensor("y", SIZE, 0),), arch=arch)


def stuck(tmp_path: Path) -> Path:
    """Two cores that wait for each other."""
    programs = {
        0: program(0, ("recv", 1, 0, SIZE), ("send", 1, 0, SIZE), ("st", 0, 0, SIZE)),
        1: program(1, ("recv", 0, 0, SIZE), ("send", 0, 0, SIZE)),
    }
    return write_image(tmp_path / "stuck", programs, (), (byte_tensor("y", SIZE, 0),))


class Watcher:
    """Does something once, when `word` is on the screen."""

    def __init__(self, word: str, act: Callable[[Screen, EmuProcess, int], None]) -> None:
        self._word, self._act, self._done = word, act, False

    def __call__(self, screen: Screen, process: EmuProcess, ours: int) -> None:
        if not self._done and self._word in screen.text:
            self._done = True
            self._act(screen, process, ours)


def test_the_view_is_there_and_leaves_only_the_results(emu_processes: EmuProcesses, tmp_path: Path) -> None:
    screen = Screen(100)
    assert run_on_terminal(emu_processes, [*LAUNCH, str(ring(tmp_path)), "--repeat", "50"], screen) == 0
    assert "samples 50/50" in screen.written
    assert any(state in screen.written for state in ("running", "blocked", "idle", "done", "at memory"))
    assert screen.text.startswith("4 core processes") and "samples 50/50" not in screen.text
    assert screen.cursor_shown and COLOURS & screen.styles


def test_what_is_told_meanwhile_stands_above_the_view(emu_processes: EmuProcesses, tmp_path: Path) -> None:
    screen = Screen(100)
    assert run_on_terminal(emu_processes, [*LAUNCH, str(ring(tmp_path, 30)), "-v"], screen) == 0
    assert "\ncore 7: process " in screen.text and "the memory node: process " in screen.text
    assert "starting" not in screen.text and "samples 0/1" not in screen.text


@pytest.mark.parametrize("environment", [{"TERM": "dumb"}, {"TERM": ""}])
def test_a_terminal_without_cursor_gets_lines(
    emu_processes: EmuProcesses, tmp_path: Path, environment: dict[str, str]
) -> None:
    screen = Screen(100)
    assert run_on_terminal(emu_processes, [*LAUNCH, str(ring(tmp_path))], screen, environment) == 0
    assert "samples 0" not in screen.written and "starting cores" not in screen.written
    assert screen.text.startswith("4 core processes")


def test_quiet_shows_nothing(emu_processes: EmuProcesses, tmp_path: Path) -> None:
    screen = Screen(100)
    assert run_on_terminal(emu_processes, [*LAUNCH, str(ring(tmp_path)), "--quiet"], screen) == 0
    assert screen.text == screen.written.replace("\r", "").strip() == "not compared (--golden none)"


def test_no_color(emu_processes: EmuProcesses, tmp_path: Path) -> None:
    screen = Screen(100)
    assert run_on_terminal(emu_processes, [*LAUNCH, str(ring(tmp_path))], screen, {"NO_COLOR": "1"}) == 0
    assert "samples 1/1" in screen.written and not screen.styles


def test_a_narrow_terminal(emu_processes: EmuProcesses, tmp_path: Path) -> None:
    screen = Screen(100)
    arguments = [*LAUNCH, str(ring(tmp_path, 30)), "--repeat", "20"]
    assert run_on_terminal(emu_processes, arguments, screen, {"COLUMNS": "20"}) == 0
    view, _, results = screen.written.partition("30 core processes")
    assert results and "samples 20/20" in view
    assert all(len(line) < 20 for line in view.replace("\r", "\n").split("\n"))
    assert screen.text.startswith("30 core processes")


class Narrowing:
    """Makes the window narrower once the view is wide, and interrupts the run some pictures later."""

    def __init__(self) -> None:
        self._later = 0

    def __call__(self, screen: Screen, process: EmuProcess, ours: int) -> None:
        if self._later:
            self._later += 1
            if self._later == 4:
                process.send_signal(signal.SIGINT)
        elif "messages/s" in screen.text:
            self._later = 1
            process.send_signal(signal.SIGSTOP)  # nothing is to be on its way to the terminal
            while readable(ours, 0.3):
                screen.write(os.read(ours, 4096).decode())
            screen.narrowed(25)
            resize(ours, 25, screen.rows)
            process.send_signal(signal.SIGCONT)


def test_a_window_that_becomes_narrower(emu_processes: EmuProcesses, tmp_path: Path) -> None:
    screen = Screen(100)
    arguments = [*LAUNCH, str(ring(tmp_path, 6)), "--repeat", "1000000"]
    assert run_on_terminal(emu_processes, arguments, screen, look=Narrowing()) == 130
    assert "messages/s" in screen.written and screen.columns == 25
    assert screen.text == "error: interrupted"


def test_an_interrupt_leaves_a_clean_terminal(emu_processes: EmuProcesses, tmp_path: Path) -> None:
    screen = Screen(100)
    watcher = Watcher("samples ", lambda screen, process, ours: process.send_signal(signal.SIGINT))
    arguments = [*LAUNCH, str(ring(tmp_path)), "--repeat", "1000000"]
    assert run_on_terminal(emu_processes, arguments, screen, look=watcher) == 130
    assert screen.text == "error: interrupted" and screen.cursor_shown


def test_a_failure_leaves_only_its_sentence(emu_processes: EmuProcesses, tmp_path: Path) -> None:
    screen = Screen(100)
    assert run_on_terminal(emu_processes, [*LAUNCH, str(stuck(tmp_path))], screen) == 4
    assert "= 2 blocked\r\n==" in screen.written
    assert screen.text.startswith("error: ") and "blocked  " not in screen.text and screen.cursor_shown


def test_what_is_counted_is_what_was_sent(tmp_path: Path) -> None:
    image = ring(tmp_path, 5)
    with power_on(image, timeout=60) as chip:
        chips = Chips(chip.boards)
        assert not chips.read_programs(lambda: True)  # it gives up
        assert chips.sent() == (0, 0.0)
        assert chips.read_programs(lambda: False) and not chips.read_programs(lambda: False)
        for _ in range(3):
            chip.run({})
        assert chips.sent() == (3 * 4, 3 * 4 * SIZE)
        for samples, wanted in ((3, Activity.HALTED), (4, Activity.IDLE)):
            ends = time.monotonic() + 60  # the last result may be there before other cores come to rest
            while time.monotonic() < ends:
                (cores,) = chips.cores(samples)
                if cores.activities == dict.fromkeys(range(5), wanted):
                    break
            assert cores.activities == dict.fromkeys(range(5), wanted)
        programs = {core: open_image(image).program(core) for core in range(5)}
        assert sum(traffic(programs).values()) == 4 * SIZE


def test_each_chip_has_a_map_of_its_own(tmp_path: Path) -> None:
    with power_on(ring(tmp_path, 5, Arch(name="test", cores=3, system=System(3, "ring"))), timeout=60) as chip:
        chip.run({})
        found = Chips(chip.boards).cores(1)
    assert [(sorted(one.activities), one.width) for one in found] == [([0, 1, 2], 2), ([0, 1], 2)]


def test_rates_are_of_the_last_seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    view = LiveView(100)
    view.runs(())
    text = ""
    for _ in range(40):  # 8 samples per second, then none
        now[0] += 0.25
        view()
        view()
        text = "".join(text for text, _ in view.lines(80, 10)[0])
    assert text == "samples 80/100  0:10  8 samples/s"
    now[0] += 10
    view.lines(80, 10)
    now[0] += 10
    assert "samples/s" not in "".join(text for text, _ in view.lines(80, 10)[0])


def test_an_image_that_is_gone_leaves_the_samples(tmp_path: Path) -> None:
    with power_on(ring(tmp_path), timeout=60) as chip:
        view = LiveView(1)
        ((_, board),) = chip.boards
        view.runs([(tmp_path / "gone", board)])
        view.read_programs(lambda: False)
        (line,) = view.lines(80, 10)
        assert "".join(text for text, _ in line).startswith("samples 0/1")


def test_nobody_watches(capsys: pytest.CaptureFixture[str]) -> None:
    with launch_view(3) as view:
        view.starting(1, 2)
        view.runs(())
        view()
    assert capsys.readouterr() == ("", "")
