"""A zygote that was started ahead serves a run, or goes without one; its processes keep freed memory."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from images import byte_tensor, write_image
from leaks import descendants
from stepper import program

from emu.chaos.spec import Chaos
from emu.errors import InputError
from launch.chips.power import power_on
from launch.processes import forking
from launch.processes.options import RunOptions
from launch.processes.orders import ExpectedRun, Orders, ProcessOptions
from launch.processes.zygote_process import FreshZygotes, ZygoteProcess, started_ahead
from launch.system.memory import KEEP_MEMORY
from launch.system.run_directory import make_run_directory


@pytest.fixture
def image(tmp_path):
    programs = {0: program(0, ("lldi", 0, 7, 8), ("st", 0, 0, 8))}
    return write_image(tmp_path / "one", programs, (), (byte_tensor("y", 8, 0),))


def open_files():
    return {path.name for path in Path("/proc/self/fd").iterdir()}


def test_serves_one_run(image):
    with started_ahead(True) as zygotes:
        (ahead,) = descendants()
        with power_on(image, zygotes=zygotes, timeout=60) as chip:
            assert chip.processes["the zygote process"] == ahead
            assert chip.run({})["y"].tolist() == [[7] * 8]
        assert not descendants()
        with power_on(image, zygotes=zygotes, timeout=60) as chip:
            assert chip.run({})["y"].tolist() == [[7] * 8]


def test_a_run_that_is_disturbed_is_served_too(image):
    with started_ahead(True) as zygotes:
        (ahead,) = descendants()
        with power_on(image, zygotes=zygotes, chaos=Chaos(("yield:1",)), timeout=60) as chip:
            assert chip.processes["the zygote process"] == ahead
            assert chip.run({})["y"].tolist() == [[7] * 8] and chip.injected["yield"]


def test_a_run_with_a_scratch_directory_gets_another_one(image, tmp_path):
    (tmp_path / "scratch").mkdir()
    with started_ahead(True) as zygotes:
        (ahead,) = descendants()
        with power_on(image, zygotes=zygotes, scratch=str(tmp_path / "scratch"), timeout=60) as chip:
            assert chip.processes["the zygote process"] != ahead
        assert descendants() == [ahead]


@pytest.mark.parametrize(
    ("expected", "early"), [(("one", "batch"), [0]), (("one", "step"), []), (("nothing", "batch"), [])]
)
def test_what_is_expected_is_loaded_before_the_orders_come(image, monkeypatch, expected, early):
    orders = Orders(
        image=str(image),
        programs=[0],
        idle=[],
        options=ProcessOptions.of(RunOptions()),
        keep={},
        token=b"",
        started=0.0,
        observers=[],
        global_size=8,
        outputs=[],
        largest=8,
    )
    name, engine = expected
    reader, writer = os.pipe()
    with open(reader, "rb"), open(writer, "wb") as pipe:  # noqa: PTH123
        pipe.write(ExpectedRun(str(image.parent / name), engine).encode() + orders.encode())
        pipe.flush()
        monkeypatch.setattr(forking, "LIFE_LINE", reader)
        read, cores = forking.orders_and_programs()
        assert (read.image, read.programs, sorted(cores)) == (orders.image, orders.programs, early)


@pytest.mark.parametrize(
    ("other", "engine"), [("one", "step"), ("nothing", "batch"), ("two", "batch"), ("damaged", "batch")]
)
def test_a_run_that_was_not_expected_is_served(image, tmp_path, other, engine):
    write_image(tmp_path / "two", {0: program(0, ("lldi", 0, 3, 8), ("st", 0, 0, 8))}, (), (byte_tensor("y", 8, 0),))
    write_image(tmp_path / "damaged", {0: program(0)})
    (tmp_path / "damaged/core_0000.prog").write_bytes(b"\0")
    with started_ahead(True) as zygotes:
        zygotes.expect(tmp_path / other, engine)
        with power_on(image, zygotes=zygotes, timeout=60) as chip:
            assert chip.run({})["y"].tolist() == [[7] * 8]


def test_is_gone_if_nobody_wants_it(image):
    with pytest.raises(InputError), started_ahead(True) as zygotes, power_on(image, engine="none", zygotes=zygotes):
        pass
    assert not descendants()
    with started_ahead(False):
        assert not descendants()
    given = FreshZygotes()
    with started_ahead(True, given) as zygotes:
        assert zygotes is given and not descendants()


def test_may_be_closed_twice():
    before = open_files()
    zygote = ZygoteProcess()
    zygote.close()
    zygote.close()
    assert not descendants()
    assert open_files() == before


def test_killed_it_still_leaves_no_directory():
    zygote = ZygoteProcess()
    make_run_directory(zygote.directory)  # as an interrupted launcher leaves it
    zygote.close()
    assert not zygote.directory.exists()


@pytest.mark.few(2)
@pytest.mark.parametrize("chaos", ["None", "Chaos(('yield:1',))"])
@pytest.mark.parametrize("closed", ["<&-", "<&- >&- 2>&-"])
def test_programs_with_closed_streams_may_power_on(image, closed, chaos):
    code = f"""
from emu.chaos.spec import Chaos
from launch import power_on
with power_on({str(image)!r}, timeout=60, chaos={chaos}) as chip:
    raise SystemExit(int(chip.run({{}})['y'][0, 0]))
"""
    command = f'"$0" -c "$1" {closed}'
    done = subprocess.run(["sh", "-c", command, sys.executable, code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (7, "")


def test_the_users_settings_of_the_allocator_win(image, monkeypatch):
    monkeypatch.setenv("MALLOC_TRIM_THRESHOLD_", "4096")
    with power_on(image, timeout=60):
        given = {Path(f"/proc/{process}/environ").read_bytes() for process in descendants()}
    assert len(given) == 1
    settings = dict(pair.split("=", 1) for pair in given.pop().decode().split("\0") if pair)
    assert settings["MALLOC_TRIM_THRESHOLD_"] == "4096"
    assert settings["MALLOC_MMAP_THRESHOLD_"] == KEEP_MEMORY["MALLOC_MMAP_THRESHOLD_"]
