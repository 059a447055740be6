"""Serves a device to host programs at a unix-domain socket, one after the other."""

from __future__ import annotations

import contextlib
import os
import select
import socket
import threading
from collections.abc import Iterator
from pathlib import Path

from emu.errors import EmuError
from launch.devices.device import Device
from launch.devices.failures import DeviceError
from launch.devices.host_connection import HostConnection, HostGone
from launch.devices.host_session import HostSession
from launch.devices.wire import DamagedFrame, error
from launch.system.unix_socket import listening

BUSY = "the device serves another host program: one at a time; try again when that one has ended"


class DeviceServer:
    """Serves hosts of a device. `serve` is for the thread that has the device; another thread rejects further hosts."""

    def __init__(self, device: Device, listener: socket.socket) -> None:
        self._device, self._listener = device, listener
        self._lock, self._hosts = threading.Lock(), list[socket.socket]()  # the first one is served
        self._bell = os.eventfd(0, os.EFD_CLOEXEC | os.EFD_NONBLOCK | os.EFD_SEMAPHORE)
        self._closing, self._close = os.pipe2(os.O_CLOEXEC)
        self._door = threading.Thread(target=self._answer_door, name="door", daemon=True)
        self.served = 0  # hosts, the present one among them
        self._door.start()

    def close(self) -> None:
        """Close the socket to further hosts."""
        os.close(self._close)
        self._door.join()
        for host in self._hosts:
            host.close()
        os.close(self._closing)
        os.close(self._bell)

    def serve(self, program: int | None = None, once: bool = False) -> None:
        """Serve hosts: without end, until `program` (the descriptor of a process) has ended, or `once` one is gone.

        Raises what ends the device: CoreDied, RunTimeout, BoardFailed.
        """
        while (host := self._next(program)) is not None:
            self.served += 1
            try:
                self._serve(HostConnection(host, program))
            finally:
                with self._lock:
                    self._hosts.remove(host)
                    host.close()
            if once:
                return

    def _serve(self, host: HostConnection) -> None:
        session = HostSession(self._device, host)
        try:
            session.serve()
        except HostGone:
            pass
        except DamagedFrame as fault:
            failure = DeviceError(f"{fault}; the device hangs up")
            host.send_nowait(error(str(failure), failure.exit_code))
        except EmuError as failure:
            host.send_nowait(error(str(failure), failure.exit_code))
            raise
        finally:
            session.close()

    def _next(self, program: int | None) -> socket.socket | None:
        """The next host; None if the program that would be it has ended."""
        poll = select.poll()
        for descriptor in (self._bell, *([] if program is None else [program])):
            poll.register(descriptor, select.POLLIN)
        if self._bell not in (descriptor for descriptor, _ in poll.poll()):
            return None
        os.eventfd_read(self._bell)
        with self._lock:
            return self._hosts[0]

    def _answer_door(self) -> None:
        """Accept a host if all earlier ones have hung up; reject all others as busy."""
        poll = select.poll()
        poll.register(self._listener, select.POLLIN)
        poll.register(self._closing, select.POLLIN)
        while self._closing not in (descriptor for descriptor, _ in poll.poll()):
            with contextlib.suppress(OSError):  # it is gone already, or no descriptor is free
                host, _ = self._listener.accept()
                with self._lock:
                    if any(not _has_hung_up(each) for each in self._hosts):
                        HostConnection(host).send_nowait(error(BUSY, DeviceError.exit_code))
                        host.close()
                        continue
                    self._hosts.append(host)
                os.eventfd_write(self._bell, 1)


@contextlib.contextmanager
def serving(device: Device, path: Path) -> Iterator[DeviceServer]:
    """Serve a device at `path`; at the end the socket is gone. Raises InputError if there can be none."""
    with listening(path) as listener:
        server = DeviceServer(device, listener)
        try:
            yield server
        finally:
            server.close()


def _has_hung_up(host: socket.socket) -> bool:
    poll = select.poll()
    poll.register(host, select.POLLRDHUP)
    return bool(poll.poll(0))
