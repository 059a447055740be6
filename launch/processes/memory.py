"""What the memory node's process does after the fork: global memory behind a socket until it is killed."""

from __future__ import annotations

import os
import shutil
import traceback
from pathlib import Path

from emu.errors import EmuError
from emu.noc.barrier.barrier import Barrier
from emu.noc.memory.board_clock import BoardNodeClock
from emu.noc.memory.memory_node import MemoryNode, serve
from emu.noc.memory.read_only import NOTHING, ReadOnlyMemory
from emu.noc.watch.board import Board
from emu.noc.wire.door import Patience, shut
from emu.noc.wire.sockets import bind_router, new_context
from launch.processes.log import ProcessLog
from launch.processes.orders import MEMORY_NODE, Event, Orders, Report, send_report


def run_memory_node(orders: Orders, board: Board, sender: int) -> None:
    """Be the memory node; its endpoint goes to the pipe `sender`."""
    try:
        _serve(orders, board, sender)
    except EmuError as error:
        send_report(orders.reports, Report(Event.ERROR, MEMORY_NODE, str(error)))
    except Exception:
        ProcessLog(orders.options.log_dir, "memory_node", orders.started).last(traceback.format_exc())
        send_report(orders.reports, Report(Event.BUG, MEMORY_NODE, traceback.format_exc()))


def _serve(orders: Orders, board: Board, sender: int) -> None:
    barrier = Barrier(orders.token, orders.programs, orders.idle)
    outputs = [(address, size) for address, size in orders.outputs]
    node = MemoryNode(orders.global_size, outputs, BoardNodeClock(board), barrier, _read_only(orders))
    directory, options = Path(orders.directory), orders.options
    socket, endpoint = bind_router(
        new_context(), options.transport, directory, "memory", orders.largest, orders.curve_keys, options.bind
    )
    os.write(sender, endpoint.encode())
    os.close(sender)

    def started() -> None:
        shutil.rmtree(directory, ignore_errors=True)
        shut(endpoint)

    serve(socket, node, barrier, Patience("the memory node", endpoint), started)


def _read_only(orders: Orders) -> ReadOnlyMemory:
    """The read-only tensors of the image; without any, most runs, nothing of it is read here."""
    if not orders.read_only:
        return NOTHING
    from emu.image.reader import open_image

    return ReadOnlyMemory(open_image(Path(orders.image), verify=False).read_only())  # the launcher has verified it
