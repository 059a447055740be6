"""Analog runs are pure functions: every way to run gives the same bits, trials are alone, seeds differ."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from analog_chips import COARSE, NOISY, physics
from draws import examples
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from emu.analog.counts import NAMES
from emu.arch import Arch
from emu.arch.overlay import analog_of, overlaid
from emu.errors import ArchError
from emu.image.npz import read_npz
from emu.image.reader import open_image
from launch.analog.counting import KEY, Counting
from launch.analog.described import chip_text
from launch.analog.trials import run_trials
from launch.chips.power import power_on
from launch.golden.verdict import classes
from launch.samples.inputs import each_sample

TRIALS = 3


def chip(image: Path, text: str, seed: int = 0, first: int = 0) -> Arch:
    arch = overlaid(open_image(image).arch, text, "chip.toml")
    return replace(arch, draws=replace(arch.draws, seed=seed, first=first))


def by_processes(
    image: Path, arch: Arch, inputs: Mapping[str, np.ndarray], trials: int = TRIALS, **options: object
) -> tuple[np.ndarray, Mapping[int, np.ndarray]]:
    """Outputs [trials, samples, ...] and counts of trials on processes."""
    count = len(inputs["in0"])
    text = chip_text(replace(arch, draws=replace(arch.draws, samples=count)))
    with power_on(image, analog=text, observers=[Counting(True)], timeout=120, **options) as on:
        made = [result.outputs["out0"] for result in on.stream(each_sample(inputs, trials))]
        counts = on.observed[KEY]
    return np.stack(made).reshape(trials, count, -1), counts


@pytest.mark.parametrize("text", [COARSE, pytest.param(NOISY, marks=pytest.mark.full)])
def test_every_way_to_run_gives_the_same_bits_and_counts(
    image: Path, inputs: Mapping[str, np.ndarray], text: str
) -> None:
    arch = chip(image, text, seed=5)
    batch = run_trials(image, arch, inputs, TRIALS, everything=True)
    want, counts = batch.outputs["out0"].reshape(TRIALS, len(inputs["in0"]), -1), batch.counts
    assert len({trial.tobytes() for trial in want}) == TRIALS  # each on cells of its own
    step = run_trials(image, arch, {name: array[:1] for name, array in inputs.items()}, engine="step")
    one = run_trials(image, arch, {name: array[:1] for name, array in inputs.items()})
    assert step.outputs["out0"].tobytes() == one.outputs["out0"].tobytes() == want[0, 0].tobytes()
    for options in ({}, {"hosts": "local:2"}, {"flow": "credits:2", "engine": "fast"}):
        outputs, found = by_processes(image, arch, inputs, **options)
        assert outputs.tobytes() == want.tobytes()
        assert {core: rows.tobytes() for core, rows in found.items()} == {
            core: rows.tobytes() for core, rows in counts.items()
        }


def test_a_trial_does_not_depend_on_others_and_seeds_differ(image: Path, inputs: Mapping[str, np.ndarray]) -> None:
    several = run_trials(image, chip(image, NOISY, seed=1), inputs, TRIALS).outputs["out0"]
    for first in range(TRIALS):
        alone = run_trials(image, chip(image, NOISY, seed=1, first=first), inputs).outputs["out0"]
        assert alone[0].tobytes() == several[first].tobytes()
    other = run_trials(image, chip(image, NOISY, seed=2), inputs).outputs["out0"]
    assert other[0].tobytes() not in {trial.tobytes() for trial in several}
    few = {name: array[1:3] for name, array in inputs.items()}  # other samples on the same cells
    assert np.abs(run_trials(image, chip(image, NOISY, seed=1), few).outputs["out0"][0] - several[0, 1:3]).max() > 0


@settings(max_examples=examples(3, 60), suppress_health_check=list(HealthCheck))
@given(st.data())
def test_any_chip_gives_the_same_bits_in_steps_and_in_any_company(
    image: Path, inputs: Any, data: st.DataObject
) -> None:
    arch = data.draw(physics(open_image(image).arch))
    two = {name: array[:2] for name, array in inputs.items()}
    try:
        batch = run_trials(image, arch, two, 2)
    except ArchError:  # such as inputs of signs in one bit
        assume(False)
        raise
    step = run_trials(image, arch, two, 2, engine="step")
    assert batch.outputs["out0"].tobytes() == step.outputs["out0"].tobytes()
    later = replace(arch, draws=replace(arch.draws, first=(arch.draws.first or 0) + 1))
    alone = run_trials(image, later, two, everything=True)  # counting changes nothing
    assert alone.outputs["out0"][0].tobytes() == batch.outputs["out0"][1].tobytes()
    outputs, counts = by_processes(image, later, two, 1)
    assert outputs.tobytes() == alone.outputs["out0"].tobytes()
    assert {core: rows.tobytes() for core, rows in counts.items()} == {
        core: rows.tobytes() for core, rows in alone.counts.items()
    }


def test_where_nothing_is_described_nothing_differs(image: Path, inputs: Mapping[str, np.ndarray]) -> None:
    own = analog_of(open_image(image).arch)
    found = run_trials(image, own, inputs, 2)
    with power_on(image, timeout=120) as on:
        ideal = np.stack([result.outputs["out0"] for result in on.stream(each_sample(inputs))])
    assert all(trial.tobytes() == ideal.tobytes() for trial in found.outputs["out0"])


def test_counts_are_those_of_the_products_that_ran(image: Path, inputs: Mapping[str, np.ndarray]) -> None:
    samples = len(inputs["in0"])
    counts = run_trials(image, chip(image, COARSE), inputs, TRIALS, everything=True).counts
    arch, reader = open_image(image).arch, open_image(image)
    for core, rows in counts.items():
        for spec, row in zip(reader.program(core).groups, rows, strict=True):
            known = dict(zip(NAMES, row.tolist(), strict=False))
            assert known["vectors"] % (samples * TRIALS) == 0 and known["vectors"]
            parts = sum(-(-tile // arch.crossbar.driven_rows) for tile in spec.row_tiles)
            assert known["conversions"] >= known["vectors"] * parts * spec.cols
            assert known["written"] % TRIALS == 0 and known["written"] >= TRIALS * spec.rows * spec.cols
            assert 0 <= known["clipped"] <= known["conversions"] == row[len(NAMES) :].sum()
            assert -arch.crossbar.rows <= known["lowest"] < known["highest"] <= arch.crossbar.rows


def test_kept_tensors_come_by_trial(image: Path, inputs: Mapping[str, np.ndarray]) -> None:
    found = run_trials(image, chip(image, NOISY), inputs, 2, keep=["relu"])
    kept = found.kept["relu"]
    assert kept.shape[:2] == (2, len(inputs["in0"])) and kept[0].tobytes() != kept[1].tobytes()


def test_little_noise_leaves_the_answers(image: Path, given_file: Path, inputs: Mapping[str, np.ndarray]) -> None:
    little = '[device]\nprogramming = "gaussian"\nprogramming_sigma = 0.001\n'
    outputs = run_trials(image, chip(image, little), inputs, TRIALS).outputs["out0"]
    for trial in outputs:
        assert (classes(trial) == read_npz(given_file)["labels"]).all()
    assert outputs[0].tobytes() != outputs[1].tobytes()
