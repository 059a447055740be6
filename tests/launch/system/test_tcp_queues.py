"""What was sent and has not arrived: known of the sockets of some processes, and of no others."""

import contextlib
import os
import socket

from launch.system.tcp_queues import sending


def test_a_process_sends_until_the_other_end_has_it():
    own = os.getpid()
    with socket.socket() as listening:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        listening.bind(("127.0.0.1", 0))
        listening.listen()
        with socket.create_connection(listening.getsockname()) as sender, listening.accept()[0]:
            assert not sending([own])
            sender.setblocking(False)
            with contextlib.suppress(BlockingIOError):
                while True:
                    sender.send(bytes(1 << 16))  # until neither end has room
            assert sending([own]) and not sending([os.getppid()]) and not sending([])


def test_of_processes_that_are_gone_nothing_is_on_its_way():
    assert not sending([1 << 30])
