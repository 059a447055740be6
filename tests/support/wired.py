"""A chip whose cores and memory node talk over sockets, all driven by one thread: every message is under control."""

from __future__ import annotations

import mmap
from pathlib import Path

from stepper import Stepper

from emu.core.progress import Progress
from emu.noc.barrier.barrier import HOST, Barrier
from emu.noc.barrier.joining import Net
from emu.noc.between_processes.inbox import Inbox
from emu.noc.between_processes.process_port import ProcessPort
from emu.noc.memory.memory_link import MemoryLink
from emu.noc.memory.memory_node import MemoryNode
from emu.noc.memory.sample_clock import SampleClock
from emu.noc.ports.port import FlowControl, PortFault
from emu.noc.traffic.traffic import peers_of
from emu.noc.watch.board import Activity, Board
from emu.noc.watch.watch import Watch
from emu.noc.wire.frames import FrameKind, encode_control, encode_header

TOKEN = b"t" * 32


class WiredChip:
    """Cores run in turn until nothing moves; `faults` are what ports refused, `halted` who is done."""

    def __init__(self, programs, directory: Path, flow="rendezvous", transport="ipc", size=1 << 16, local=4096):
        self.net = Net(transport, directory, TOKEN, FlowControl.parse(flow), 1 << 24)
        self.library = self.net.library()
        self.programs = programs
        self.board = Board(mmap.mmap(-1, Board.size(len(programs))), list(programs))
        self.board.hang_bells()
        self.watch = Watch(self.board, programs)
        self.node_socket, self.door = self.net.listen(self.library, "memory")
        self.barrier = Barrier(TOKEN, list(programs), [])
        self.node = MemoryNode(size, [], SampleClock(self.board), self.barrier)
        self.routers = {c: self.net.listen(self.library, f"c{c}") for c in programs}
        self.machines = {core: Stepper(program, local) for core, program in programs.items()}
        self.ports = self._connect(flow, self.door.endpoint)
        self.pending, self.halted, self.faults = {}, set(), {}

    def _connect(self, flow, node):
        peers = {core: peers_of(program).outgoing for core, program in self.programs.items()}
        sockets = {
            core: {peer: self._member(self.routers[peer][1].endpoint, core) for peer in peers[core]} for core in peers
        }
        self.inboxes, self.sockets = {}, sockets
        ports, self.rows = {}, {core: self.board.row(core) for core in self.programs}
        for core, row in self.rows.items():
            inbox = Inbox(self.routers[core][0], core, TOKEN, [source for source in peers if core in peers[source]])
            self.inboxes[core] = inbox
            memory = MemoryLink(self._member(node, core), core, row)
            memory.end = lambda sample, left, row=row: row.idle(sample)  # samples begin when the test says so
            ports[core] = ProcessPort(core, FlowControl.parse(flow), inbox, sockets[core], memory, row)
            ports[core].attach(self.machines[core].events)
        self.host = self._member(node, HOST)
        self.barrier.open = True
        self.board.node_row().does(Activity.RUNNING)
        return ports

    def _member(self, endpoint, member):
        return self.net.connect(self.library, endpoint, member)

    def put(self, sample=0, **tiles):
        self.host.send_multipart([encode_header(FrameKind.PUT, HOST, 0, sample), encode_control([]), *tiles.values()])
        self.node_socket.poll(1000)
        self.serve()

    def run(self, sample=0, idle_turns=100):
        """Run `main` of all cores until nothing has moved for some turns of 1 ms."""
        self.sample, self.halted, self.pending = sample, set(), {}
        for core, machine in self.machines.items():
            machine.begin("main", sample)
            self.rows[core].does(Activity.RUNNING)
        still = 0
        while still < idle_turns and len(self.halted) + len(self.faults) < len(self.machines):
            moved = self.serve() + sum([self.turn(core) for core in self.machines])
            still = 0 if moved else still + 1
            if not moved:
                self.node_socket.poll(1)

    def serve(self) -> int:
        moved = 0
        while self.node_socket.poll(0):
            moved += 1
            for reply in self.node.receive(self.node_socket.recv_frames()):
                self.node_socket.answer(*reply)
        return moved

    def turn(self, core) -> bool:
        if core in self.halted or core in self.faults:
            return False
        machine, port, row = self.machines[core], self.ports[core], self.rows[core]
        try:
            request = self.pending.pop(core, None)
            if request is None:
                request = machine.advance()
                if isinstance(request, Progress):
                    if request is Progress.HALTED:
                        self.halted.add(core)
                        port.end(self.sample)
                    return True
                row.at(machine.position(), self.sample)
                complete = port.start(request, self.sample)
            else:
                complete = port.poll()
        except PortFault as fault:
            self.faults[core] = fault
            return True
        if complete:
            machine.complete(request)
            row.does(Activity.RUNNING)
        else:
            self.pending[core] = request
        return complete

    def close(self):
        for _, door in [(None, self.door), *self.routers.values()]:
            door.shut()
        self.library.context.destroy(linger=0)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.close()
