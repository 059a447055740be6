"""The work of a core process after the fork: load its program, join the barrier, run samples until it is killed."""

from __future__ import annotations

import os
import signal
import traceback
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import NoReturn

from emu.core.engines.core import Core
from emu.core.products.probe import settle
from emu.core.trap import CoreTrap
from emu.errors import EmuError
from emu.image.reader import Image, open_image
from emu.noc.barrier.joining import Net
from emu.noc.between_processes.driver import SampleLog, drive
from emu.noc.between_processes.join import join_core
from emu.noc.between_processes.process_port import ProcessPort
from emu.noc.ports.port import DamagedMessage, PortFault
from emu.noc.ports.resumable_core import ResumableCore
from emu.noc.traffic.traffic import Peers, peers_of
from emu.noc.watch.board import Activity, BoardRow
from emu.noc.wire.frames import MalformedFrame
from launch.processes.log import ProcessLog, core_log
from launch.processes.observer import MakePort, ProcessObserver
from launch.processes.orders import ExpectedRun, Orders, ProcessReport, ReportKind, send_report

SMALL_PROGRAM = 1 << 18  # bytes of a program file
BATCH = 1 << 20  # bytes of such files: what is made of them is in every fork, which pays for each page of it


Loaded = tuple[Core, Peers]  # a core with its program and weights, and its peers


def load_core(image: Image, engine: str, core: int, keep: Collection[int] = ()) -> Loaded:
    """Core `core` of `image`, which keeps the buffers `keep`; raises EmuErrors."""
    program = image.program(core)
    return Core(program, image.arch, image.weights(core), engine, keep), peers_of(program)


def load_early(image: Image, engine: str, core: int, keep: Collection[int] = ()) -> Loaded | None:
    """A core that is loaded before the fork, for its process to inherit; None if the process should load it itself.

    Warm code is several times faster than that of a fresh child; large programs are decoded by all cores at once.
    """
    try:
        if image.program_size(core) > SMALL_PROGRAM:
            settle()  # once, before the fork: else each process would choose its products by itself
            return None
        loaded = load_core(image, engine, core, keep)
        loaded[0].prepare()
    except Exception:  # raised again in the child, which reports it
        return None
    return loaded


def batches(image: Image, cores: Iterable[int]) -> Iterator[list[int]]:
    """`cores`, in their order, in parts of few enough small programs to be loaded before the forks of the part."""
    batch, room = list[int](), BATCH
    for core in cores:
        size = _early_bytes(image, core)
        if size > room and batch:
            yield batch
            batch, room = [], BATCH
        batch.append(core)
        room -= size
    yield batch


def _early_bytes(image: Image, core: int) -> int:
    """Bytes of the program of `core`, if it may be loaded early and can be read; 0 if it has none."""
    try:
        size = image.program_size(core)
    except (EmuError, OSError):  # raised again where it is loaded
        return 0
    return size if size <= SMALL_PROGRAM else 0


def load_expected(expected: ExpectedRun) -> dict[int, Loaded]:
    """The first cores of an expected run, as far as they can be loaded before its orders arrive."""
    try:
        image = open_image(Path(expected.image), verify=False)
    except EmuError:  # the launcher raises it, too
        return {}
    early = {core: load_early(image, expected.engine, core) for core in next(batches(image, image.cores))}
    return {core: loaded for core, loaded in early.items() if loaded is not None}


def make_loader(orders: Orders, image: Image, core: int, early: bool, loaded: Loaded | None) -> Callable[[], Loaded]:
    """A function that gives a core process its core: one `loaded` before the fork, or if `early` one loaded now."""
    keep, engine = orders.keep.get(core, ()), orders.options.engine
    known = loaded if early and not keep else None
    if known is None and early:
        known = load_early(image, engine, core, keep)
    if known is None:
        return partial(load_core, image, engine, core, keep)
    return lambda: known


def run_core(
    orders: Orders,
    observers: Sequence[ProcessObserver],
    net: Net,
    load: Callable[[], Loaded],
    row: BoardRow,
    core: int,
    node: str,
) -> NoReturn:
    """Be core `core` until the zygote or its death ends this process; `node` is the memory node's endpoint."""
    log = ProcessLog(orders.options.log_dir, core_log(core), orders.started)
    row.belongs(os.getpid())
    try:
        log.starts(orders.options.seed)
        for observer in observers:
            observer.begins(core)
        loaded, peers = load()
        loaded.statistics.tell = row.stepped
        resumable: ResumableCore = loaded
        make: MakePort = ProcessPort
        lines: SampleLog = log
        for observer in observers:
            resumable, make = observer.resumable(core, resumable), observer.ports(core, make)
            lines = observer.log(core, lines)
        drive(resumable, join_core(net, node, core, peers, row, make), row, lines)
    except CoreTrap as trap:
        row.does(Activity.TRAPPED)
        report = ProcessReport(ReportKind.TRAP, core, peer=_trapping_peer(trap), record=trap.record)
        log.last(f"trap: {trap.record}")
    except EmuError as error:
        report = ProcessReport(ReportKind.ERROR, core, str(error))
        log.last(f"error: {error}")
    except (DamagedMessage, MalformedFrame) as error:
        report = ProcessReport(ReportKind.DAMAGED, core, str(error))
        log.last(f"error: {error}")
    except Exception:
        report = ProcessReport(ReportKind.BUG, core, traceback.format_exc())
        log.last(f"error of the emulator itself:\n{traceback.format_exc()}")
    send_report(orders.reports, report)
    # What was sent may still be on its way to the peer: stay until the run is torn down.
    while True:
        signal.pause()


def _trapping_peer(trap: CoreTrap) -> int:
    """The sender of a message that does not fit its receive: it traps together with the receiver. -1: there is none."""
    fault = trap.__cause__
    return fault.peer if isinstance(fault, PortFault) else -1
