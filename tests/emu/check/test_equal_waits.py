"""Waits for an exact value: met in every order, or not proved; and what they do when it is passed."""

import json

import pytest

from emu.check import check
from emu.image.reader import open_image
from emu.interop.pim_isa.importing.import_program import ImportRequest, import_program
from emu.noc.ports.events import EventRegisters
from launch.chips.sequential import SequentialChip
from launch.processes.options import RunOptions
from launch.supervision.errors import Deadlock

SYNC = {"op": "sync", "core": 0, "event_register": 3}


def wait(value):
    return {"op": "wait", "event_register": 3, "wait_value": value}


def message(op, core):
    return {"op": op, "rd": 1, "core": core, "size": 0}


def imported(tmp_path, first, second, events="equal"):
    program = {"config": {"core_cnt": 2}, "core0": first, "core1": second}
    (tmp_path / "program.json").write_text(json.dumps(program))
    import_program(ImportRequest(path=tmp_path / "program.json", events=events), tmp_path / "out")
    return open_image(tmp_path / "out")


def run(image, engine="step"):
    return SequentialChip(image, RunOptions(sequential=True, engine=engine), ()).run({})


@pytest.mark.parametrize("engine", ["step", "batch"])
def test_a_wait_for_all_syncs(tmp_path, engine):
    image = imported(tmp_path, [wait(3)], [SYNC] * 3)
    assert check(image).proved
    assert run(image, engine) == {}


def test_syncs_for_two_waits_in_a_row(tmp_path):
    first, second = [message("recv", 1), wait(1), wait(1)], [SYNC, SYNC, message("send", 0)]
    assert check(imported(tmp_path, first, second, "at-least")).proved
    image = imported(tmp_path, first, second)
    report = check(image)
    assert [verdict.key for verdict in report.unproved] == ["messages"] and not report.refuted
    assert "core 0 at main[1]" in report.unproved[0].detail
    with pytest.raises(Deadlock, match="event 3"):
        run(image)


def test_a_message_between_them_orders_the_syncs(tmp_path):
    image = imported(tmp_path, [wait(1), message("send", 1), wait(1)], [SYNC, message("recv", 0), SYNC])
    assert check(image).proved
    assert run(image) == {}


def test_a_value_that_was_there_between_two_looks():
    registers = EventRegisters(4)
    assert not registers.wait(2, 1, 0, equal=True)
    registers.sync(2, 0)
    registers.sync(2, 0)
    assert registers.wait(2, 1, 0, equal=True)
    assert registers.wait(2, 1, 0, equal=True)  # the second sync
    assert not registers.wait(2, 1, 0, equal=True)


def test_a_value_that_has_been_passed():
    registers = EventRegisters(4)
    registers.sync(2, 0)
    registers.sync(2, 0)
    assert not registers.wait(2, 1, 0, equal=True)
    kept = registers.save()
    registers.sync(2, 0)
    assert not registers.wait(2, 1, 0, equal=True)
    registers.restore(kept)
    assert not registers.wait(2, 1, 0, equal=True) and registers.wait(2, 2, 0, equal=True)
