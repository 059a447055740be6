"""Chaos on core processes: delays, pauses and start order change no bit; what kills or loses is told, never hung on."""

import itertools
import random
import subprocess
import sys
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from images import byte_tensor, write_image
from program_sets import SLOT, ordered_messages

from emu.chaos.spec import Chaos
from emu.errors import InputError
from launch.chips.power import power_on
from launch.chips.sequential import power_on_sequential
from launch.processes.options import RunOptions
from launch.stress.job import StressJob, run_stress, run_stress_series
from launch.supervision.errors import CoreDied, CoreTrapped, MessageDamaged, MessageLost

ROOT = Path(__file__).parents[3]
CORES = 4
GENTLE = ("delay:0.2,1", "reorder-start", "pause:random,5", "yield:0.2", "nice", "slow:random,1.5")
NETS = list(itertools.product(["rendezvous", "credits:1", "credits:4"], ["ipc", "tcp"]))


def random_image(path: Path, seed: int) -> Path:
    """A random program set of four cores whose whole memories are its output."""
    rng = random.Random(seed)
    order = [(*rng.sample(range(CORES), 2), rng.randint(0, SLOT - 3)) for _ in range(30)]
    return write_image(path, ordered_messages(CORES, order), (), (byte_tensor("y", 4 * SLOT * CORES, 0),))


@pytest.fixture
def outputs(emu_zygotes):
    """Runs an image with what is shared with the processes of a warm zygote; outputs, and what was injected."""
    return partial(outputs_of, zygotes=emu_zygotes)


def outputs_of(image: Path, samples: int = 2, **options):
    with power_on(image, timeout=60, **options) as chip:
        return [result.outputs["y"] for result in chip.stream([{}] * samples)], chip.injected


@pytest.mark.parametrize(("flow", "transport"), [NETS[0], NETS[1], NETS[3], NETS[4]])
def test_gentle_chaos_changes_no_bit(outputs, tmp_path, flow, transport):
    image = random_image(tmp_path / "image", NETS.index((flow, transport)))
    with power_on_sequential(image, engine="step") as chip:
        expected = chip.run({})["y"]
    found, injected = outputs(image, flow=flow, transport=transport, chaos=Chaos(GENTLE, 3))
    assert all(np.array_equal(y, expected) for y in found)
    assert injected["pause"] == 1 and injected["reorder-start"] == injected["nice"] == CORES
    assert injected["delay"] > 0 and injected["yield"] > 0 and injected["slow"] > 0


def test_what_is_injected_depends_on_the_seed_alone(outputs, tmp_path):
    image = random_image(tmp_path / "image", 1)
    counts = [outputs(image, chaos=Chaos(("delay:0.3,1", "yield:0.3"), seed))[1] for seed in (8, 8, 9)]
    assert counts[0] == counts[1] != counts[2]


def test_no_chaos_costs_nothing(outputs, tmp_path):
    assert outputs(random_image(tmp_path / "image", 1))[1] is None
    code = "import sys, launch.processes.forking, launch.processes.core; sys.exit('emu.chaos.port' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False).returncode == 0


@pytest.mark.parametrize(("flow", "transport"), [NETS[0], NETS[3]])
def test_a_core_that_is_killed_is_named(outputs, tmp_path, flow, transport):
    image, seen = random_image(tmp_path / "image", 2), set()
    for seed in range(2):
        with pytest.raises(CoreDied, match=r"core \d was killed by SIGKILL, last seen at") as error:
            outputs(image, flow=flow, transport=transport, chaos=Chaos(("kill:random", "delay:0.1,1"), seed))
        assert error.value.exit_code == 5 and error.value.details["injected"]["kill"] == 1
        seen.add((error.value.core, error.value.place.index))
    assert len(seen) > 1


def test_a_core_may_die_by_other_signals_and_in_init(outputs, tmp_path):
    image = random_image(tmp_path / "image", 2)
    with pytest.raises(CoreDied, match="core 2 was killed by SIGSEGV") as error:
        outputs(image, chaos=Chaos(("kill:2@0,SEGV",)))
    assert error.value.core == 2 and not list(Path.cwd().glob("core.*"))


