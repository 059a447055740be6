"""Measurements that are kept in a file."""

import json

import pytest
from papers import made

from emu.errors import InputError
from launch.papers.channel_wise import measuring
from launch.papers.frame.kept import KeptValues


def test_what_is_kept_is_not_measured_again(tmp_path, monkeypatch):
    file = tmp_path / "k.json"
    first = made("raptor/instructions", KeptValues(file), sizes=(2,))
    monkeypatch.setattr(measuring, "instructions", None)
    again = made("raptor/instructions", KeptValues(file), sizes=(2,))
    assert again.rows == first.rows and again.seconds == first.seconds


def test_a_reason_is_kept_too(tmp_path, monkeypatch):
    file, wanted = tmp_path / "k.json", {"networks": ("lenet5",), "schedules": ("unscheduled",), "types": "float32"}
    first = made("cim-mlc/jain", KeptValues(file), **wanted, arch="tiny")
    monkeypatch.setattr("launch.papers.schedules.measuring.measure", None)
    (row,) = made("cim-mlc/jain", KeptValues(file), **wanted, arch="tiny").rows
    assert row["reason"] and row == first.rows[0]


def test_measurements_of_another_version_do_not_count(tmp_path):
    file = tmp_path / "k.json"
    KeptValues(file).add("a", {"cores": 3})
    assert KeptValues(file).get("a") == {"cores": 3}
    file.write_text(json.dumps(json.loads(file.read_text()) | {"version": "0"}))
    assert KeptValues(file).get("a") is None


@pytest.mark.parametrize("text", ["x", "[]", '{"measured": 3}', '{"measured": {"a": {"speed": 1}}, "digest": "0"}'])
def test_another_file_is_refused(tmp_path, text):
    file = tmp_path / "k.json"
    file.write_text(text)
    with pytest.raises(InputError, match="is no file of kept measurements: name another file, or remove it"):
        KeptValues(file)
    assert file.read_text() == text


def test_what_was_changed_by_hand_is_refused(tmp_path):
    file = tmp_path / "k.json"
    KeptValues(file).add("a", {"cores": 3})
    file.write_text(file.read_text().replace("3", "4", 1))
    with pytest.raises(InputError, match="is no file of kept measurements"):
        KeptValues(file)
