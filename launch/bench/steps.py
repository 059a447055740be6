"""What single steps cost, in this process or in two: least times of the product's own functions, and of bare calls."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable
from functools import partial
from operator import itemgetter

from emu.core.memory import LocalMemory
from emu.isa.address import Address
from emu.noc.ports.port import FlowControl
from emu.noc.watch.board import Activity, Board
from emu.noc.wire.frames import FrameKind, encode_header
from emu.noc.wire.library import LARGE, MORE
from emu.noc.wire.zeromq.library import ZeroMq
from emu.program.builder import SectionBuilder
from emu.program.program import Program
from launch.bench.baselines.raw_wakeup import RawWakeup
from launch.bench.boundaries import BOARD, COPY, FITS, HEADER, RECEIVED, REQUEST, SENT, THREADS
from launch.bench.clock import least_in_turns
from launch.bench.core_samples import one_sample
from launch.bench.processes import sleeps
from launch.bench.traffic import spent
from launch.system.memory import keep_memory

WAKE = "wake-up"  # no function of ours is called for it
PAYLOAD = "payload"  # what its bytes cost, all copies of the transport
ALL = "all"
DELIVERY = 0.01  # seconds in which ZeroMQ's threads bring a batch of messages
MESSAGES, BATCH = 128, 1 << 16  # of a batch at most, and bytes of it: no more than a socket holds
SMALL = 64  # bytes of a message of which only the number counts
REPEATED = 256  # requests of a section


def message_steps(size: int, runs: int, least: float) -> dict[str, float]:
    """Seconds of each step of a message of `size` bytes, by boundary; of the bare wake-up, processor time of both."""
    wake = _wake(runs)  # before ZeroMQ has threads, which no fork must have
    keep_memory()  # as cores do
    small, large = _carried(SMALL, runs), _carried(size, runs)
    more = large[ALL] - small[ALL] - wake * (large[WAKE] - small[WAKE])
    row = Board.private([0, 1]).row(0)
    memory, content = LocalMemory(2 * size).window(0, size), bytes(size)
    header = encode_header(int(FrameKind.DATA), 1, 7, 3, size)
    position = ("main", 1, (5,), 3)
    flow = FlowControl()

    def copy() -> None:
        memory[:] = content

    board: list[Callable[[], object]] = [
        partial(row.at, position, 3),
        partial(row.does, int(Activity.SEND), 1, 7, 8),
        row.runs,
        partial(row.sent, 1, 8),
        partial(row.took, 1, 8),
    ]
    works: list[Callable[[], object]] = [
        lambda: encode_header(int(FrameKind.DATA), 1, 7, 3, size) == header,
        partial(flow.fits, 3, size, 3, size),
        copy,
        _requests(size),
        *board,
    ]
    encoded, fits, copied, requests, *rows = least_in_turns(works, runs, least)
    return {
        WAKE: wake,
        **{step: small[step] for step in (SENT, RECEIVED, THREADS)},
        PAYLOAD: max(0.0, more) if size > SMALL else 0.0,
        HEADER: encoded,
        FITS: fits,
        BOARD: sum(rows) / len(rows),
        REQUEST: requests / REPEATED,
        COPY: copied,
    }


def _wake(runs: int, rounds: int = 500) -> float:
    """On one processor: on two, most of what a wake-up costs is that one of them had nothing to do."""
    usable = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(usable)})
    try:
        with RawWakeup() as raw:
            both = (os.getpid(), *raw.children)
            return min(spent(partial(raw.go, rounds), both, 2 * rounds).processor for _ in range(runs))
    finally:
        os.sched_setaffinity(0, usable)


def _requests(size: int) -> Callable[[], object]:
    """A sample of a core that does nothing but send, whose driver has no network."""
    builder = SectionBuilder()
    builder.emit("lldi", operands=[Address(0)], byte=0, size=size)
    with builder.loop(REPEATED):
        builder.emit("send", operands=[Address(0)], core=1, size=size)
    builder.emit("halt")
    return one_sample(Program(0, main=builder.finish()))


def _carried(size: int, runs: int) -> dict[str, float]:
    """Least seconds of a frame sent, of one received, and of ZeroMQ's threads, per message where nobody waits for it.

    And of all of these for one message (`ALL`), without the wake-ups in it, which `WAKE` counts.
    """
    count = max(1, min(MESSAGES, BATCH // size))
    payload, into = memoryview(bytearray(size)), bytearray(size)
    header = encode_header(int(FrameKind.DATA), 1, 7, 3, size)
    library, found = ZeroMq(), list[dict[str, float]]()
    with tempfile.TemporaryDirectory() as folder:
        listening, door = library.listen(f"ipc://{folder}/steps", False, size, ())
        connected = library.connect(door.endpoint, b"steps")
        give = connected.lend if size >= LARGE else connected.send
        take = listening.recv_frame if size >= LARGE else partial(listening.recv_into, into)
        own = os.getpid()
        for _ in range(runs + 1):  # the first one connects
            wakes, every, began = sleeps(own), time.process_time(), time.thread_time()
            for _ in range(count):
                connected.send(header, MORE)
                give(payload)
            between = time.thread_time()
            if count > 1:
                time.sleep(DELIVERY)
            arrived = time.thread_time()
            for _ in range(count):
                listening.recv()
                listening.recv()
                take()
            ended = time.thread_time()
            passed, wakes = time.process_time() - every, sleeps(own) - wakes
            found.append(
                {
                    SENT: (between - began) / count / 2,
                    RECEIVED: (ended - arrived) / count / 3,
                    THREADS: (passed - (ended - began)) / count,
                    ALL: passed / count,
                    WAKE: wakes / count,
                }
            )
        connected.close()
        listening.close()
    library.close()
    least = min(found[1:], key=itemgetter(ALL))
    return {name: min(each[name] for each in found[1:]) for name in (SENT, RECEIVED, THREADS)} | {
        name: least[name] for name in (ALL, WAKE)
    }
