"""Cells of a chip: what leaves them alone, faults, write-verify, clipping, refusals, and models of users."""

import re
from dataclasses import replace
from math import sqrt
from pathlib import Path

import numpy as np
import pytest
from draws import examples
from hypothesis import given, settings
from hypothesis import strategies as st

from emu.analog.cells.cells import Cells, cells_of
from emu.analog.cells.model import ROLES, SIGMAS, has_role
from emu.analog.cells.table import CELLS, cell_models
from emu.arch import Arch
from emu.arch.analog import Device, Faults
from emu.draws import generator
from emu.errors import ArchError

RANGES = {"crosssim-rram-milo": (50.0, 225.0), "crosssim-sonos": (0.5, 8.0), "crosssim-pcm-joshi": (1.0, 20.0)}
TARGET = np.random.default_rng(5).uniform(0.3, 1.0, (40, 50))


def chip(faults: Faults | None = None, **device: object) -> Arch:
    return replace(Arch(), device=Device(**device), faults=faults or Faults())  # type: ignore[arg-type]


def passed(cells: Cells, target: np.ndarray, seed: int) -> tuple[np.ndarray, np.ndarray, int, np.ndarray | None]:
    """Conductances as programmed and as aged, the pulses, and stuck cells."""
    stuck = cells.stuck(target.shape, generator(seed, "stuck"))
    programmed, pulses = cells.programmed(target, generator(seed, "program"), stuck)
    return programmed, cells.aged(target, programmed, generator(seed, "age"), stuck), int(pulses.sum()), stuck


def test_cells_without_a_model_are_exact():
    usual = [{}, {"time_s": 1e6, "verify_pulses": 9, "verify_tolerance": 0.01, "clip": True}]
    none = [dict.fromkeys(ROLES, "none"), {"programming": "gaussian", "programming_sigma": 0.0}]
    for device in (*usual, *none, {"drift": "aihwkit-pcm"}, {"read_noise": "crosssim-normal", "read_sigma": 0.0}):
        cells = cells_of(chip(**device))
        programmed, aged, pulses, stuck = passed(cells, TARGET, 1)
        assert cells.exact and stuck is None and pulses == TARGET.size
        assert programmed.tobytes() == TARGET.tobytes() == aged.tobytes()
        assert cells.noise(aged, programmed) is None


@pytest.mark.parametrize(
    "given",
    [
        {"programming": "crosssim-normal", "programming_sigma": 0.01},
        {"read_noise": "crosssim-normal-proportional", "read_sigma": 0.01},
        {"drift": "aihwkit-pcm", "time_s": 1.0},
        {"drift": "crosssim-sonos", "g_max_us": 8.0},
        {"programming": "mnsim-saf"},
        {"faults": Faults(stuck_on=0.1)},
        {"faults": Faults(stuck_off=0.1)},
    ],
)
def test_cells_with_anything_are_not(given: dict):
    assert not cells_of(chip(**given)).exact


@st.composite
def chips(draw: st.DrawFn) -> Arch:
    """A chip that names models for some roles, with all that they need."""
    main = draw(st.sampled_from(sorted(CELLS)))
    low, high = RANGES.get(main, (0.0, 25.0))
    device = {"g_max_us": high, "g_min_us": draw(st.floats(low, high / 3)), "clip": draw(st.booleans())}
    time = draw(st.sampled_from([1.0, 86400.0, 172800.0]))
    for role in ROLES:
        if has_role(CELLS[main], role) and draw(st.booleans()):
            device |= {role: main, "time_s": time}
            if role in SIGMAS:
                device[SIGMAS[role]] = draw(st.floats(0.01, 2.0))
    if draw(st.booleans()):
        device |= {"verify_pulses": draw(st.integers(1, 5)), "verify_tolerance": draw(st.floats(0.001, 0.2))}
    faults = Faults(*(draw(st.none() | st.floats(0, 0.5)) for _ in range(2)))
    return chip(faults, **device)


