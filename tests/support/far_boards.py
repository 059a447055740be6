"""Cores on several machines, driven by chance: every delay of messages, and of what is known of boards, is possible.

Ports, boards, their parts, the joined machine and the watch are real; there are no sockets, processes or clocks.
"""

from __future__ import annotations

import random
import time
from collections import deque
from collections.abc import Mapping
from types import SimpleNamespace

import numpy as np
from stepper import Stepper, program

from emu.core.progress import Progress
from emu.noc.barrier.identity import identity_of
from emu.noc.between_processes.inbox import Inbox
from emu.noc.between_processes.process_port import ProcessPort
from emu.noc.memory.memory_link import MemoryLink
from emu.noc.ports.port import FlowControl, PortFault
from emu.noc.traffic.traffic import peers_of
from emu.noc.watch.board import Activity, Board, BoardWord
from emu.noc.watch.part import BoardPart
from emu.noc.watch.watch import Watch
from emu.noc.wire.library import MORE
from emu.program.program import Program
from launch.machines.joined import JoinedMachine
from launch.processes.options import RunOptions
from launch.processes.orders import MEMORY_NODE, Orders, ProcessOptions, ProcessReport, ReportKind
from launch.supervision.actions import ReadBoard
from launch.supervision.events import BoardRead
from launch.supervision.inspector import Inspector

TOKEN = b"t" * 32
SIZE = 8


def random_programs(chance: random.Random, cores: int) -> dict[int, Program]:
    """Programs that exchange messages and syncs in one order, and then lack, or have too much of, a few of these."""
    steps: list[list[tuple]] = [[] for _ in range(cores)]
    syncs = chance.choice((0.2, 0.8))
    for _ in range(chance.randrange(1, 12)):
        a, b = chance.sample(range(cores), 2)
        if chance.random() < syncs:
            steps[a].append(("sync", b, 0))
            steps[b].append(("wait", 0, 1))
        else:
            steps[a].append(("send", b, 0, SIZE))
            steps[b].append(("recv", a, 0, SIZE))
    for own in chance.choices(steps, k=chance.randrange(0, 3)):
        if own:
            at = chance.randrange(len(own))
            step = own.pop(at)
            own[at:at] = [step] * chance.choice((0, 0, 2))  # gone, or twice
            own.insert(chance.randrange(len(own) + 1), own.pop()) if own else None
    return {core: program(core, *steps[core]) for core in range(cores)}


class _Frame(SimpleNamespace):
    @property
    def buffer(self):
        return memoryview(self.bytes)

    def __len__(self):
        return len(self.bytes)


class _Socket:
    """One end: frames of messages that have arrived; what it sends waits in queues of the network."""

    def __init__(self, send=None, answers=None):
        self._arrived: deque[list[bytes]] = deque()
        self._current: list[bytes] = []
        self._parts: list[bytes] = []
        self._send, self._answers = send, answers

    def arrives(self, frames):
        self._arrived.append(list(frames))

    def poll(self, _timeout):
        return bool(self._current or self._arrived)

    def recv(self):
        if not self._current:
            self._current = self._arrived.popleft()
        return self._current.pop(0)

    def recv_frame(self):
        return _Frame(bytes=self.recv())

    def recv_into(self, into):
        data = self.recv()
        into[: len(data)] = data
        return len(data)

    @property
    def more(self):
        return bool(self._current)

    def send(self, data, flags=0):
        self._parts.append(bytes(data))
        if flags != MORE:
            self._send.append(self._parts)
            self._parts = []

    def lend(self, data):
        self.send(data)

    def copied(self, data):
        return bytes(data)

    def answer(self, name, *frames):
        self._answers[name].append(list(frames))


class _Row:
    """A row of a board, between any two words of which others may look."""

    def __init__(self, row, moment):
        self._row, self._moment = row, moment

    def __getattr__(self, name):
        method = getattr(self._row, name)

        def write(*values):
            found = method(*values)
            self._moment()
            return found

        return write


