"""The status board: shared memory in which every core writes what it is doing; nothing of it is on disk."""

from __future__ import annotations

import os
import struct
from collections.abc import Callable, Collection, Sequence
from enum import IntEnum
from itertools import accumulate, pairwise
from mmap import mmap
from typing import NamedTuple

import numpy as np

from emu.core.trap import INIT_SAMPLE
from emu.noc.watch.bell import BELL, Bell, bell_at

NODE = -1  # the memory node, in place of a core's number
MAX_DEPTH = 16  # loop counters kept per core; deeper ones are left out
ROW = 32  # words (int64) of one core
MAX_SAMPLES = 64  # samples that may be under way at once


class Activity(IntEnum):
    """What a core does."""

    STARTING = 0
    RUNNING = 1
    SEND = 2
    RECV = 3
    WAIT = 4
    LOAD = 5
    STORE = 6
    IDLE = 7  # finished `sample`, waits for the next one; with a peer: for the message of it with which that begins
    HALTED = 8  # in no row: what people call IDLE after the last sample of a run
    TRAPPED = 9
    BINDING = 10  # from here on: joins the run; has said where it listens (the memory node: waits for who has not)
    GREETING = 11  # waits for the answers of its peers
    READY = 12  # waits until all are ready


def among(activities: Collection[Activity]) -> Callable[[np.ndarray], np.ndarray]:
    """A function that tells which words of an array are one of `activities`: of boards, `np.isin` would take long."""
    table = np.isin(np.arange(-1, len(Activity) + 1), list(activities))  # at both ends: words that are no activity
    return lambda words: table.take(words + 1, mode="clip")


class BoardWord(IntEnum):
    """The words of a row."""

    CHANGES = 0  # odd while the row is being written, and from a new position until the core says what it does there
    ACTIVITY = 1
    PEER = 2
    INDEX = 3  # message of the pair, or event
    NEED = 4  # what the peer's count must reach
    SECTION = 5  # 0: init, 1: main
    AT = 6  # instruction
    SAMPLE = 7
    DEPTH = 8
    COUNTERS = 9
    FINISHED = COUNTERS + MAX_DEPTH  # `init` and samples finished
    PROCESS = FINISHED + 1  # number of the core's process; 0 until it runs
    STEPPED = PROCESS + 1  # loops that had to be stepped for lack of a plan
    SAID = STEPPED + 1  # how often it has said what was not answered, while it joins


SECTIONS = ("init", "main")

# Plain integers and groups of words (native, so that each word is written at once): a core does this per message.
_RUNNING, _IDLE, _PROCESS = int(Activity.RUNNING), int(Activity.IDLE), int(BoardWord.PROCESS)
_STEPPED, _SAID = int(BoardWord.STEPPED), int(BoardWord.SAID)
_SECTION, _AT, _SAMPLE, _COUNTERS, _FINISHED = (
    int(w) for w in (BoardWord.SECTION, BoardWord.AT, BoardWord.SAMPLE, BoardWord.COUNTERS, BoardWord.FINISHED)
)
_ACTIVITY = struct.Struct("4q")  # ACTIVITY, PEER, INDEX, NEED
_POSITION = struct.Struct("4q")  # SECTION, AT, SAMPLE, DEPTH


class BoardLayout(NamedTuple):
    """The first word of each part of a board, and one past the last."""

    rows: int
    sent: int
    taken: int
    synced: int
    events: int
    balances: int
    acknowledged: int
    bells: int
    horizon: int
    node: int
    end: int

    @classmethod
    def of(cls, cores: int) -> BoardLayout:
        """The layout for so many cores."""
        square = cores * cores
        counters = square, square, square, cores, cores * MAX_SAMPLES
        return cls(*accumulate((cores * ROW, *counters, square + cores, cores * BELL, 1, ROW), initial=0))


