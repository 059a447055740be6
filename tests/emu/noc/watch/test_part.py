"""The part of a board that some cores write, carried to another board: all of it, nothing else, and rows whole."""

import numpy as np

from emu.noc.traffic.traffic import Peers
from emu.noc.watch.board import MAX_SAMPLES, ROW, Activity, Board, BoardWord
from emu.noc.watch.part import BoardPart

CORES = [3, 4, 7]
PEERS = {3: Peers((4, 7), ()), 4: Peers((7,), (3,)), 7: Peers((), (3, 4))}


def boards(count):
    return [Board.private(CORES) for _ in range(count)]


def parts(board):
    return BoardPart(board, {3: PEERS[3], 7: PEERS[7]}, node=True), BoardPart(board, {4: PEERS[4]})


def test_the_parts_carry_all_that_their_cores_write():
    here, there = boards(2)
    for core, peers in PEERS.items():
        row = here.row(core)
        row.belongs(100 + core)
        row.at(("main", core, (1, 2), 0), 5)
        row.does(Activity.WAIT, -1, core)
        row.leaves(5, core)
        row.events(core)
        for peer in peers.outgoing:
            row.sent(peer, core)
            row.synced(peer)
        for peer in peers.incoming:
            row.took(peer, core)
    here.node_row().does(Activity.RUNNING)
    here.horizon[0] = 9
    for part in parts(here):
        there.flat[part.words] = part.read()
    assert np.array_equal(there.flat, here.flat)


def test_no_part_says_anything_of_another():
    (here,) = boards(1)
    first, second = (set(part.words.tolist()) for part in parts(here))
    assert first.isdisjoint(second)
    assert {*second} >= {here.layout.rows + ROW + word for word in range(ROW)}
    assert len(second) == ROW + 2 + 1 + 1 + MAX_SAMPLES  # pairs: to 7, messages and syncs; from 3


class MovingBoard:
    """A board whose core 4 goes on whenever words have been read."""

    def __init__(self, board):
        self.place, self.layout, self.cores, self.flat = board.place, board.layout, board.cores, self
        self._words, self._row = board.flat, board.row(4)

    def __getitem__(self, words):
        found = self._words[words]
        self._row.does(Activity.RECV, 3, 0, 1)
        return found


def test_a_row_that_changes_while_it_is_read_says_so():
    (here,) = boards(1)
    assert BoardPart(MovingBoard(here), {4: PEERS[4]}).read()[BoardWord.CHANGES] % 2 == 1
    assert BoardPart(here, {4: PEERS[4]}).read()[BoardWord.CHANGES] % 2 == 0
