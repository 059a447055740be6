"""The contract of back ends: ours keep it, each mistake of a board is found, and cells that deviate are measured."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import strange_boards
import wrong_boards

from emu.errors import InputError
from launch.devices import board
from launch.devices.failures import DeviceError
from launch.devices.oracle import NumpyCore
from launch.testing import device_contract
from launch.testing.contract_cases import CASES
from launch.testing.contract_errors import ERRORS
from launch.testing.contract_report import FAILED, PASSED, REFUSED, SKIPPED, ContractReport

TYPES = ("f32", "f16", "i8", "u8", "i16", "u16", "i32", "i64", "u8 with i8", "f32 with f16")


@pytest.fixture
def own_board(monkeypatch: pytest.MonkeyPatch) -> Callable[[type[NumpyCore]], str]:
    """The name of a back end in this process: what a mistake is does not depend on where it is made."""

    def make(kind: type[NumpyCore]) -> str:
        monkeypatch.setitem(board.BACKENDS, kind.__name__, (f"{kind.__module__}:{kind.__name__}", False))
        return kind.__name__

    return make


def broken(name: str, **options: float) -> str:
    with pytest.raises(AssertionError) as raised:
        device_contract(name, **options)
    return str(raised.value)


@pytest.mark.parametrize("backend", ["processes", "sequential", "numpy"])
def test_our_back_ends_keep_it(backend: str) -> None:
    report = device_contract(backend)
    assert [case.name for case in report.cases] == [*(f"type {name}" for name in TYPES), *CASES, *ERRORS]
    assert {case.outcome for case in report.cases} == {PASSED} and report.passed and not report.sweeps


@pytest.mark.parametrize("arch", ["puma", "isaac", "small"])
def test_they_keep_it_on_other_chips(arch: str) -> None:
    """With cells of few bits, where a weight takes several columns or crossbars."""
    report = device_contract("sequential", arch=arch, cores=3, seed=7)
    assert report.passed and [case for case in report.cases if case.outcome == PASSED]


MISTAKES = [
    ("NoStart", "accumulate"),
    ("WholeWrites", "partial writes"),
    ("FirstRows", "partial writes"),
    ("FirstWrite", "order"),
    ("OneMatrix", "interleaved"),
    ("OneTile", "groups"),
    ("LastVector", "one vector"),
    ("Saturating", "wraps"),
    ("Rounded", "type f32"),
    ("NoNumbers", "type f32"),
    ("NeverAgain", "reuse"),
]


@pytest.mark.parametrize(("name", "case"), MISTAKES)
def test_a_mistake_is_found(own_board: Callable[[type[NumpyCore]], str], name: str, case: str) -> None:
    text = broken(own_board(getattr(wrong_boards, name)))
    assert text.startswith(f"{name} breaks the contract of devices in ")
    assert any(line.startswith(f"{FAILED:8}{case}: ") for line in text.splitlines()), text


@pytest.mark.parametrize(
    ("name", "case"), [row for row in MISTAKES if row[0] not in ("LastVector", "Saturating", "Rounded")]
)
def test_a_tolerance_hides_no_mistake(own_board: Callable[[type[NumpyCore]], str], name: str, case: str) -> None:
    text = broken(own_board(getattr(wrong_boards, name)), tolerance=0.03, crossbars=1)
    assert f"{FAILED:8}{case}: " in text


def test_types_may_be_refused_if_one_is_taken(own_board: Callable[[type[NumpyCore]], str]) -> None:
    report = device_contract(own_board(wrong_boards.FloatsOnly))
    outcomes = {case.name: case for case in report.cases}
    assert outcomes["type i8"].outcome == REFUSED and "ValueError: this board holds floats" in outcomes["type i8"].why
    assert outcomes["type f32"].outcome == outcomes["order"].outcome == PASSED
    assert outcomes["wraps"].outcome == SKIPPED
    text = broken(own_board(wrong_boards.Nothing))
    assert text.splitlines()[1:] == [f"{FAILED}  types: at least one type of elements is taken: all are refused"]


def test_a_device_that_has_ended_is_powered_on_again(own_board: Callable[[type[NumpyCore]], str]) -> None:
    """Each case meets one that works."""
    text = broken(own_board(strange_boards.Lists), cores=1)
    assert text.count("answered a list in place of") == text.count("\n") > 20


class Deviating(NumpyCore):
    """Cell [2, 3] is 20 % too large, cell [1, 1] stuck at half of full scale; column 5 reads 1 % more."""

    def multiply(self, group: int, vectors: np.ndarray, start: np.ndarray | None) -> np.ndarray:
        spec, gain = self._specs[group], np.ones(self._matrices[group].shape)
        gain[2:3, 3:4] = 1.2
        gain[:, 5:6] = 1.01
        cells = self._matrices[group] * gain
        cells[1:2, 1:2] = 0.5
        made = vectors.astype(np.float64) @ cells + (0 if start is None else start)
        return (made if spec.output.is_float else np.rint(made)).astype(spec.output.numpy)


def measured(own_board: Callable[[type[NumpyCore]], str], **options: float) -> ContractReport:
    return device_contract(own_board(Deviating), **options)


def test_deviations_are_told_per_crossbar_row_and_cell(own_board: Callable[[type[NumpyCore]], str]) -> None:
    report = measured(own_board, tolerance=0.25, stuck=0.01)
    assert len(report.sweeps) == 8 and {sweep.core for sweep in report.sweeps} == {0, 1}
    for sweep in report.sweeps:
        assert sweep.worst_cell == (2, 3) and sweep.rows.argmax() == 2
        np.testing.assert_allclose(np.abs(sweep.deviation[2, 3]), 0.2, rtol=1e-6)
        np.testing.assert_allclose(np.abs(sweep.deviation[:, 5]), 0.01, rtol=1e-4)
        assert np.argwhere(sweep.stuck).tolist() == [[1, 1]] and sweep.disturbance[1, 1] == 0.5
        assert np.delete(sweep.disturbance.ravel(), 17).max() == 0
        assert sweep.mean == pytest.approx((0.2 + 16 * 0.01) / 255, rel=1e-4)
    assert "worst cell [2, 3]" in str(report) and "1 stuck: [1, 1]" in report.lines[-1]
    assert json.loads(json.dumps(report.to_dict()))["sweeps"][0]["stuck"] == [[1, 1]]


@pytest.mark.parametrize(
    ("options", "case"),
    [
        ({"tolerance": 0.1, "stuck": 0.01}, "single cells: each reads what was written, or nothing: 20.00%, and the"),
        ({"tolerance": 0.25, "stuck": 0.001}, "stuck cells: nearly all cells take what is written: 0.39%, and the"),
        ({"tolerance": 0.0}, "type f32"),
    ],
)
def test_cells_may_not_deviate_further(
    own_board: Callable[[type[NumpyCore]], str], options: dict[str, float], case: str
) -> None:
    assert f"{FAILED:8}{case}" in broken(own_board(Deviating), crossbars=1, **options)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"exact": False}, "give tolerance"),
        ({"tolerance": -0.1}, "tolerance=-0.1 is no share"),
        ({"tolerance": float("nan")}, "tolerance=nan is no share"),
        ({"tolerance": 0.1, "stuck": 1}, "stuck=1 is no share"),
        ({"tolerance": 0.1, "crossbars": 0}, "crossbars=0 sweeps nothing"),
        ({"cores": 0}, "cores 0 is impossible"),
    ],
)
def test_options_that_say_nothing(options: dict[str, float], words: str) -> None:
    with pytest.raises(InputError, match=words):
        device_contract("numpy", **options)


def test_a_back_end_that_cannot_be_had_breaks_no_contract() -> None:
    with pytest.raises(DeviceError, match="'nobody' is unknown"):
        device_contract("nobody")


def test_an_installed_back_end_is_found_by_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    info = tmp_path / "desk-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: desk\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[reram_emu.devices]\ndesk = launch.devices.oracle:NumpyCore\n")
    monkeypatch.syspath_prepend(tmp_path)
    assert device_contract("desk", cores=1).passed