class Board:
    """Rows of all cores; matrices [core][core] of messages sent, taken, syncs sent; counts of each core; the horizon.

    Each word has one writer. `sent[a, b]` is written by a, `taken[b, a]` (messages of a that b took) by b, and the
    horizon, the number of samples that may begin, by the memory node, which has a row of its own, `node`.
    `balances[core][sample % MAX_SAMPLES]` is what the core had sent less what it had taken at the end of a sample: over
    all cores, the messages that were left over. `flat` are all words.

    Those who share a board acknowledge by it: a word for each pair says how many messages (of the memory node: stores)
    were acknowledged, or of which size the one was that refused the next; and each core has a bell, at which it is
    woken. Cores (and NODE) that are `elsewhere` have another board, and must be told by messages.
    """

    def __init__(self, memory: mmap | bytearray, cores: Sequence[int], elsewhere: Collection[int] = ()) -> None:
        self.cores, self.elsewhere = list(cores), frozenset(elsewhere)
        self.place = {core: k for k, core in enumerate(self.cores)}
        count = len(self.cores)
        self.words = memoryview(memory).cast("q")
        self.layout = BoardLayout.of(count)
        self.flat = flat = np.frombuffer(memory, np.int64, self.layout.end)
        parts = [flat[begin:end] for begin, end in pairwise(self.layout)]
        self.rows, self.events, self.horizon = parts[0].reshape(count, ROW), parts[4], parts[8]
        self.sent, self.taken, self.synced = (part.reshape(count, count) for part in parts[1:4])
        self.balances, self.acknowledged = parts[5].reshape(count, MAX_SAMPLES), parts[6].reshape(count + 1, count)
        self.bells, self.node = parts[7], parts[9]

    @staticmethod
    def size(count: int) -> int:
        """Bytes of a board of `count` cores; untouched pages cost nothing."""
        return 8 * BoardLayout.of(count).end

    @classmethod
    def private(cls, cores: Sequence[int]) -> Board:
        """A board in memory of this process alone, of which untouched pages cost nothing.

        A memory file: anonymous memory that is larger than the machine's is refused, touched or not.
        """
        memory = os.memfd_create("emu-board", os.MFD_CLOEXEC)
        try:
            size = max(1, cls.size(len(cores)))
            os.ftruncate(memory, size)
            return cls(mmap(memory, size), cores)
        finally:
            os.close(memory)

    def standing(self) -> np.ndarray:
        """A copy of the rows (int64 [cores, ROW]) in which who waits for the message with which a sample begins, that
        may begin, is in that sample."""
        rows, may = self.rows.copy(), int(self.horizon[0])
        finished = rows[:, BoardWord.FINISHED]
        late = (rows[:, BoardWord.ACTIVITY] == Activity.IDLE) & (rows[:, BoardWord.PEER] >= 0) & (finished <= may)
        rows[late, BoardWord.ACTIVITY] = Activity.RECV
        rows[late, BoardWord.SAMPLE] = finished[late] - 1
        return rows

    def hang_bells(self) -> None:
        """Make the bells of fresh memory; once, before anybody uses them."""
        for core in self.cores:
            self.bell(core).hang()

    def bell(self, core: int) -> Bell:
        """The bell of `core`."""
        return bell_at(self.flat, self.layout.bells + self.place[core] * BELL)

    @property
    def processes(self) -> dict[int, int]:
        """The process of each core that runs already."""
        processes = zip(self.cores, self.rows[:, BoardWord.PROCESS].tolist(), strict=True)
        return {core: process for core, process in processes if process}

    @property
    def stepped(self) -> dict[int, int]:
        """Per core, where there are some, the loops that had to be stepped for lack of a plan."""
        return {
            core: count
            for core, count in zip(self.cores, self.rows[:, BoardWord.STEPPED].tolist(), strict=True)
            if count
        }

    def row(self, core: int) -> BoardRow:
        """The row of `core`, for the core itself to write."""
        return BoardRow(self, core)

    def node_row(self) -> NodeRow:
        """The row of the memory node, for itself to write."""
        return NodeRow(self)


class ActivityRow:
    """What a core, or the memory node, writes of what it does, from the word `row` on."""

    def __init__(self, words: memoryview, row: int) -> None:
        self._words, self._row = words, row
        self._changes = 0

    def belongs(self, process: int) -> None:
        """The core runs in `process`."""
        self._words[self._row + _PROCESS] = process

    def said(self) -> None:
        """It has said all that was not answered."""
        self._words[self._row + _SAID] += 1

    def does(self, activity: int, peer: int = -1, index: int = 0, need: int = 0) -> None:
        """It now does `activity`, with `peer` where there is one."""
        words, row = self._words, self._row
        words[row] = changes = self._changes | 1
        _ACTIVITY.pack_into(words, 8 * row + 8, activity, peer, index, need)
        words[row] = self._changes = changes + 1


class SharingRow(ActivityRow):
    """The row of somebody who acknowledges, on `board`, what has come from those who share it."""

    def __init__(self, board: Board, row: int, own: int) -> None:
        super().__init__(board.words, row)
        self._place, self._elsewhere = board.place, board.elsewhere
        self._shown = board.layout.acknowledged + own * len(board.cores)
        self._board, self._bells = board, dict[int, Bell]()

    def shares(self, peer: int) -> bool:
        """Whether `peer` (NODE: the memory node) has the same board."""
        return peer not in self._elsewhere

    def acknowledges(self, peer: int, count: int) -> None:
        """`count` messages of `peer`, which shares the board, have been taken: it may go on."""
        self._words[self._shown + self._place[peer]] = count
        self.wakes(peer)

    def refuses(self, peer: int, size: int) -> None:
        """The next message of `peer`, which shares the board, is none of `size` bytes, as was wanted."""
        self.acknowledges(peer, -1 - size)

    def wakes(self, peer: int) -> None:
        """`peer` must look at the board, if it waits for what others write there."""
        bell = self._bells.get(peer)
        if bell is None:
            bell = self._bells[peer] = self._board.bell(peer)
        bell.ring()


