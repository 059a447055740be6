"""The board: rows and views show the same words, whoever writes them, for any number of cores."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from emu.arch.chip import MAX_CORES
from emu.noc.watch.board import Activity, Board, BoardLayout, BoardWord, among


@pytest.mark.parametrize("count", [0, 1, 3])
def test_every_word_has_one_place(count):
    board = Board(bytearray(Board.size(count)), range(count))
    pairs = board.sent, board.taken, board.synced, board.acknowledged
    parts = (board.rows, *pairs, board.events, board.balances, board.bells, board.node)
    for value, part in enumerate(parts, 1):
        part[...] = value
    board.horizon[...] = 7
    assert [int(part.sum()) for part in parts] == [value * part.size for value, part in enumerate(parts, 1)]
    assert Board.size(count) == 8 * BoardLayout.of(count).end == 8 * (sum(part.size for part in parts) + 1)


def test_a_row_writes_what_the_board_reads():
    board = Board(bytearray(Board.size(3)), [2, 5, 7])
    row = board.row(5)
    row.does(Activity.RECV, 7, 3, 4)
    row.sent(2, 11)
    row.took(7, 12)
    row.synced(7)
    row.events(13)
    row.leaves(1, 14)
    assert board.rows[1, BoardWord.ACTIVITY : BoardWord.NEED + 1].tolist() == [Activity.RECV, 7, 3, 4]
    assert (board.sent[1, 0], board.taken[1, 2], board.synced[1, 2]) == (11, 12, 1)
    assert (board.events[1], board.balances[1, 1]) == (13, 14)
    assert not row.may_begin(0)
    board.horizon[0] = 1
    assert row.may_begin(0) and not row.may_begin(1)


def test_a_board_of_the_most_cores_takes_what_is_written_to_it():
    board = Board.private(range(MAX_CORES))
    board.row(MAX_CORES - 1).took(0, 7)
    assert board.taken[MAX_CORES - 1, 0] == 7


def test_who_waits_for_the_message_with_which_a_sample_begins_is_idle_until_it_may_begin():
    board = Board(bytearray(Board.size(2)), [4, 5])
    row = board.row(5)
    row.at(("main", 3, (1, 2), 0), 0)
    place = row.place()
    row.at(("main", 9, (), 0), 0)
    row.idle(0)
    row.awaits(place, 4, 7)
    idle = board.standing()[1]
    assert (idle[BoardWord.ACTIVITY], idle[BoardWord.SAMPLE], idle[BoardWord.FINISHED]) == (Activity.IDLE, 0, 2)
    board.horizon[0] = 1
    assert (board.standing()[1] == idle).all()
    board.horizon[0] = 2
    waits = board.standing()[1].tolist()
    words = BoardWord.ACTIVITY, BoardWord.PEER, BoardWord.INDEX, BoardWord.NEED, BoardWord.AT, BoardWord.SAMPLE
    assert [waits[word] for word in words] == [Activity.RECV, 4, 7, 8, 3, 1]
    assert waits[BoardWord.DEPTH] == 2 and waits[BoardWord.COUNTERS : BoardWord.COUNTERS + 2] == [1, 2]
    row.idle(1)
    board.horizon[0] = 9
    assert board.standing()[1][BoardWord.ACTIVITY] == Activity.IDLE  # it waits for no message


@given(st.sets(st.sampled_from(Activity)), st.lists(st.integers(-(1 << 63), (1 << 63) - 1) | st.integers(-2, 14)))
def test_words_are_among_activities_or_none(chosen, words):
    """A board that somebody damaged may hold any words."""
    assert among(chosen)(np.array(words, np.int64)).tolist() == [word in chosen for word in words]


@given(st.integers(1, 5).flatmap(lambda samples: st.permutations([*range(4)] * samples)))
def test_only_the_last_core_sees_that_all_have_finished_a_sample(turns):
    """Cores may be samples ahead of each other; each looks when it has finished one."""
    board = Board.private([5, 2, 9, 3])
    board.hang_bells()
    rows, finished = [board.row(core) for core in board.cores], [0] * 4
    for place in turns:
        sample = finished[place]
        rows[place].idle(sample)
        finished[place] += 1
        assert rows[place].ended_by_all(sample) == (min(finished) > sample)
