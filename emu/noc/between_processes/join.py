"""How a core joins a run: it binds, learns the addresses, says hello to its peers and waits for the start."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from emu.noc.barrier.greeting import NODE, Greeting, GreetingStage
from emu.noc.barrier.joining import Net, Timer, hear
from emu.noc.between_processes.inbox import Inbox
from emu.noc.between_processes.process_port import ProcessPort
from emu.noc.memory.memory_link import MemoryLink
from emu.noc.traffic.traffic import Peers
from emu.noc.watch.board import Activity, BoardRow
from emu.noc.wire.frames import decode_header
from emu.noc.wire.library import Door, Library, Socket
from emu.noc.wire.patience import LOOK, Patience


def join_core(
    net: Net,
    node: str,
    core: int,
    peers: Peers,
    row: BoardRow,
    make_port: Callable[..., ProcessPort] = ProcessPort,
) -> ProcessPort:
    """Connect `core` to its peers and to the memory node at endpoint `node`; returns when all cores may start.

    `make_port` is called as `ProcessPort` is.
    """
    library = net.library(len(peers.outgoing))
    listening, door = net.listen(library, f"c{core}")
    patience = Patience(f"core {core}", door)

    def connect(address: str) -> Socket:
        return patience.connect(partial(net.connect, library, address, core))

    greeting = Greeting(core, door.endpoint, peers.outgoing, networked=True)
    joining = Joining(greeting, library, connect(node), row, patience, door)
    joining.learn()
    patience.expected = len(joining.greeting.incoming)
    inbox = Inbox(listening, core, net.token, joining.greeting.incoming)
    joining.meet({peer: connect(address) for peer, address in joining.greeting.addresses.items()}, inbox)
    door.shut()
    return make_port(core, net.flow, inbox, joining.peers, MemoryLink(joining.memory, core, row), row)


class Joining:
    """Says what `greeting` has to say, over `memory` and to `peers`, and lets it hear the answers."""

    def __init__(
        self, greeting: Greeting, library: Library, memory: Socket, row: BoardRow, patience: Patience, door: Door
    ) -> None:
        self.greeting, self.memory, self._row, self._patience, self._door = greeting, memory, row, patience, door
        self._ready = library.ready
        self.peers: dict[int, Socket] = {}
        self._timer, self._noted = Timer(), (Activity.STARTING, -1, 0)
        self._note()
        self._say()

    def learn(self) -> None:
        """Block until the addresses of the peers are known."""
        while self.greeting.stage is GreetingStage.BINDING:
            if self._await(self.memory):
                hear(self.greeting, self.memory)
                self._note()

    def meet(self, peers: dict[int, Socket], inbox: Inbox) -> None:
        """Block until all `peers` have answered and all cores may start; answer whoever says hello."""
        self.peers = peers
        self._say()
        while self.greeting.stage is not GreetingStage.STARTED:
            ready = self._await(self.memory, inbox.socket, *self._unanswered())
            if inbox.socket in ready:
                self.answer(inbox)
            if self._hear_answers() or (self.memory in ready and hear(self.greeting, self.memory)):
                self._say()
            self._note()

    def _unanswered(self) -> list[Socket]:
        """The connection of the first peer that has not answered: all must, so one after the other is waited for."""
        return [self.peers[peer] for peer in list(self.greeting.unanswered)[:1]]

    def _hear_answers(self, of_all: bool = False) -> bool:
        """Hear peers up to the first that has not answered yet, or `of_all`: whether there is something new to say."""
        for peer in list(self.greeting.unanswered):
            if self.peers[peer].poll(0):
                if self.greeting.answered(peer, decode_header(self.peers[peer].recv())):
                    return True
            elif not of_all:
                break
        return False

    def answer(self, inbox: Inbox) -> None:
        """Answer every greeting that has come."""
        while inbox.socket.poll(0):
            if (hello := inbox.meet()) is not None:
                peer, frame = hello
                self._door.proved(frame)
                inbox.answer(peer, self.greeting.hello)

    def _await(self, *sockets: Socket) -> list[Socket]:
        """Those of `sockets` that have a message, perhaps none; what was not answered for long is said again."""
        left = self._timer.left()
        if not left:
            self._hear_answers(of_all=True)
            self._say()
        wait = int(left * 1000)  # where no strangers come there is nothing to look at in the meantime
        ready = self._ready(sockets, min(LOOK, wait) if self._door.strangers else wait)
        self._patience.look()
        return ready

    def _note(self) -> None:
        """Write on the board what is waited for, if that has changed."""
        left = self.greeting.unanswered
        if self.greeting.stage is GreetingStage.STARTED:
            return  # it tells itself what it does from now on
        noted = Activity[self.greeting.stage.name], next(iter(left), -1), len(left)
        if noted != self._noted:
            self._noted = noted
            self._row.does(*noted)

    def _say(self) -> None:
        self._timer.set()
        self._row.said()
        for whom, frames in self.greeting.words():
            (self.memory if whom == NODE else self.peers[whom]).send_multipart(frames)
