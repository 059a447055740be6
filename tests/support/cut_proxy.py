"""A TCP proxy for tests: what goes through it can be cut, as a network is, and healed."""

import contextlib
import select
import socket
import threading
import time


class CutProxy:
    """A context manager: forwards connections to its own `address` on to a port of this machine, in a thread.

    `freeze`: nothing goes through any more, and nobody is told; `sever`: connections end, and new ones are refused;
    `damage`: a byte of what goes through next, in each direction, is another one.
    """

    def __init__(self, port: int) -> None:
        self._target = ("127.0.0.1", port)
        self._frozen = self._over = False
        self._damaging = set[bool]()  # what comes from guests, and what goes to them
        self._pairs: dict[socket.socket, socket.socket] = {}
        self._door: socket.socket | None = socket.create_server(("127.0.0.1", 0))
        self._port = self._door.getsockname()[1]
        self.address = f"tcp://127.0.0.1:{self._port}"
        self._lock = threading.Lock()
        self._thread = threading.Thread(target=self._run)

    def __enter__(self) -> "CutProxy":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over = True
        self._thread.join()
        self.sever()

    def redirect(self, port: int) -> None:
        """Forward new connections to another port."""
        self._target = ("127.0.0.1", port)

    def freeze(self) -> None:
        """Let nothing through from now on."""
        self._frozen = True

    def damage(self) -> None:
        """Change a byte of what comes next, both ways."""
        self._damaging = {False, True}

    def sever(self) -> None:
        """End all connections, and refuse new ones."""
        with self._lock:
            if self._door is not None:
                self._door.close()
                self._door = None
            for one in list(self._pairs):
                self._drop(one)

    def heal(self) -> None:
        """Let everything through again."""
        with self._lock:
            while self._door is None:
                with contextlib.suppress(OSError):  # the thread may have been about to wait for its last one
                    self._door = socket.create_server(("127.0.0.1", self._port))
        self._frozen = False

    def _run(self) -> None:
        while not self._over:
            with self._lock:
                sources = [*self._pairs, *([self._door] if self._door else [])]
            if self._frozen or not sources:
                time.sleep(0.02)
                continue
            with contextlib.suppress(OSError, ValueError):  # one of them was closed meanwhile
                for source in select.select(sources, [], [], 0.02)[0]:
                    with self._lock:
                        self._forward(source)

    def _forward(self, source: socket.socket) -> None:
        if source is self._door:
            guest, _ = source.accept()
            try:
                own = socket.create_connection(self._target)
            except OSError:  # nobody listens there
                guest.close()
            else:
                self._pairs |= {guest: own, own: guest}
        elif source in self._pairs:
            try:
                data = source.recv(1 << 16)
                if data and (from_guest := source.getsockname()[1] == self._port) in self._damaging:
                    self._damaging.remove(from_guest)
                    middle = len(data) // 2
                    data = data[:middle] + bytes([data[middle] ^ 1]) + data[middle + 1 :]
                self._pairs[source].sendall(data)
            except OSError:
                data = b""
            if not data:
                self._drop(source)

    def _drop(self, source: socket.socket) -> None:
        other = self._pairs.pop(source, None)
        source.close()
        if other is not None:
            self._pairs.pop(other, None)
            other.close()
