"""The memory of observers: what is copied of it, and when; and what another machine may not write there."""

import os
import secrets

import pytest

from emu.errors import InputError
from emu.noc.watch.board import Board
from launch.processes.observed_memory import PIECE, ObservedMemory, parts_of, private_memories, put
from launch.processes.options import RunOptions
from launch.processes.orders import Orders, ProcessOptions

ROWS = (24, 0, PIECE + 4096)  # bytes per core of three observers
CORES = [3, 4, 7, 9]


def orders(here, rows=ROWS):
    return Orders(
        image="",
        programs=CORES,
        idle=[1],
        here=here,
        options=ProcessOptions.of(RunOptions()),
        keep={},
        token=b"",
        started=0.0,
        observers=[("none", None, row) for row in rows],
        global_size=0,
        outputs=[],
        largest=0,
    )


@pytest.fixture
def file():
    descriptor = os.memfd_create("emu-test", os.MFD_CLOEXEC)
    yield descriptor
    os.close(descriptor)


def copied(memory, into, given, whole=False):
    pieces = [list(piece) for piece in memory.pieces(whole)]
    put(pieces, into, parts_of(given), "host h1")
    return sum(len(data) for _, _, data in pieces)


def test_parts_are_the_rows_of_neighbours():
    assert parts_of(orders([3, 4, 9, 1])) == [
        [(0, 48), (72, 96)],
        [],
        [(0, 2 * ROWS[2]), (3 * ROWS[2], 4 * ROWS[2])],
    ]
    assert parts_of(orders([1])) == [[], [], []]


def test_only_what_has_changed_in_own_rows_is_copied(file):
    given = orders([4, 7])
    memory, into = ObservedMemory(given, file), private_memories(ROWS, len(CORES))
    assert os.fstat(file).st_size >= Board.size(len(CORES)) + 4 * (ROWS[0] + ROWS[2])
    small, none, large = memory.memories
    assert none is None and into[1] is None and copied(memory, into, given) == 0
    small[24:72] = mine = secrets.token_bytes(48)
    large[: 4 * ROWS[2]] = data = secrets.token_bytes(4 * ROWS[2])  # those of others, too
    assert copied(memory, into, given) == 48 + 2 * ROWS[2]
    assert into[0][:] == bytes(24) + mine + bytes(24)
    assert into[2][:] == bytes(ROWS[2]) + data[ROWS[2] : 3 * ROWS[2]] + bytes(ROWS[2])
    assert copied(memory, into, given) == 0
    large[3 * ROWS[2] - 1] ^= 1
    assert copied(memory, into, given) == 2 * ROWS[2] % PIECE  # the last piece
    assert into[2][3 * ROWS[2] - 1] == large[3 * ROWS[2] - 1]
    assert copied(memory, into, given, whole=True) == 48 + 2 * ROWS[2]


def test_pages_that_nobody_has_written_are_neither_read_nor_made(file):
    given = orders([3, 4, 7, 9], (1 << 30,))
    memory = ObservedMemory(given, file)
    memory.memories[0][(1 << 31) + 5] = 1
    (piece,) = memory.pieces()
    assert piece.at == 1 << 31 and piece.data[5] == 1 and len(piece.data) == PIECE
    assert os.fstat(file).st_blocks * 512 < 1 << 21


@pytest.mark.parametrize(
    "piece",
    [
        None,
        [0, 0, b"8" * 8],  # of a core elsewhere
        [0, 24, b"8" * 49],
        [0, -8, b"8" * 8],
        [0, 1 << 70, b"8"],
        [1, 0, b""],
        [3, 0, b"8"],
        [-1, 0, b"8"],
        [0, 24, "text"],
        [0, 24.0, b"8"],
        [0, 24],
    ],
)
def test_what_others_may_not_write_is_refused(piece):
    into = private_memories(ROWS, len(CORES))
    with pytest.raises(InputError, match="host h1 has sent what no observer of its cores has written"):
        put([piece], into, parts_of(orders([4, 7])), "host h1")
    assert not any(into[0][:])


def test_what_are_no_pieces_at_all_is_refused():
    with pytest.raises(InputError, match="install the same version on both"):
        put({"at": 3}, private_memories(ROWS, len(CORES)), parts_of(orders([4])), "host h1")


@pytest.mark.parametrize("row", [1 << 50, 1 << 61, 1 << 70])
def test_memory_that_cannot_be_had_is_an_error(file, row):
    with pytest.raises(InputError, match=r"memory of \d+ bytes for .*trace.events"):
        ObservedMemory(orders(None, (row,)), file)
    with pytest.raises(InputError, match=r"memory of \d+ bytes for .*use fewer cores"):
        private_memories([row], len(CORES))
