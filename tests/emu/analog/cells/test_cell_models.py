"""Models of cells against draws of CrossSim and of aihwkit, and against formulas written once more."""

from collections.abc import Callable
from dataclasses import replace
from math import erf, exp, log, sqrt
from pathlib import Path

import aihwkit_noise
import numpy as np
import pytest
from crosssim_noise import CELLS, MODELS, READ_V, SHARES
from distributions import assert_same

from emu.analog.cells.cells import Cells, cells_of
from emu.arch import Arch
from emu.arch.analog import Device
from emu.draws import generator, normal


def arrays(name: str) -> dict[str, np.ndarray]:
    with np.load(Path(__file__).with_name(name), allow_pickle=False) as found:
        return dict(found)


CROSSSIM, AIHWKIT = arrays("crosssim_noise.npz"), arrays("aihwkit_noise.npz")
OURS = {
    "NormalIndependentDevice": "crosssim-normal",
    "NormalProportionalDevice": "crosssim-normal-proportional",
    "NormalInverseProportionalDevice": "crosssim-normal-inverse",
    "UniformIndependentDevice": "crosssim-uniform",
    "UniformProportionalDevice": "crosssim-uniform-proportional",
    "UniformInverseProportionalDevice": "crosssim-uniform-inverse",
    "RRAMMilo": "crosssim-rram-milo",
    "RRAMWan": "crosssim-rram-wan",
    "PCMJoshi": "crosssim-pcm-joshi",
    "SONOS": "crosssim-sonos",
}
ROLES = {"programming_error": "programming", "read_noise": "read_noise", "drift_error": "drift"}
SIGMAS = {"programming_error": "programming_sigma", "read_noise": "read_sigma"}
DAY = 86400.0


def cells(**device: object) -> Cells:
    return cells_of(replace(Arch(), device=Device(**device)))  # type: ignore[arg-type]


def many(levels: np.ndarray | list[float], count: int = CELLS) -> np.ndarray:
    return np.repeat(np.asarray(levels, float)[:, None], count, axis=1)


@pytest.mark.parametrize("number", range(len(MODELS)), ids=lambda n: f"{n}-{MODELS[n][1]}-{MODELS[n][0]}")
def test_crosssim_draws_the_same_distributions(number: int):
    role, model, magnitude, low, high, day, clipped = MODELS[number]
    named = {ROLES[role]: OURS[model], "time_s": day * DAY, "clip": clipped}
    own = cells(g_min_us=low, g_max_us=high, read_v=READ_V, **named, **({SIGMAS[role]: magnitude} if magnitude else {}))
    target = many(CROSSSIM["levels"][number])
    drawn = own.aged(target, own.programmed(target, generator(number), None)[0], generator(number, "aged"), None)
    if role == "read_noise":
        noise = own.noise(target, target)
        assert noise is not None
        drawn = np.maximum(target + noise * normal(generator(number, "read"), target.shape), 0.0)
    for place, ours in enumerate(drawn):
        assert_same(ours, *(CROSSSIM[name][number, place] for name in ("mean", "std", "quantiles")), SHARES)


@pytest.mark.parametrize("number", range(len(aihwkit_noise.MODELS)), ids=lambda n: f"{n}-{aihwkit_noise.MODELS[n][0]}")
def test_aihwkit_draws_the_same_distributions(number: int):
    name, _, _, time = aihwkit_noise.MODELS[number]
    target = many(aihwkit_noise.LEVELS)
    if time < 0:
        drawn, _ = cells(programming=name).programmed(target, generator(number), None)
    else:
        widens = name == "aihwkit-reram-wan"  # its spreads hold errors of programming, which were clipped at 0 before
        own = cells(programming=None if widens else name, drift=name, read_noise=None if widens else name, time_s=time)
        programmed, _ = own.programmed(target, generator(number), None)
        drawn = own.aged(target, programmed, generator(number, "aged"), None)
        noise = own.noise(drawn, programmed)
        drawn = (
            drawn if noise is None else np.maximum(drawn + noise * normal(generator(number, "read"), target.shape), 0)
        )
    for place, ours in enumerate(drawn):
        assert_same(ours, *(AIHWKIT[name][number, place] for name in ("mean", "std", "quantiles")), SHARES)


def test_noise_of_one_value_for_all_cells_is_one_number():
    one = cells(read_noise="crosssim-normal", read_sigma=0.02)
    each = cells(read_noise="crosssim-normal-proportional", read_sigma=0.02)
    g = np.array([[0.0, 0.5, 1.0]])
    assert one.noise(g, g) == 0.02
    assert np.allclose(each.noise(g, g), [[0.0, 0.01, 0.02]])
    assert cells(read_noise="crosssim-uniform", read_sigma=0.06).noise(g, g) == pytest.approx(0.06 / sqrt(12))