@settings(max_examples=examples(60, 600))
@given(chips(), st.integers(0, 5))
def test_whatever_the_chip_cells_keep_their_bounds_and_depend_on_the_generators_alone(arch: Arch, seed: int):
    cells = cells_of(arch)
    target = cells.g0 + (1 - cells.g0) * (TARGET - 0.3) / 0.7
    before = target.copy()
    programmed, aged, pulses, stuck = passed(cells, target, seed)
    assert target.tobytes() == before.tobytes()
    low, high = (cells.g0, 1.0) if arch.device.clip else (0.0, np.inf)
    for g in (programmed, aged):
        assert g.shape == target.shape and g.dtype == np.float64
        assert np.isfinite(g).all() and g.min() >= low - 1e-15 and g.max() <= high
        if stuck is not None:
            assert set(np.unique(stuck[~np.isnan(stuck)])) <= {cells.g0, 1.0}
            assert np.array_equal(g[~np.isnan(stuck)], stuck[~np.isnan(stuck)])
    most = arch.device.verify_pulses or 1
    assert target.size <= pulses <= most * target.size
    if most > 1:
        wrong = np.abs(programmed - target) > arch.device.verify_tolerance
        assert pulses - target.size >= (most - 1) * wrong.sum()
    noise = cells.noise(aged, programmed)
    if noise is not None:
        assert np.broadcast_to(noise, target.shape).min() >= 0 and np.isfinite(noise).all()
    again = passed(cells_of(arch), target, seed)
    assert again[0].tobytes() == programmed.tobytes() and again[1].tobytes() == aged.tobytes() and again[2] == pulses


def test_shares_of_stuck_cells_are_those_of_faults_or_of_the_model():
    shape = (400, 500)
    for arch, off, on in (
        (chip(Faults(0.02, 0.01), g_min_us=5.0), 0.02, 0.01),
        (chip(programming="mnsim-saf", g_min_us=5.0), 0.001, 0.001),
        (chip(Faults(stuck_on=0.03), programming="mnsim-saf", g_min_us=5.0), 0.001, 0.03),
        (chip(Faults(1.0, 0.0), g_min_us=5.0), 1.0, 0.0),
        (chip(Faults(0.0, 1.0), g_min_us=5.0), 0.0, 1.0),
    ):
        stuck = cells_of(arch).stuck(shape, generator(3))
        assert stuck is not None
        for value, share in ((0.2, off), (1.0, on)):
            assert np.mean(stuck == value) == pytest.approx(
                share, abs=4 * sqrt(share * (1 - share) / stuck.size) + 1e-12
            )


def test_stuck_cells_stay_where_they_are_when_an_array_is_written_again():
    cells = cells_of(chip(Faults(0.1, 0.1), programming="gaussian", programming_sigma=0.05))
    stuck = cells.stuck(TARGET.shape, generator(1))
    assert stuck is not None
    broken = ~np.isnan(stuck)
    for write in range(2):
        made, _ = cells.programmed(1.0 - TARGET, generator(1, "write", write), stuck)
        assert np.array_equal(made[broken], stuck[broken]) and (made[~broken] != stuck[~broken]).all()


def test_verified_cells_are_programmed_until_they_are_good_enough():
    target, sigma, tolerance = np.full((200, 200), 0.5), 0.05, 0.04
    errors = {"programming": "crosssim-normal", "programming_sigma": sigma}
    missed = np.mean(np.abs(generator(9).normal(0, sigma, 1_000_000)) > tolerance)
    for most in (1, 2, 3, 50):
        cells = cells_of(chip(**errors, verify_pulses=most, verify_tolerance=tolerance))
        made, pulses = cells.programmed(target, generator(4), None)
        expected = (1 - missed**most) / (1 - missed)
        assert pulses.mean() == pytest.approx(expected, rel=0.02) and 1 <= pulses.min() <= pulses.max() <= most
        assert np.mean(np.abs(made - target) > tolerance) == pytest.approx(missed**most, abs=0.01)


