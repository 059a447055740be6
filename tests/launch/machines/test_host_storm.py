"""Faults of runs over four hosts: each is named, leaves nothing behind, and keeps what was finished."""

import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path

import emu_processes as processes
import host_storm
import pytest
from exhausting import may_mount
from host_faults import KINDS
from host_scenes import SHORT, Scene, Stage
from host_storm import trial

ALWAYS = (
    *("core killed", "zygote of a host killed", "agent terminated", "launcher killed", "link damaged", "trap"),
    *("image damaged", "no room for the image", "full disk", "no shared memory", "no process", "no open files"),
)
SIDE_BY_SIDE = 4  # parts of the storm
TRIALS = 200
SEED = 7
PATIENCE = 3000  # seconds


@pytest.fixture(scope="module")
def stage(emu_processes):
    with tempfile.TemporaryDirectory(prefix="emu-hosts-", dir="/tmp") as name:
        yield Stage(Path(name), emu_processes)


@pytest.fixture
def folder(stage):
    with tempfile.TemporaryDirectory(dir=stage.folder) as name:
        yield Path(name)


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind.name in ALWAYS], ids=lambda kind: kind.name)
def test_a_fault_is_named_and_leaves_nothing(stage, kind):
    if kind.name == "full disk" and not may_mount():
        pytest.skip("a small disk for a host cannot be mounted here: that takes root and its right to do so")
    assert not trial(stage, kind, SEED).texts


def test_samples_that_were_finished_before_a_host_was_lost_are_kept(stage, folder):
    with Scene(stage, folder, random.Random(SEED), count=2 * SHORT) as scene:
        assert scene.wait_for(scene.finished)
        scene.agents[scene.host].terminate()
        assert scene.end() == 5
        kept = scene.finished()
        assert f"{kept} finished sample" in scene.said
        again = stage.processes.run(*scene.again("--resume"), timeout=120)
        assert again.returncode == 0, again.stderr
        assert f'"resumed": {kept}' in again.stdout
        assert scene.is_right() and not scene.left()


def test_two_launchers_on_the_same_hosts_do_not_disturb_each_other(stage, folder):
    """Nor does an agent of the one that is sent to the other."""
    rooms = [folder / name for name in ("one", "other")]
    for room in rooms:
        room.mkdir()
    with (
        Scene(stage, rooms[0], random.Random(0), count=SHORT // 5, cache=folder) as one,
        Scene(stage, rooms[1], random.Random(1), count=SHORT // 5, cache=folder) as other,
    ):
        stray = one.start_agent(0, other.proxies[0].address, seconds=1.0)
        _, said = stray.communicate()
        assert stray.returncode == 2 and "no launcher at" in said and "has answered within 1 s" in said
        assert one.end() == 0 == other.end(), (one.said, other.said)
        assert one.is_right() and other.is_right() and not one.left() + other.left()
    assert not list((folder / "emu" / "files").glob(".image*"))


@pytest.mark.full
def test_a_storm_of_faults(stage):
    path = os.pathsep.join([str(Path(host_storm.__file__).parent), str(Path(processes.__file__).parents[2])])
    share = TRIALS // SIDE_BY_SIDE
    storms = [
        subprocess.Popen(
            [sys.executable, "-m", "host_storm", "--count", str(share), "--first", str(number * share)],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env={**os.environ, "PYTHONPATH": path},
        )
        for number in range(SIDE_BY_SIDE)
    ]
    said = [storm.communicate(timeout=PATIENCE)[0] for storm in storms]
    assert [storm.returncode for storm in storms] == [0] * SIDE_BY_SIDE, "\n".join(said)
