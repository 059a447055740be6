"""A foreign process that holds COUNT connections to every TCP port at which descendants of PROCESS listen.

`python hoarder.py PROCESS COUNT [again]`, until it is killed; it says nothing on them. `again`: what
the other end closes is opened anew.
"""

from __future__ import annotations

import select
import socket
import sys
import time
from collections import defaultdict

from stranger import descendants, ports_of


def connect(port: int) -> socket.socket:
    connection = socket.socket()
    connection.setblocking(False)
    connection.connect_ex(("127.0.0.1", port))
    return connection


def closed(connections: list[socket.socket]) -> list[socket.socket]:
    poll = select.poll()
    for connection in connections:
        poll.register(connection, select.POLLRDHUP)
    ended = {descriptor for descriptor, _ in poll.poll(0)}
    return [connection for connection in connections if connection.fileno() in ended]


def main() -> None:
    root, count, again = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:] == ["again"]
    held: dict[int, list[socket.socket]] = defaultdict(list)
    print("ready", flush=True)
    while True:
        for port in ports_of(descendants(root)):
            connections = held[port]
            for connection in closed(connections) if again else ():
                connections.remove(connection)
                connection.close()
            connections += [connect(port) for _ in range(count - len(connections))]
        time.sleep(0.002)


if __name__ == "__main__":
    main()