def test_a_cell_that_is_stuck_elsewhere_takes_all_pulses():
    cells = cells_of(chip(Faults(stuck_on=1.0), verify_pulses=7, verify_tolerance=0.1))
    stuck = cells.stuck((3, 3), generator(0))
    assert cells.programmed(np.full((3, 3), 0.5), generator(0), stuck)[1].tolist() == [[7] * 3] * 3
    assert cells.programmed(np.full((3, 3), 0.95), generator(0), stuck)[1].tolist() == [[1] * 3] * 3


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"programming": "rram-wan"}, r"device\.programming .* no model.*`emu arch --cells`.*'crosssim-rram-wan'"),
        ({"drift": "gaussian"}, r"device\.drift 'gaussian': .* is of device\.programming, device\.read_noise alone"),
        ({"read_noise": "mnsim-saf"}, r"device\.read_noise 'mnsim-saf'"),
        ({"programming": "gaussian"}, r"device\.programming 'gaussian' .* give device\.programming_sigma"),
        ({"read_noise": "crosssim-uniform"}, r"device\.read_noise 'crosssim-uniform' .* give device\.read_sigma"),
        ({"programming_sigma": 0.1}, r"device\.programming_sigma .* name one in device\.programming"),
        ({"read_sigma": 0.1, "programming": "aihwkit-pcm"}, r"device\.read_sigma .* device\.read_noise"),
        ({"verify_pulses": 2}, r"device\.verify_pulses needs device\.verify_tolerance"),
        ({"programming": "crosssim-rram-wan", "g_max_us": 40.0}, r"device\.g_max_us is 40, .* 39\.26 uS .*-wan'"),
        ({"programming": "crosssim-rram-milo", "g_max_us": 200.0}, r"device\.g_min_us is 0, .* 50 uS"),
        ({"programming": "crosssim-pcm-joshi", "g_max_us": 30.0}, r"device\.g_max_us is 30"),
        ({"programming": "crosssim-sonos"}, r"device\.g_max_us x device\.read_v is 5000 nA .* 3200 nA"),
        ({"drift": "crosssim-sonos", "g_max_us": 16.0, "time_s": 1.0}, r".* 3200 nA .* 1800 nA"),
        ({"drift": "crosssim-sonos", "g_max_us": 8.0, "time_s": 5e5}, r"device\.time_s is 500000, .* 432000 s"),
        ({"drift": "aihwkit-reram-wan"}, r"device\.time_s is 0, .* 1, 86400, 172800 s"),
        (
            {"drift": "aihwkit-reram-wan", "time_s": 1.0, "programming": "aihwkit-pcm"},
            r'device\.programming is "aihwkit-pcm", but "aihwkit-reram-wan" has its own errors',
        ),
    ],
)  # fmt: skip
def test_what_cannot_be_is_refused_by_its_key(given: dict, sentence: str):
    with pytest.raises(ArchError) as error:
        cells_of(replace(chip(**given), origin="my.toml"))
    assert re.match("architecture my.toml: " + sentence, str(error.value)), error.value


MODULE = """
from emu.analog.cells.model import CellModel

class Stepped(CellModel):
    meaning = "errors of a hundredth"

    def programming(self, target, at):
        return 0.01

class Broken(CellModel):
    def __init__(self):
        raise OSError("no table")

class Other:
    pass
"""


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A package with models of cells, one of which has a name of ours."""
    (tmp_path / "my_cells.py").write_text(MODULE)
    info = tmp_path / "my_cells-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: my-cells\nVersion: 1\n")
    rows = {"stepped": "Stepped", "broken": "Broken", "other": "Other", "missing": "Nothing", "gaussian": "Broken"}
    lines = [f"{name} = my_cells:{made}" for name, made in rows.items()]
    (info / "entry_points.txt").write_text("\n".join(["[reram_emu.cells]", *lines, ""]))
    monkeypatch.syspath_prepend(tmp_path)


@pytest.mark.usefixtures("installed")
def test_a_model_of_an_installed_package_is_one_class():
    made, _ = cells_of(chip(programming="stepped", programming_sigma=2.0)).programmed(TARGET, generator(1), None)
    assert np.std(made - TARGET) == pytest.approx(0.02, rel=0.05)
    assert cells_of(chip(programming="gaussian", programming_sigma=0.0)).exact  # ours


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("broken", r"'broken', my_cells:Broken, cannot be made: no table"),
        ("missing", r"'missing', my_cells:Nothing, cannot be made: .*Nothing"),
        ("other", r"'other', my_cells:Other, is no emu\.analog\.cells\.model\.CellModel"),
        ("stopped", r"device\.programming 'stopped' is no model.* did you mean 'stepped'"),
    ],
)
def test_a_model_that_cannot_be_had_is_one_sentence(name: str, sentence: str):
    with pytest.raises(ArchError, match=sentence):
        cells_of(chip(programming=name))


@pytest.mark.usefixtures("installed")
def test_a_model_without_a_role_says_which_it_has():
    with pytest.raises(ArchError, match=r"'stepped': this model of cells is of device\.programming alone"):
        cells_of(chip(drift="stepped"))


def test_all_models_say_what_they_are_and_fill_a_role():
    for name, model in cell_models():
        assert model.meaning and model.source and any(has_role(model, role) for role in ROLES), name