@pytest.mark.few(2)
@pytest.mark.parametrize(
    ("spec", "flow", "transport"),
    [
        ("drop:1@0", "rendezvous", "ipc"),
        ("drop:1@0", "credits:4", "tcp"),
        ("drop-credit:1@0", "rendezvous", "tcp"),
        ("drop-credit:1@0", "credits:1", "ipc"),
    ],
)
def test_a_lost_message_ends_the_run(tmp_path, spec, flow, transport):
    programs = ordered_messages(2, [(0, 1, 60), (1, 0, 61), (0, 1, 7), (1, 0, 8)])
    image = write_image(tmp_path / "image", programs, (), (byte_tensor("y", 4 * SLOT * 2, 0),))
    with power_on(image, flow=flow, transport=transport, chaos=Chaos((spec,))) as chip:
        with pytest.raises((MessageLost, MessageDamaged), match=r"core 0 .*core 1|core 1 .*core 0") as error:
            chip.run({})
        assert error.value.exit_code == 5 and chip.injected == {spec.partition(":")[0]: 1}


@pytest.mark.parametrize("spec", ["duplicate:0.2", "corrupt"])
@pytest.mark.parametrize("flow", ["rendezvous", "credits:4"])
def test_a_message_that_is_doubled_or_damaged_is_never_believed(spec, flow):
    ended = 0
    for seed in range(2):
        job = StressJob(pattern="ring", count=9, options=RunOptions(cores=3, flow=flow, chaos=Chaos((spec,), seed)))
        try:
            assert run_stress(job).errors == 0
        except (CoreTrapped, MessageDamaged, MessageLost) as error:
            ended += 1
            assert "core " in str(error)
    assert ended


def test_unknown_cores_and_sequential_runs_are_refused(tmp_path):
    image = random_image(tmp_path / "image", 2)
    with pytest.raises(InputError, match="core 4 has no program"), power_on(image, chaos=Chaos(("kill:4",))):
        pass
    with pytest.raises(InputError, match="chaos disturbs processes, and a sequential run has one"):
        RunOptions(sequential=True, chaos=Chaos(("nice",)))


def test_the_deadlock_is_found_out_under_chaos():
    result = run_stress(StressJob(pattern="deadlock", options=RunOptions(cores=4, chaos=Chaos(GENTLE))))
    assert result.errors == 0 and result.injected is not None and result.injected["delay"] > 0


def test_a_series_compares_with_the_undisturbed_run():
    first, series = run_stress_series(
        StressJob(pattern="random-dag", count=2, options=RunOptions(cores=4, chaos=Chaos(GENTLE, 7))), 3
    )
    assert first.injected is None and first.errors == 0
    assert (series.equal, series.odd, series.exit_code) == (3, [], 0)
    assert [outcome.seed for outcome in series.outcomes] == [7, 8, 9] and series.injected["reorder-start"] == 12


def test_a_series_tells_what_differs_and_what_failed(monkeypatch):
    job = StressJob(pattern="ring", count=2, options=RunOptions(cores=3, chaos=Chaos(("kill",))))
    _, series = run_stress_series(job, 2)
    assert (series.equal, len(series.failed), series.exit_code, series.injected) == (0, 2, 5, {"kill": 2})
    assert str(series.odd[1]).startswith("chaos seed 1: core ") and ", 2 ended with an error" in series.lines()[-1]
    monkeypatch.setattr(
        "launch.stress.job.run_stress",
        lambda job: run_stress(StressJob(pattern="ring", options=RunOptions(cores=3 + bool(job.options.chaos)))),
    )
    _, series = run_stress_series(job, 1)
    assert (len(series.different), series.exit_code) == (1, 1)
    assert series.lines()[0] == "chaos seed 0: what came out differs"


@pytest.mark.full
@pytest.mark.timeout(1200)
@pytest.mark.parametrize(("flow", "transport"), [NETS[0], NETS[3], NETS[4], NETS[1]])
def test_a_thousand_disturbed_runs_of_random_graphs(flow, transport):
    for seed in range(10):
        chaos = Chaos(("delay:0.1,2", "reorder-start", "pause:random,10", "yield:0.1"), 1000 * seed)
        job = StressJob(
            pattern="random-dag",
            size="uniform:12,4000",
            count=2,
            options=RunOptions(cores=6, seed=seed, flow=flow, transport=transport),
        )
        first, series = run_stress_series(replace(job, options=replace(job.options, chaos=chaos)), 25)
        assert first.errors == 0 and series.equal == 25, series.lines()


@pytest.mark.full
@pytest.mark.timeout(600)
def test_a_hundred_cores_killed_anywhere():
    _, series = run_stress_series(
        StressJob(pattern="random-dag", count=3, options=RunOptions(cores=6, chaos=Chaos(("kill",)))), 100
    )
    assert len(series.failed) == 100 and {outcome.code for outcome in series.failed} == {5}