def test_gaussian_errors_are_of_the_range_of_conductances():
    own = cells(g_min_us=5.0, g_max_us=25.0, programming="gaussian", programming_sigma=0.1)
    made, _ = own.programmed(many([0.6, 1.0]), generator(1), None)
    assert made.std(1) == pytest.approx([0.08, 0.08], rel=0.02)


# What aihwkit computes, a number at a time; conductances as shares of the highest, deviations in uS of a highest one.
def pcm_exponent(r: float) -> tuple[float, float]:
    mean = min(max(-0.0155 * log(r) + 0.0244, 0.049), 0.1)
    return mean, min(max(-0.0125 * log(r) - 0.0059, 0.008), 0.045)


def hermes_exponent(r: float) -> tuple[float, float]:
    mean = min(max(-0.0387 * log(r) - 0.0182, 0.072), 0.13) if r < 0.0945 else -0.0436 * r * r - 0.0126 * r + 0.0736
    low = min(max(-0.0117 * log(r) - 0.0057, 0.0091), 0.04)
    return mean, low if r < 0.3055 else -0.0118 * r * r + 0.0093 * r + 0.0073


def single_exponent(r: float) -> tuple[float, float]:
    low = min(max(-0.0120 * log(r) - 0.0023, 0.0124), 0.04)
    return hermes_exponent(r)[0], low if r < 0.3039 else -0.0165 * r * r + 0.0116 * r + 0.0104


def pcm_noise(r: float) -> float:
    return min(0.0088 / max(r**0.65, 1e-3), 0.2)


def hermes_noise(r: float) -> float:
    low = min(max(-0.0117 * log(r) - 0.0069, 0.015), 0.04)
    return low if r < 0.16 else 0.0069 * r**3 - 0.0280 * r**2 + 0.0211 * r + 0.0123


def single_noise(r: float) -> float:
    low = min(max(-0.0078 * log(r) + 0.0038, 0.0179), 0.04)
    return low if r < 0.1591 else 0.0664 * r**3 - 0.1352 * r**2 + 0.0768 * r + 0.0088


Exponent, Share = Callable[[float], tuple[float, float]], Callable[[float], float]
FORMULAS: dict[str, tuple[Share, float, float, float, Exponent, Share]] = {
    "aihwkit-pcm": (lambda r: 0.26348 + 1.9650 * r - 1.1731 * r * r, 25.0, 20.0, 250e-9, pcm_exponent, pcm_noise),
    "hermes": (
        lambda r: 0.16603222 + 4.71806468 * r - 8.48101252 * r**2 + 4.68961419 * r**3,
        20.7,
        300.0,
        512e-9,
        hermes_exponent,
        hermes_noise,
    ),
    "hermes-single": (
        lambda r: 0.15781817 + 2.32443916 * r - 2.16310839 * r**2 + 0.68841818 * r**3,
        10.35,
        200.0,
        512e-9,
        single_exponent,
        single_noise,
    ),
}
LEVELS = [0.004, 0.03, 0.09, 0.1, 0.155, 0.17, 0.25, 0.31, 0.5, 0.75, 1.0]


@pytest.mark.parametrize("name", FORMULAS)
@pytest.mark.parametrize("g_max", [25.0, 10.0])
def test_phase_change_memory_is_programmed_as_in_aihwkit(name: str, g_max: float):
    spread, reference, *_ = FORMULAS[name]
    made, _ = cells(programming=name, g_max_us=g_max).programmed(many(LEVELS[4:]), generator(2), None)
    for r, ours in zip(LEVELS[4:], made, strict=True):
        std = spread(r) / reference
        assert ours.mean() == pytest.approx(r, abs=4.5 * std / sqrt(CELLS))
        assert ours.std() == pytest.approx(std, rel=4.5 / sqrt(2 * CELLS))


