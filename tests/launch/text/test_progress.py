"""A bar for the start of the cores, and then for the samples; silence where nobody watches."""

import os
import pty
import subprocess
import sys
from pathlib import Path

from images import byte_tensor, write_image
from stepper import program

from launch.chips.power import power_on

CORES = 120  # so many that their start takes longer than from one look at it to the next


def one(tmp_path: Path) -> Path:
    return write_image(
        tmp_path / "one", {0: program(0, ("lldi", 0, 7, 8), ("st", 0, 0, 8))}, (), (byte_tensor("y", 8, 0),)
    )


def test_the_start_of_the_cores_is_told(tmp_path: Path) -> None:
    told: list[tuple[int, int]] = []
    with power_on(one(tmp_path), cores=CORES, timeout=60, starting=lambda done, total: told.append((done, total))):
        started = list(told)
    assert started and all(0 <= done <= total == CORES for done, total in started)
    assert [done for done, _ in started] == sorted(done for done, _ in started)


def test_people_see_it(tmp_path: Path) -> None:
    ours, theirs = pty.openpty()
    arguments = ["launch", str(one(tmp_path)), "--cores", str(CORES), "--timeout", "60", "--golden", "none"]
    code = "from launch.cli import main; main()"
    with subprocess.Popen(
        [sys.executable, "-c", code, *arguments],
        stderr=theirs,
        stdout=subprocess.DEVNULL,
        env=os.environ | {"TERM": "xterm"},
    ) as process:
        os.close(theirs)
        seen = b""
        try:
            while part := os.read(ours, 4096):
                seen += part
        except OSError:  # the other end is closed
            pass
        assert process.wait(60) == 0
    os.close(ours)
    assert b"starting cores" in seen and f"/{CORES}".encode() in seen
