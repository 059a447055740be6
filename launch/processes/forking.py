"""The work of the zygote: read its orders, fork memory node and cores, watch them, kill them at the end."""

from __future__ import annotations

import contextlib
import gc
import mmap
import os
import resource
import select
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from emu.core.products.probe import choose
from emu.noc.barrier.joining import join_idle
from emu.noc.watch.board import Board
from emu.noc.wire.transports import TRANSPORTS, first_transport
from launch.processes.children import Children
from launch.processes.failing import failures_reported
from launch.processes.memory import run_memory_node
from launch.processes.observed_memory import observers_of
from launch.processes.observer import ProcessObserver
from launch.processes.orders import (
    MEMORY_NODE,
    ZYGOTE,
    ExpectedRun,
    Orders,
    ProcessReport,
    ReportKind,
    net_of,
    read_orders,
    send_report,
)
from launch.system.process_limits import no_process

if TYPE_CHECKING:
    from launch.processes.core import Loaded

LIFE_LINE = 0  # standard input


def serve() -> int:
    """Serve one run; returns when the launcher has ended or closes the run."""
    if not select.select([LIFE_LINE], [], [], 0)[0]:
        import launch.processes.core  # noqa: F401  # the launcher is not ready yet, and most runs have programs

        warm(first_transport(network=False))
    try:
        orders, early = orders_and_programs()
        return _serve(orders, early)
    except EOFError:
        return 1


def orders_and_programs() -> tuple[Orders, dict[int, Loaded]]:
    """The orders, and the cores of the expected run that were loaded while the launcher was busy."""
    said = read_orders(LIFE_LINE)
    if isinstance(said, Orders):
        return said, {}
    from launch.processes.core import load_expected

    early, orders = load_expected(said), read_orders(LIFE_LINE)
    assert isinstance(orders, Orders)
    expected = said == ExpectedRun(orders.image, orders.options.engine) and not orders.options.analog
    return orders, early if expected else {}


def warm(transport: str) -> None:
    """Import the message library of `transport` here, once for all forks."""
    assert TRANSPORTS[transport].library


def _serve(orders: Orders, early: dict[int, Loaded]) -> int:
    children = Children(orders.reports)
    try:
        _start(orders, early, children)
        children.watch(LIFE_LINE, orders.parent)
    except BrokenPipeError:  # the launcher died while we reported
        return 1
    finally:
        children.kill()
    return 0


def _start(orders: Orders, early: dict[int, Loaded], children: Children) -> None:
    with failures_reported(orders, ZYGOTE, "zygote"):
        warm(orders.options.transport)
        if orders.products and choose(orders.products):
            early = {}  # these were made to multiply as this machine does by itself
        board = Board(mmap.mmap(orders.board, Board.size(len(orders.programs))), orders.programs, orders.elsewhere)
        _raise_limits()
        _fork_all(orders, early, board, children)


def _fork_all(orders: Orders, early: dict[int, Loaded], board: Board, children: Children) -> None:
    """Fork the memory node and, once it can be reached, the cores.

    Cores are made in batches before they are forked. Within one nothing else is done: each page that this process
    writes between two forks is no longer shared with the earlier child.
    """
    gc.freeze()  # pages of permanent objects stay shared
    reached = partial(str, orders.node) if orders.node else _fork_node(orders, board, children)
    observers = observers_of(orders)
    order = [*orders.programs, *orders.idle]  # of the whole run, so that it does not depend on who forks whom
    for observer in observers:
        order = observer.forks(order)
    node = ""
    for works in _batches(orders, orders.forked(order), early, board, observers):
        node = node or reached()
        if not node:
            return  # its end is about to be reported
        gc.freeze()
        for core, work in works.items():
            with no_process(f"core {core}"):
                children.fork(core, partial(work, node))
        works.clear()  # what the next ones are made of takes its pages


def _fork_node(orders: Orders, board: Board, children: Children) -> Callable[[], str]:
    """Fork the memory node; a function that waits for its endpoint and reports it, or gives "" if it has ended."""
    receiver, sender = os.pipe()
    with no_process("the memory node"):
        process = children.fork(MEMORY_NODE, partial(run_memory_node, orders, board, sender))
    os.close(sender)

    def reached() -> str:
        with open(receiver) as pipe:  # noqa: PTH123
            node = pipe.read()
        if node:
            send_report(orders.reports, ProcessReport(ReportKind.BOUND, MEMORY_NODE, node, process=process))
        return node

    return reached


def _batches(
    orders: Orders, order: Sequence[int], early: dict[int, Loaded], board: Board, observers: Sequence[ProcessObserver]
) -> Iterator[dict[int, Callable[[str], None]]]:
    """The work of each core, a function of the memory node's endpoint, in this `order`; raises EmuErrors.

    They come in batches, each of which is given up before the next one is made.
    """
    net, programs = net_of(orders), set(orders.programs)
    if programs.isdisjoint(order):
        yield {core: partial(join_idle, net, core) for core in order}
        return
    from emu.image.reader import on_chip, open_image
    from launch.processes.core import batches, make_loader, run_core

    # The launcher has verified it.
    image = on_chip(open_image(Path(orders.image), verify=False), orders.options.analog)
    may = all(observer.early for observer in observers)

    def work(core: int) -> Callable[[str], None]:
        if core not in programs:
            return partial(join_idle, net, core)
        load = make_loader(orders, image, core, may, early.pop(core, None))
        return partial(run_core, orders, observers, net, load, board.row(core), core)

    for batch in batches(image, order):
        yield {core: work(core) for core in batch}


def _raise_limits() -> None:
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
