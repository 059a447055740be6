"""A machine whose memory node and cores are threads: sockets and messages are real, nothing is forked."""

from __future__ import annotations

import contextlib
import os
import queue
import threading
import time
from dataclasses import replace
from functools import partial

import zmq
from stepper import Stepper

from emu.core.trap import CoreTrap
from emu.noc.barrier.barrier import Barrier
from emu.noc.barrier.joining import Net
from emu.noc.between_processes.driver import drive
from emu.noc.between_processes.join import join_core
from emu.noc.memory.memory_node import MemoryNode, serve
from emu.noc.memory.sample_clock import SampleClock
from emu.noc.ports.port import DamagedMessage
from emu.noc.traffic.traffic import peers_of
from emu.noc.watch.bell import Bell
from emu.noc.watch.board import Activity, Board
from emu.noc.wire.frames import MalformedFrame
from emu.noc.wire.zeromq.library import ZeroMq
from launch.processes.local_status import LocalStatus
from launch.processes.orders import MEMORY_NODE, ZYGOTE, ProcessReport, ReportKind, net_of


class Silent:
    """A log of samples that nobody reads."""

    def begins(self, sample):
        pass

    ends = begins


class KeptSockets(zmq.Context):
    """A context that keeps its sockets alive until they are closed."""

    def __init__(self, sockets):
        super().__init__()
        object.__setattr__(self, "sockets", sockets)

    def socket(self, *arguments, **named):
        self.sockets.append(made := super().socket(*arguments, **named))
        return made


class ThreadMachine:
    """Runs `programs` in `Stepper`s."""

    def __init__(self, programs, monkeypatch):
        self.programs = programs
        self._said, self._broken = queue.SimpleQueue(), False
        self._receiver, self._sender = os.pipe()
        self.sources = [self._receiver]
        self._sockets, self._threads = [], []
        self._library, self._context = ZeroMq(), KeptSockets(self._sockets)
        self._library.close()
        self._library.context = self._context
        make = Net.library
        self._closing, hear = False, Bell.hear
        monkeypatch.setattr(Bell, "hear", lambda bell: self._awake(hear(bell)))
        monkeypatch.setattr(
            Net, "library", lambda net, *most: self._library if net is self._inner else make(net, *most)
        )

    def start(self, orders):
        self.board = Board(bytearray(Board.size(len(self.programs))), list(self.programs))
        self.board.hang_bells()
        self.status = LocalStatus(self.board, {}, tuple)  # of threads nobody knows anything
        self.net = net_of(orders)
        self._inner = replace(self.net)  # of all threads, which share a library
        self._thread(partial(self._node, orders))

    def refresh(self):
        return time.monotonic()

    def reports(self):
        if self._broken:
            return [ProcessReport(ReportKind.EXIT, ZYGOTE, status=9)]
        reports = []
        while not self._said.empty():
            os.read(self._receiver, 1)
            reports.append(self._said.get())
        return reports

    def breaks(self):
        """From now on the machine can observe nothing."""
        self._broken = True
        os.write(self._sender, b"!")

    def _awake(self, _heard):
        if self._closing:
            raise zmq.ContextTerminated

    def close(self):
        if self._context.closed:
            return
        ender = threading.Thread(target=self._context.term)  # whoever blocks gets ContextTerminated
        ender.start()
        self._closing = True
        for core in self.programs:
            self.board.bell(core).ring()
        for thread in self._threads:
            thread.join()
        for socket in self._sockets:  # in place of the threads that use them
            socket.close(0)
        ender.join()
        os.close(self._receiver)
        os.close(self._sender)

    def _thread(self, work):
        def run():
            with contextlib.suppress(zmq.ContextTerminated):
                work()

        thread = threading.Thread(target=run, daemon=True)
        self._threads.append(thread)
        thread.start()

    def _say(self, report):
        self._said.put(report)
        os.write(self._sender, b".")

    def _node(self, orders):
        barrier = Barrier(orders.token, orders.programs, [])
        node = MemoryNode(orders.global_size, orders.outputs, SampleClock(self.board), barrier)
        socket, door = self._inner.listen(self._library, "memory")
        for core in self.programs:
            self._thread(partial(self._core, core, door.endpoint))
        self._say(ProcessReport(ReportKind.BOUND, MEMORY_NODE, door.endpoint))
        serve(socket, node, barrier, self.board.node_row(), door, lambda: None)

    def _core(self, core, node):
        program, row = self.programs[core], self.board.row(core)
        try:
            port = join_core(self._inner, node, core, peers_of(program), row)
            drive(Stepper(program), port, row, Silent())
        except CoreTrap as trap:
            row.does(Activity.TRAPPED)
            self._say(ProcessReport(ReportKind.TRAP, core, record=trap.record))
        except (DamagedMessage, MalformedFrame) as error:
            self._say(ProcessReport(ReportKind.DAMAGED, core, str(error)))
