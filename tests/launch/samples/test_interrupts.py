"""An exception of Ctrl-C or SIGTERM at any step of the interpreter leaves nothing but finished samples."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[2]
SETTING = """
import sys
from pathlib import Path
import numpy as np
from stepwise import run_interrupted
from emu.output.whole_file import WholeFile
from emu.output.whole_folder import WholeFolder
from launch.samples.binding import Binding, StoredTensor
from launch.samples.store import SampleStore

FILES = tuple(f"/emu/output/{name}.py" for name in ("whole_file", "whole_folder", "temporary", "stream", "calls"))
place, opcodes, pace = Path(sys.argv[1]), sys.argv[2] == "opcodes", int(sys.argv[3])
x = place / "x"

def names():
    return sorted(path.name for path in place.iterdir())
"""
FILE = """
def action():
    with WholeFile(x, durable=True) as file:
        file.write(b"new" * 50_000)

def check():
    assert names() in ([], ["x"]), names()
    assert not x.exists() or x.read_bytes() == b"new" * 50_000
    x.unlink(missing_ok=True)

steps = run_interrupted(action, check, FILES, opcodes, pace)
"""
FOLDER = """
def write(text):
    with WholeFolder(x) as folder:
        with folder.file("a") as file:
            file.write(text)
        folder.put_in_place()

def check():
    assert names() == ["x"], names()
    assert [path.name for path in x.iterdir()] == ["a"] and (x / "a").read_bytes() in (b"old", b"new")
    (x / "a").write_bytes(b"old")

write(b"old")
steps = run_interrupted(lambda: write(b"new"), check, FILES, opcodes, pace)
"""
STORE = """
binding = Binding("image", "inputs", "batch", 2, (StoredTensor("output a", "a", "<i8", ()),))
appended = place.parent / "appended"

def action():
    with SampleStore(x, binding, True) as store:
        for k in range(store.count, 2):
            store.append({"output a": np.int64(k)})
            appended.write_text(str(k + 1))
        store.finish()

def check():
    assert names() in ([], ["x.partial"], ["x"], ["x", "x.partial"]), names()
    finished = int(appended.read_text() or "0")
    if "x" not in names():
        with SampleStore(x, binding, True) as store:
            assert store.count >= finished, (store.count, finished)
    if not finished and "x.partial" in names():
        with SampleStore(x, binding, True) as store:
            assert store.count
    action()
    assert names() == ["x"] and x.read_bytes() == whole
    x.unlink()
    appended.write_text("")

action()
whole = x.read_bytes()
x.unlink()
appended.write_text("")
files = (*FILES, "/launch/samples/store.py", "/launch/samples/side_file.py")
steps = run_interrupted(action, check, files, opcodes, pace)
"""


PROGRAMS = pytest.mark.parametrize("program", [FILE, FOLDER, STORE], ids=["file", "folder", "samples"])


def run(tmp_path: Path, program: str, kind: str, pace: int) -> int:
    place = tmp_path / "place"
    place.mkdir()
    path = os.pathsep.join([str(TESTS / "support"), str(TESTS.parent)])
    done = subprocess.run(
        [sys.executable, "-c", f"{SETTING}{program}\nprint(steps)", str(place), kind, str(pace)],
        env=os.environ | {"PYTHONPATH": path},
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return int(done.stdout.splitlines()[-1])


@pytest.mark.few(1)
@PROGRAMS
def test_an_interrupt_at_every_thirteenth_line(tmp_path: Path, program: str) -> None:
    assert run(tmp_path, program, "lines", 13) > 5


@pytest.mark.full
@pytest.mark.timeout(3600)
@PROGRAMS
def test_an_interrupt_at_any_line(tmp_path: Path, program: str) -> None:
    assert run(tmp_path, program, "lines", 1) > 100


@pytest.mark.full
@pytest.mark.timeout(3600)
@PROGRAMS
def test_an_interrupt_at_every_third_opcode(tmp_path: Path, program: str) -> None:
    assert run(tmp_path, program, "opcodes", 3) > 100
