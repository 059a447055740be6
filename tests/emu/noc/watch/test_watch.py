"""The status board tells deadlocks exactly as the in-process scheduler does, and never takes delay for one."""

import tempfile
from pathlib import Path

import pytest
from program_sets import DEADLOCKS, RENDEZVOUS_ONLY
from stepper import program
from wired import WiredChip

from emu.noc.watch.board import Activity, Board
from emu.noc.watch.watch import ALL_SAMPLES, Watch


@pytest.fixture
def directory():
    with tempfile.TemporaryDirectory() as path:
        yield Path(path)


def look_twice(watch: Watch):
    return watch.deadlock() or watch.deadlock()


@pytest.mark.parametrize("flow", ["rendezvous", "credits:8"])
@pytest.mark.parametrize("name", DEADLOCKS)
def test_the_board_names_the_same_edges(directory, name, flow):
    programs, edges, halted = DEADLOCKS[name]
    with WiredChip(programs, directory, flow) as chip:
        chip.run()
        report = look_twice(chip.watch)
        if flow != "rendezvous" and name in RENDEZVOUS_ONLY:
            assert report is None and chip.halted == set(programs)
            return
        assert [edge.edge for edge in report.edges] == edges and report.halted == halted
        for edge in report.edges:
            assert (edge.place.section, edge.place.index) == ("main", chip.machines[edge.core].position()[1])
            assert edge.place.instruction == edge.direction.value


def test_nothing_is_declared_while_a_message_an_answer_or_an_event_is_in_flight(directory):
    programs = {
        0: program(0, ("send", 1, 0, 4), ("sync", 1, 2), ("recv", 1, 0, 4)),
        1: program(1, ("recv", 0, 0, 4), ("wait", 2, 1), ("send", 0, 0, 4)),
    }
    with WiredChip(programs, directory) as chip:
        chip.run(idle_turns=0)
        for core in chip.machines:
            chip.machines[core].begin("main", 0)
        for core in (1, 0, 0, 1, 1, 1, 0):  # every order in which one core stands still while the other moves
            chip.turn(core)
            assert look_twice(chip.watch) is None
        chip.node_socket.poll(20)
        chip.turn(1)
        assert look_twice(chip.watch) is None


def test_unfinished_cores_are_described(directory):
    programs = DEADLOCKS["chain to a halted core"][0]
    with WiredChip(programs, directory) as chip:
        assert chip.watch.unfinished() == [f"core {core} was starting" for core in programs]
        chip.run()
        first, second = chip.watch.unfinished()
        assert first == "core 0 waited for message 0 from core 1 at main[0] recv (sample 0)"
        assert second.startswith("core 1 waited for message 1 from core 2 at main[2] recv")


def test_a_sample_is_settled_once_no_core_can_go_on_in_it(directory):
    programs = {0: program(0, ("send", 1, 0, 4)), 1: program(1, ("recv", 0, 0, 4)), 2: program(2, ("recv", 1, 0, 4))}
    with WiredChip(programs, directory) as chip:
        assert look_twice(chip.watch) is None and chip.watch.settled() == -2  # not even `init` has ended
        chip.run()
        assert look_twice(chip.watch) is not None and chip.watch.settled() == 0  # two have ended, one never will
        chip.rows[1].does(Activity.TRAPPED)
        chip.rows[0].does(Activity.TRAPPED)
        assert look_twice(chip.watch) is not None and chip.watch.settled() == ALL_SAMPLES
        chip.rows[2].does(Activity.RUNNING)  # it goes on
        assert look_twice(chip.watch) is None and chip.watch.settled() == -2


def test_syncs_that_are_known_of_different_moments_prove_nothing():
    """The sync that has come is one that its sender is not yet known to have sent; another one is on its way."""
    programs = {
        0: program(0, ("wait", 0, 3), ("wait", 1, 1)),
        1: program(1, ("sync", 0, 0), ("sync", 0, 0)),
        2: program(2, ("sync", 0, 0)),
    }
    board = Board(bytearray(Board.size(3)), list(programs))
    waiting, first, second = (board.row(core) for core in programs)
    for row in (waiting, first, second):
        row.at(("main", 0, (), 0), 0)
    waiting.does(Activity.WAIT, -1, 0)
    first.idle(0)
    second.idle(0)
    first.synced(0)
    waiting.events(1)
    watch = Watch(board, programs)
    waiting.events(2)
    second.synced(0)
    assert watch.deadlock() is None
    assert look_twice(watch) is not None  # as if that were all


def test_who_sleeps_until_a_message_comes_can_be_part_of_a_deadlock():
    """Core 1 has begun sample 1, and waits for core 0, which begins it with a receive and has not been woken."""
    programs = {0: program(0, ("recv", 1, 0, 4), ("send", 1, 0, 4)), 1: program(1, ("recv", 0, 0, 4))}
    board = Board(bytearray(Board.size(2)), list(programs))
    sleeping, other = board.row(0), board.row(1)
    sleeping.at(("main", 0, (), 0), 0)
    place = sleeping.place()
    sleeping.idle(0)
    sleeping.awaits(place, 1, 0)
    board.horizon[0] = 1
    other.idle(0)
    watch = Watch(board, programs)
    assert look_twice(watch) is None and watch.settled() == 0 and watch.overdue() is None
    board.horizon[0] = 2
    other.at(("main", 0, (), 1), 1)
    other.does(Activity.RECV, 0, 0, 1)
    report = look_twice(watch)
    assert report.cycle and [str(edge.place) for edge in report.edges] == ["main[0] recv (sample 1)"] * 2
    assert watch.unfinished()[1] == "core 0 waited for message 0 from core 1 at main[0] recv (sample 1)"
    other.sent(0, 1)
    assert look_twice(watch) is None  # it will wake
    other.idle(1)
    overdue = watch.overdue()
    assert overdue is not None and "message 0 from core 1 to core 0 was lost" in str(watch.losses(overdue)[0])