class _Moving:
    """A board whose cores may go on whenever words of it have been read."""

    def __init__(self, board, moment):
        self.place, self.layout, self.cores, self.flat = board.place, board.layout, board.cores, self
        self._words, self._moment = board.flat, moment

    def __getitem__(self, words):
        found = self._words[words]
        self._moment()
        return found


class _Far:
    """A machine that is asked for its board, and answers: both take their time. A near one has shared memory."""

    def __init__(self, run, cores, near):
        self.name, self.address, self.status, self.sources, self.clock = "h", "", None, [], None
        self.board = Board.private(list(run.programs))
        peers = {core: peers_of(run.programs[core]) for core in cores}
        self.part = BoardPart(_Moving(self.board, run.others_go_on), peers)
        self.words, self.near = self.part.words, near
        self.asked, self.answers = deque(), deque()
        self.heard, self.known = -1.0, (-1.0, np.zeros(len(self.words), np.int64))

    def start(self, orders):
        pass

    def reports(self):
        return [ProcessReport(ReportKind.BOUND, MEMORY_NODE, "node")]

    def update(self, board):
        now = time.monotonic()
        if self.near:
            self.known = now, self.part.read()
        else:
            self.asked.append(now)
        board.flat[self.words] = self.known[1]
        return self.known[0]

    def steps(self):
        """What can happen on the way."""
        return [self.reads] + [self.hears] * bool(self.asked) + [self.tells] * bool(self.answers)

    def hears(self):
        self.heard = self.asked.popleft()

    def reads(self):
        self.answers.append((self.heard, self.part.read()))

    def tells(self):
        self.known = self.answers.popleft()