class NodeRow(SharingRow):
    """What the memory node writes to the board."""

    def __init__(self, board: Board) -> None:
        super().__init__(board, board.layout.node, len(board.cores))


class BoardRow(SharingRow):
    """What one core writes to the board: `at` before a request, `does` if it may block, `runs` when it is complete."""

    def __init__(self, board: Board, core: int) -> None:
        own, count, parts = board.place[core], len(board.cores), board.layout
        super().__init__(board, parts.rows + own * ROW, own)
        self._answers, self._count = parts.acknowledged + own, count
        self._ends = board.rows[:, _FINISHED]
        self._behind = self._row + _FINISHED  # the word in which the core says how far it is that was behind all others
        self.bell = board.bell(core)
        self._sent, self._taken, self._synced = (part + own * count for part in (parts.sent, parts.taken, parts.synced))
        self._events, self._balances = parts.events + own, parts.balances + own * MAX_SAMPLES
        self._horizon = parts.horizon

    def stepped(self, loops: int) -> None:
        """The core has stepped `loops` of its loops so far, which it might have planned."""
        self._words[self._row + _STEPPED] = loops

    def at(self, position: tuple[str, int, tuple[int, ...], int], sample: int) -> None:
        """The core has reached `position` (section, index, counters, sample), and is not blocked."""
        section, index, counters, _ = position
        words, row = self._words, self._row
        self._changes |= 1
        words[row] = self._changes
        _POSITION.pack_into(
            words, 8 * (row + _SECTION), section == "main", index, sample, min(len(counters), MAX_DEPTH)
        )
        if counters:
            for k, count in enumerate(counters[:MAX_DEPTH], row + _COUNTERS):
                words[k] = count

    def runs(self) -> None:
        """The core goes on. Its next request counts as a change; until then counters prove a copied row out of date."""
        self._words[self._row + 1] = _RUNNING

    def idle(self, sample: int) -> None:
        """The core has finished `sample` (INIT_SAMPLE: `init`)."""
        self._words[self._row + _SECTION] = sample != INIT_SAMPLE
        self._words[self._row + _SAMPLE] = sample
        self.does(_IDLE)
        self._words[self._row + _FINISHED] = sample + 2

    def place(self) -> memoryview:
        """A copy of the words of the position that it has reached."""
        return memoryview(self._words[self._row + _AT : self._row + _FINISHED].tobytes()).cast("q")

    def awaits(self, place: memoryview, peer: int, index: int) -> None:
        """Idle, the core waits for message `index` of `peer`, with which the next sample begins at `place`."""
        self._changes |= 1
        self._words[self._row] = self._changes
        sample = self._words[self._row + _SAMPLE]
        self._words[self._row + _AT : self._row + _FINISHED] = place
        self._words[self._row + _SAMPLE] = sample
        self.does(_IDLE, peer, index, index + 1)

    def leaves(self, sample: int, balance: int) -> None:
        """What the core leaves at the end of `sample`: see `Board`."""
        self._words[self._balances + sample % MAX_SAMPLES] = balance

    def acknowledged(self, peer: int) -> int:
        """How many messages (NODE: stores) `peer` has acknowledged; -1 - size: it refuses the next, see `refuses`."""
        return self._words[self._answers + self._place.get(peer, self._count) * self._count]

    def ended_by_all(self, sample: int) -> bool:
        """Whether all cores have finished `sample`, as this one has. The last of them sees it.

        Who was behind all others when this core looked last is so again in most samples, and is looked at first.
        """
        self.bell.fence()
        if self._words[self._behind] < sample + 2:
            return False
        last = int(self._ends.argmin())
        self._behind = self._board.layout.rows + last * ROW + _FINISHED
        return bool(self._ends[last] >= sample + 2)

    def may_begin(self, sample: int) -> bool:
        """Whether the inputs of `sample` are there."""
        return self._words[self._horizon] > sample

    def sent(self, peer: int, count: int) -> None:
        """`count` messages have been sent to `peer`."""
        self._words[self._sent + self._place[peer]] = count

    def took(self, peer: int, count: int) -> None:
        """`count` messages of `peer` have been taken."""
        self._words[self._taken + self._place[peer]] = count

    def synced(self, peer: int) -> None:
        """One more sync goes to `peer`."""
        self._words[self._synced + self._place[peer]] += 1

    def events(self, count: int) -> None:
        """`count` syncs have arrived and did not suffice for a `wait`."""
        self._words[self._events] = count
