"""The fork server: a warm process with modules imported, which forks a process for each request.

`python -m launch.processes.fork_server LAUNCHER MODULE...` imports the modules, and has a socket as its standard input,
from which it gets requests; it ends with the process LAUNCHER. It has one thread and no ZeroMQ context: neither would
survive a fork.
"""

from __future__ import annotations

import gc
import os
import select
import shutil
import signal
import socket
import sys
import time
import traceback
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module
from typing import NoReturn

from launch.processes.fork_requests import ForkRequest, close_all, receive_request, send
from launch.processes.interpreter import exit_descriptor
from launch.processes.reaping import ChildEnds, die_with
from launch.processes.zygote import become_quiet
from launch.system.by_name import named

REQUESTS = 0  # standard input
PERIOD = 0.5  # seconds between two checks whether the launcher lives
# By the signal that ends them: seconds for processes to end by themselves when the launcher is gone.
PATIENCE = {signal.SIGKILL: 2.0, signal.SIGTERM: 10.0}


class ForkingLoop:
    """Forks processes until no client is left; removes the directories of processes that were killed."""

    def __init__(self, requests: socket.socket) -> None:
        self._requests = requests
        self._forked: dict[int, tuple[socket.socket, ForkRequest]] = {}  # process -> channel, what it is
        self._ends = ChildEnds()

    def serve(self, launcher: int) -> int:
        """Serve requests of the process `launcher`, until its end; the exit status."""
        poll = select.poll()
        for source in (self._requests.fileno(), self._ends.descriptor):
            poll.register(source, select.POLLIN)
        with suppress(EOFError):
            while os.getppid() == launcher:
                ready = {descriptor for descriptor, _ in poll.poll(PERIOD * 1000)}
                self._reap()
                if self._requests.fileno() in ready:
                    request = receive_request(self._requests)
                    if request is not None:
                        self._fork(request)
        self._finish()
        return 0

    def _fork(self, request: ForkRequest) -> None:
        channel, server = socket.socket(fileno=request.channel), os.getpid()
        if request.needed:
            _load(request.needed)
        try:
            process = os.fork()
        except OSError as error:
            answer, ended = {"errno": error.errno}, -1
        else:
            if not process:
                self._become(server, request, channel)
            self._forked[process] = channel, request
            # Opened before the process is waited for, so that its number cannot belong to another process.
            answer, ended = {"process": process}, exit_descriptor(process)
        kept = [ended] if ended >= 0 else []
        with suppress(OSError):  # the launcher is gone
            send(channel, {**answer, "inherited": request.inherited}, kept)
        close_all([*kept, *(own for own in request.descriptors if own != request.channel)])
        if "errno" in answer:
            channel.close()

    def _become(self, server: int, request: ForkRequest, channel: socket.socket) -> NoReturn:
        status = 1
        try:
            if die_with(server, request.ending):
                os.setsid()
                self._close_inherited()
                channel.close()
                _take_over(request)
                status = named(request.work)(request)
        except BaseException:
            traceback.print_exc()
        finally:
            sys.stderr.flush()
            os._exit(status)

    def _close_inherited(self) -> None:
        """In a child, close the server's descriptors; its standard input is replaced."""
        self._ends.close_inherited()
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        self._requests.detach()
        for channel, _ in self._forked.values():
            channel.close()
        self._forked.clear()

    def _reap(self) -> None:
        for process, status in self._ends.ended():
            channel, request = self._forked.pop(process)
            for directory in filter(None, request.directories):
                shutil.rmtree(directory, ignore_errors=True)  # killed, it has not done so itself
            with channel, suppress(OSError):  # the launcher is gone
                send(channel, {"status": os.waitstatus_to_exitcode(status)})

    def _finish(self) -> None:
        """Wait for the forked processes, which see the end, too; kill those that do not end, with their children."""
        poll, patience = select.poll(), 0.0
        poll.register(self._ends.descriptor, select.POLLIN)
        self._reap()
        for process, (_, request) in self._forked.items():
            patience = max(patience, PATIENCE[request.ending])
            if request.ending != signal.SIGKILL:  # others have a life line, which has ended
                os.kill(process, request.ending)
        until = time.monotonic() + patience
        while self._forked and (left := until - time.monotonic()) > 0:
            poll.poll(left * 1000)
            self._reap()
        for process in self._forked:
            os.kill(process, signal.SIGKILL)
        while self._forked:
            poll.poll()
            self._reap()


def _take_over(request: ForkRequest) -> None:
    """Take over the descriptors that were sent, as a fresh process inherits them."""
    for standard, descriptor in enumerate((request.life_line, request.output, request.errors)):
        os.dup2(descriptor, standard)
    os.fchdir(request.place)
    close_all([request.life_line, request.output, request.errors, request.place])


def _load(modules: Sequence[str]) -> None:
    """Import modules that processes are likely to need; an import that fails is raised where it is needed."""
    for module in modules:
        with suppress(Exception):
            import_module(module)
    gc.freeze()


def main(launcher: int, *needed: str) -> int:
    """Import what is `needed`, then serve the process `launcher`; the exit status."""
    become_quiet()
    for module in needed:
        import_module(module)
    gc.freeze()  # pages of what is imported stay shared
    return ForkingLoop(socket.socket(fileno=REQUESTS)).serve(launcher)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), *sys.argv[2:]))
