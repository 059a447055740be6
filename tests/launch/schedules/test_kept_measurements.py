"""Measurements that are kept in a file, and cases that are refused."""

import json
import re

import pytest

from emu.errors import InputError
from launch.schedules import measuring
from launch.schedules.case import Case, Outcome
from launch.schedules.kept import Kept
from launch.schedules.measuring import measured

CASE = Case(network="lenet5", schedule="unscheduled", chip="isaac", types="float32", cores=16)


def test_what_is_kept_is_not_measured_again(tmp_path, monkeypatch):
    file, found = tmp_path / "k.json", Outcome(cores=3, latency_ps=7, energy_pj=1.5)
    Kept(file).add(CASE, found)
    monkeypatch.setattr(measuring, "network_of", None)  # nothing is built
    assert list(measured([CASE], Kept(file), int)) == [(CASE, found)]


def test_measurements_of_another_version_do_not_count(tmp_path):
    file = tmp_path / "k.json"
    Kept(file).add(CASE, Outcome(cores=3))
    file.write_text(json.dumps(json.loads(file.read_text()) | {"version": "0"}))
    assert Kept(file).get(CASE) is None


@pytest.mark.parametrize("text", ["x", "[]", '{"measured": 3}', '{"measured": {"a": {"speed": 1}}}'])
def test_another_file_is_refused(tmp_path, text):
    file = tmp_path / "k.json"
    file.write_text(text)
    with pytest.raises(InputError, match="is no file of kept measurements: name another file, or remove it"):
        Kept(file)
    assert file.read_text() == text


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"chip.cores": 1}, "the network needs .* crossbars, which take .* cores"),
        ({"crossbar.rows": 0}, "crossbar.rows"),
    ],
)
def test_what_does_not_fit_is_a_sentence_without_paths(changes, said):
    case = Case(network="lenet5", schedule="unscheduled", chip="cim-mlc-jain", types="float32", changes=changes)
    ((_, outcome),) = measured([case], Kept(None), lambda: None)
    assert re.search(said, outcome.reason), outcome.reason
    assert "/" not in outcome.reason and outcome.latency_ps == 0


def test_what_has_no_peak_still_has_its_times(monkeypatch):
    case = Case(network="lenet5", schedule="unscheduled", chip="cim-mlc-isaac", types="float32", peak=True)
    ((_, whole),) = measured([case], Kept(None), lambda: None)
    assert whole.peak_crossbars and not whole.no_peak
    monkeypatch.setattr("emu.timing.power.operations.KEPT", 10)
    ((_, outcome),) = measured([case], Kept(None), lambda: None)
    assert re.search("no peak power: more than 10 operations .*: ask for fewer samples", outcome.no_peak)
    assert (outcome.latency_ps, outcome.reason, outcome.peak_crossbars) == (whole.latency_ps, "", None)
