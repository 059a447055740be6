"""The work of the memory node after the fork: serve global memory at a socket until it is killed."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from emu.noc.barrier.barrier import Barrier
from emu.noc.memory.memory_node import MemoryNode, serve
from emu.noc.memory.read_only import NOTHING, ReadOnlyMemory
from emu.noc.memory.sample_clock import SampleClock
from emu.noc.watch.board import Board
from launch.processes.failing import failures_reported
from launch.processes.orders import MEMORY_NODE, Orders, net_of


def run_memory_node(orders: Orders, board: Board, sender: int) -> None:
    """Be the memory node; its endpoint goes to the pipe `sender`."""
    with failures_reported(orders, MEMORY_NODE, "memory_node"):
        _serve(orders, board, sender)


def _serve(orders: Orders, board: Board, sender: int) -> None:
    barrier = Barrier(orders.token, orders.programs, orders.idle)
    outputs = [(address, size) for address, size in orders.outputs]
    node = MemoryNode(orders.global_size, outputs, SampleClock(board), barrier, _read_only(orders))
    net = net_of(orders)
    socket, door = net.listen(net.library(), "memory")
    os.write(sender, door.endpoint.encode())
    os.close(sender)

    def started() -> None:
        shutil.rmtree(net.directory, ignore_errors=True)
        door.shut()

    serve(socket, node, barrier, board.node_row(), door, started)


def _read_only(orders: Orders) -> ReadOnlyMemory:
    """The read-only tensors of the image; most images have none, and then nothing is read here."""
    if not orders.read_only:
        return NOTHING
    from emu.image.reader import open_image

    return ReadOnlyMemory(open_image(Path(orders.image), verify=False).read_only())  # the launcher has verified it
