"""Copies of a board arrive as they were taken, in whatever pieces, with the time of the question that they answer."""

import math
import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from emu.errors import InputError
from emu.noc.traffic.traffic import Peers
from emu.noc.watch.board import Board
from emu.noc.watch.part import BoardPart
from launch.machines import snapshots
from launch.machines.snapshots import SnapshotReceiver, SnapshotSender

CORES = [2, 3, 5]


def ends():
    """The board of the agent, its sender, the receiver, and the numbers of its questions."""
    board = Board.private(CORES)
    asked: list[int] = []
    peers = {core: Peers({other for other in CORES if other != core}, set(CORES) - {core}) for core in CORES[:2]}
    return board, SnapshotSender(BoardPart(board, peers)), SnapshotReceiver(asked.append), asked


@given(st.lists(st.lists(st.tuples(st.integers(0, 95), st.integers(-5, 5)), max_size=9), max_size=9), st.integers(1, 9))
def test_what_has_changed_arrives(rounds, piece):
    board, sender, receiver, asked = ends()
    copy = Board.private(CORES)
    before, snapshots.PIECE = snapshots.PIECE, piece
    try:
        for changes in rounds:
            receiver.update(copy)
            for word, value in changes:
                board.flat[word] = value
            for message in sender.pieces(asked[-1]):
                receiver.take(**message)
            assert receiver.update(copy) > -math.inf
            assert np.array_equal(copy.rows[:2], board.rows[:2])
            assert not copy.rows[2].any()
    finally:
        snapshots.PIECE = before


def test_the_time_is_that_of_the_question():
    board, sender, receiver, asked = ends()
    copy = Board.private(CORES)
    assert receiver.update(copy) == -math.inf
    later = time.monotonic()
    assert receiver.update(copy) == -math.inf
    assert asked == [1]  # one question at a time
    board.rows[0, 1] = 4
    for message in sender.pieces(0):  # of itself: it is as new as it likes, but answers nothing
        receiver.take(**message)
    assert receiver.update(copy) == -math.inf
    assert copy.rows[0, 1] == 4
    for message in sender.pieces(1):
        receiver.take(**message)
    assert receiver.update(copy) <= later
    assert asked == [1, 2]


@pytest.mark.parametrize(
    ("words", "values", "said"),
    [
        (b"1234567", b"1234567", "a damaged copy"),
        (bytes(8), bytes(16), "a damaged copy"),
        ((1 << 40).to_bytes(8, "little"), bytes(8), "a copy of another status board"),
        ((-1).to_bytes(8, "little", signed=True), bytes(8), "a copy of another status board"),
    ],
)
def test_what_is_no_copy_is_refused(words, values, said):
    _, _, receiver, _ = ends()
    with pytest.raises(InputError, match=said):
        receiver.take(0, words, values, last=True)
        receiver.update(Board.private(CORES))