class FarRun:
    """Runs `programs` for some samples; `machines` names the cores of each, `near` those whose memory is shared."""

    def __init__(self, programs: Mapping[int, Program], machines, near, flow: str, samples: int, seed: int) -> None:
        self.programs, self.samples, self.chance = programs, samples, random.Random(seed)
        self._within = True  # a step of a core
        self.members = [_Far(self, cores, near[k]) for k, cores in enumerate(machines)]
        self.home = {core: member for cores, member in zip(machines, self.members, strict=True) for core in cores}
        self._wire(flow)
        self._within = False
        self.machine = JoinedMachine(self.members[0], self.members[1:], machines)
        self.machine.start(orders_of(programs))
        self.machine.reports()
        self.watch = Watch(self.machine.board, programs)
        self.inspector = Inspector(self.machine, self.watch, None)
        self.seen: list[BoardRead] = []

    def _wire(self, flow):
        names = {identity_of(TOKEN, core): core for core in self.programs}
        self.queues: dict[tuple, deque] = {}
        self.rows = {core: _Row(self.home[core].board.row(core), self._moment) for core in self.programs}
        self.steppers, self.ports, self.pending = {}, {}, {}
        self.over, self.ended = set(), dict.fromkeys(self.programs, -1)
        inboxes, dealers = {}, {}
        for core in self.programs:
            answers = {name: self.queues.setdefault(("back", core, peer), deque()) for name, peer in names.items()}
            inboxes[core] = _Socket(answers=answers)
            for peer in peers_of(self.programs[core]).outgoing:
                dealers[core, peer] = _Socket(send=self.queues.setdefault(("to", core, peer), deque()))
        self._ends = {("to", a, b): (inboxes[b], [identity_of(TOKEN, a)]) for a, b in dealers}
        self._ends |= {("back", b, a): (dealers[a, b], []) for a, b in dealers}
        for core, row in self.rows.items():
            senders = [a for a, b in dealers if b == core]
            memory = MemoryLink(_Socket(), core, row)
            memory.end = lambda sample, left, row=row: row.idle(sample)  # samples begin as soon as they can
            peers = {b: socket for (a, b), socket in dealers.items() if a == core}
            inbox = Inbox(inboxes[core], core, TOKEN, senders)
            self.ports[core] = ProcessPort(core, FlowControl.parse(flow), inbox, peers, memory, row)
            self.steppers[core] = Stepper(self.programs[core], 64)
            self.ports[core].attach(self.steppers[core].events)
            self._begin(core)

    def _begin(self, core):
        self.ended[core] += 1
        if self.ended[core] == self.samples:
            self.over.add(core)
            return
        self.steppers[core].begin("main", self.ended[core])
        self.rows[core].at(("main", 0, (), 0), self.ended[core])
        self.rows[core].does(Activity.RUNNING)

    def deliver(self, queue):
        socket, name = self._ends[queue]
        socket.arrives(name + self.queues[queue].popleft())

    def turn(self, core) -> bool:
        """Whether a core has done something."""
        if core in self.over:
            return False
        self._within, port, row = True, self.ports[core], self.rows[core]
        try:
            return self._advance(core, port, row)
        except PortFault:
            row.does(Activity.TRAPPED)
            self.over.add(core)
            return True
        finally:
            self._within = False

    def _advance(self, core, port, row):
        sample, request = self.ended[core], self.pending.pop(core, None)
        if request is None:
            request = self.steppers[core].advance()
            if request is Progress.HALTED:
                port.end(sample)
                self._begin(core)
                return True
            if isinstance(request, Progress):
                return True
            row.at(self.steppers[core].position(), sample)
            complete, moved = port.start(request, sample), True
        else:
            complete = moved = port.poll()
        if complete:
            row.runs()
        else:
            self.pending[core] = request
        return moved

    def _moment(self):
        """Somebody may read a board in the middle of what a core does."""
        if self.chance.random() < 0.1:
            self.chance.choice(self.members).reads()

    def others_go_on(self):
        """Cores may do something while somebody reads a board."""
        while not self._within and self.chance.random() < 0.5:
            self.chance.choice(self._steps_of_cores())()

    def _steps_of_cores(self):
        turns = [lambda core=core: self.turn(core) for core in self.programs]
        return turns + [lambda queue=queue: self.deliver(queue) for queue, waiting in self.queues.items() if waiting]

    def look(self):
        seen = self.inspector.answer(ReadBoard(settled=True))
        if isinstance(seen, BoardRead):
            self.seen.append(seen)

    def step(self):
        """Anything that can happen."""
        known = [step for member in self.members for step in member.steps()]
        self.chance.choice([self.chance.choice(self._steps_of_cores()), self.chance.choice([*known, self.look])])()

    def settle(self):
        """Until nothing moves, and that is known."""
        moved = True
        while moved:
            moved = False
            for queue, waiting in self.queues.items():
                while waiting:
                    self.deliver(queue)
                    moved = True
            for core in self.programs:
                while self.turn(core):
                    moved = True
        for _ in range(8):
            self.look()
            for member in self.members:
                while member.asked:
                    member.hears()
                member.reads()
                while member.answers:
                    member.tells()

    def truth(self):
        """The deadlock that a watch of all boards, now at rest, finds."""
        board = Board.private(list(self.programs))
        for member in self.members:
            board.flat[member.words] = member.board.flat[member.words]
        watch = Watch(board, self.programs)
        return watch.deadlock() or watch.deadlock()

    def stands(self, core):
        """Where a core is: sample, instruction, and whether it is at an end."""
        board = self.home[core].board
        row = board.rows[board.place[core]]
        return int(row[BoardWord.SAMPLE]), int(row[BoardWord.AT]), core in self.over


def orders_of(programs):
    return Orders(
        image="",
        programs=list(programs),
        idle=[],
        options=ProcessOptions.of(RunOptions()),
        keep={},
        token=TOKEN,
        started=0.0,
        observers=[],
        global_size=0,
        outputs=[],
        largest=0,
    )
