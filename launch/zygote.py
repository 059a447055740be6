"""The zygote: a fresh process that imports everything once, forks memory node and cores, and kills them at the end.

`python -m launch.zygote` reads its orders from standard input, which stays open as long as the launcher lives.
"""

from __future__ import annotations

import contextlib
import gc
import mmap
import os
import resource
import shutil
import sys
import traceback
from collections.abc import Callable
from functools import partial
from pathlib import Path

from emu.core.core import Core
from emu.errors import EmuError
from emu.image.manifest import CoreFiles
from emu.image.reader import Image, open_image
from emu.noc.board import Board
from emu.noc.traffic import Peers
from launch.children import Children
from launch.core_process import load_core, run_core, run_idle_core
from launch.memory_process import run_memory_node
from launch.orders import MEMORY_NODE, ZYGOTE, Event, Orders, Report, read_orders, send_report
from launch.process_log import ProcessLog

LIFE_LINE = 0  # standard input
SMALL_PROGRAM = 1 << 18  # bytes of a program file


def main() -> int:
    """Serve one run; returns when the launcher is gone or wants no more."""
    try:
        orders = read_orders(LIFE_LINE)
    except EOFError:
        return 1
    children = Children(orders.reports)
    try:
        _start(orders, children)
        children.watch(LIFE_LINE, orders.launcher)
    except BrokenPipeError:  # the launcher died while we reported
        return 1
    finally:
        children.kill()
        for directory in filter(None, (orders.directory, orders.scratch)):
            shutil.rmtree(directory, ignore_errors=True)
    return 0


def _start(orders: Orders, children: Children) -> None:
    try:
        image = open_image(Path(orders.image), verify=False)  # the launcher has verified it
        board = Board(mmap.mmap(orders.board, 0), orders.programs)
        _raise_limits()
        gc.collect()
        gc.freeze()  # pages of objects that live for ever stay shared
        _fork_all(orders, image, board, children)
    except EmuError as error:
        send_report(orders.reports, Report(Event.ERROR, ZYGOTE, str(error)))
    except Exception:
        ProcessLog(orders.log_dir, "zygote", orders.started).note(traceback.format_exc())
        send_report(orders.reports, Report(Event.BUG, ZYGOTE, traceback.format_exc()))


def _fork_all(orders: Orders, image: Image, board: Board, children: Children) -> None:
    receiver, sender = os.pipe()
    children.fork(MEMORY_NODE, partial(run_memory_node, orders, board, sender))
    os.close(sender)
    with open(receiver) as pipe:  # noqa: PTH123
        node = pipe.read()
    if not node:
        return  # its end is about to be reported
    send_report(orders.reports, Report(Event.BOUND, MEMORY_NODE, node))
    files_of = {files.core: files for files in image.manifest.cores}
    for core in _fork_order(orders, [*files_of, *orders.idle]):
        if files := files_of.get(core):
            children.fork(core, partial(run_core, orders, _loader(orders, image, files), board, core, node))
        else:
            children.fork(core, partial(run_idle_core, orders, node, core))


def _fork_order(orders: Orders, cores: list[int]) -> list[int]:
    if not orders.chaos:
        return cores
    from launch.chaos_process import shuffled  # here, so that the children need not import it

    return shuffled(orders, cores)


def _loader(orders: Orders, image: Image, files: CoreFiles) -> Callable[[], tuple[Core, Peers]]:
    """What gives a core process its core: the core itself if it is small, made here, for the child to inherit.

    Warm code is several times faster than that of a fresh child; large programs are decoded by all cores at once.
    """
    load = partial(load_core, orders, image, files.core)
    if (image.path / files.program).stat().st_size > SMALL_PROGRAM:
        return load
    try:
        loaded = load()
    except Exception:  # the child meets it again, and reports it as its own
        return load
    return lambda: loaded


def _raise_limits() -> None:
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


if __name__ == "__main__":
    sys.exit(main())