@pytest.mark.parametrize("name", FORMULAS)
@pytest.mark.parametrize("time", [3600.0, DAY, 365 * DAY])
def test_phase_change_memory_drifts_as_in_aihwkit(name: str, time: float):
    _, _, t0, _, exponent, _ = FORMULAS[name]
    target = many(LEVELS)
    programmed = target * 0.9  # the exponent is of the target
    aged = cells(drift=name, time_s=time).aged(target, programmed, generator(3), None)
    points, weights = np.polynomial.hermite_e.hermegauss(80)
    for r, ours in zip(LEVELS, aged, strict=True):
        mean, std = exponent(r)
        left = 0.9 * r * (1 + time / t0) ** -np.abs(mean + std * points)
        first = (weights * left).sum() / weights.sum()
        second = sqrt((weights * (left - first) ** 2).sum() / weights.sum())
        assert ours.mean() == pytest.approx(first, abs=4.5 * second / sqrt(CELLS))
        assert ours.std() == pytest.approx(second, rel=0.025)
        if mean > 4.4 * std:  # no exponent changes its sign: the logarithm is normal
            exponents = np.sort(-np.log(ours / (0.9 * r)) / log(1 + time / t0))
            shares = np.array([(1 + erf((value - mean) / std / sqrt(2))) / 2 for value in exponents[::40]])
            assert np.abs(shares - np.arange(CELLS)[::40] / CELLS).max() < 1.95 / sqrt(CELLS)


@pytest.mark.parametrize("name", FORMULAS)
@pytest.mark.parametrize("time", [0.0, DAY])
def test_phase_change_memory_is_read_with_the_noise_of_aihwkit(name: str, time: float):
    *_, t0, t_read, _, share = FORMULAS[name]
    programmed, aged = np.array([LEVELS]), np.array([LEVELS]) * 0.8
    expected = [0.8 * r * share(r) * sqrt(log((time + t0 + t_read) / (2 * t_read))) for r in LEVELS]
    found = cells(read_noise=name, read_sigma=0.5, time_s=time).noise(aged, programmed)
    assert np.allclose(found, [[0.5 * value for value in expected]], rtol=1e-12)


WAN = {
    1.0: lambda r: 0.348 + 16.030 * r - 43.853 * r**2 + 45.393 * r**3 - 16.815 * r**4,
    DAY: lambda r: 0.701 + 22.086 * r - 50.773 * r**2 + 47.095 * r**3 - 16.458 * r**4,
    2 * DAY: lambda r: 0.782 + 20.274 * r - 43.507 * r**2 + 37.062 * r**3 - 11.934 * r**4,
}


@pytest.mark.parametrize("time", WAN)
@pytest.mark.parametrize("programming", [None, "aihwkit-reram-wan"])
def test_reram_widens_with_time_as_in_aihwkit(time: float, programming: str | None):
    own = cells(programming=programming, drift="aihwkit-reram-wan", time_s=time)
    target = many([0.3, 0.5, 0.8, 1.0])
    programmed, _ = own.programmed(target, generator(4), None)
    aged = own.aged(target, programmed, generator(5), None)
    for r, before, ours in zip([0.3, 0.5, 0.8, 1.0], programmed, aged, strict=True):
        assert ours.mean() == pytest.approx(r, abs=0.002)
        assert ours.std() == pytest.approx(WAN[time](r) / 40, rel=0.017)
        assert before.std() == pytest.approx(WAN[1.0](r) / 40 if programming else 0.0, rel=0.017)
        if programming:  # what programming did is still there
            expected = WAN[1.0](r) / WAN[time](r)
            assert np.corrcoef(before, ours)[0, 1] == pytest.approx(expected, abs=0.02)


def test_analog_foundation_models_have_two_cubics_and_no_errors_of_small_weights():
    def spread(g: float) -> float:
        if g > 52.5:
            return 1.2330e-5 * g**3 - 3.0550e-3 * g**2 + 0.245349 * g + 2.11030
        return 2.9398e-5 * g**3 - 3.7158e-3 * g**2 + 0.224197 * g + 2.57974 if g >= 0.6 else 0.0

    units = [0.0, 0.5, 20.0, 52.0, 53.0, 100.0, 180.0]
    made, _ = cells(programming="analog-foundation").programmed(
        many([unit / 180 for unit in units]), generator(6), None
    )
    assert made.std(1) == pytest.approx([spread(unit) / 180 for unit in units], rel=0.017)


def test_a_factor_scales_what_was_measured():
    target = many([0.5])
    one, half = (cells(programming="aihwkit-pcm", programming_sigma=sigma) for sigma in (1.0, 0.5))
    errors = [own.programmed(target, generator(7), None)[0] - target for own in (one, half)]
    assert np.allclose(errors[0], 2 * errors[1])


def test_sonos_currents_saturate():
    own = cells(g_max_us=16.0, read_v=0.1, read_noise="crosssim-sonos")
    g = np.array([[0.0, 0.1, 1.0]])
    expected = [12.58037 * (1 - exp(-1600 * value / 215.36557)) / 1600 for value in (0.0, 0.1, 1.0)]
    assert np.allclose(own.noise(g, g), [expected], rtol=1e-12)
