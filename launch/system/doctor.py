"""Checks whether this machine can run a chip of N cores, and says what to change where it cannot."""

from __future__ import annotations

import os
import platform
import resource
import shutil
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

from emu.arch.chip import MAX_CORES
from emu.errors import InputError
from emu.output.scratch import scratch_place
from emu.output.temporary import remove, remove_at_exit
from emu.wording import counted
from launch.system.open_files import files_needed, open_files_limit
from launch.system.process_limits import available_memory, process_limits, processes_needed
from launch.system.run_directory import (
    LONGEST_NAME,
    MAX_IPC_PATH,
    choose_run_directory,
    make_run_directory,
)

OK, WARN, FAIL = "ok", "warn", "fail"
PACKAGES = ("numpy", "onnx", "onnxruntime", "pyzmq", "msgpack", "click", "xdsl", "rich")
MAPS = 4096  # memory maps of a process: libraries (some hundred), stacks, weights, arrays
BYTES_PER_CORE = 8 << 20  # own pages of a forked core with a small program (6 MiB were measured)


@dataclass(frozen=True, slots=True)
class DoctorCheck:
    """The outcome of one check: its name, status, what was found, and what to do if it is not ok."""

    name: str
    status: str
    found: str
    advice: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class DoctorNeed:
    """What must fit on this machine: `cores` processes, of a chip that has `run` of them on all machines."""

    cores: int
    run: int


def examine(cores: int = 64, run: int = 0) -> list[DoctorCheck]:
    """All checks for a chip of `cores` processes, or for so many of one that has `run` on all machines."""
    need = DoctorNeed(cores, max(run, cores))
    return [check for probe in PROBES for check in probe(need)]


def _python(_wanted: DoctorNeed) -> Iterator[DoctorCheck]:
    version = platform.python_version()
    status = OK if sys.version_info >= (3, 11) else FAIL
    yield DoctorCheck("python", status, version, "" if status == OK else "install Python 3.11 or newer")
    if not sys.platform.startswith("linux"):
        yield DoctorCheck(
            "system", WARN, sys.platform, "only Linux is tested: core processes may outlive a killed launcher"
        )


def _packages(_wanted: DoctorNeed) -> Iterator[DoctorCheck]:
    for name in PACKAGES:
        try:
            yield DoctorCheck(name, OK, metadata.version(name))
        except metadata.PackageNotFoundError:
            yield DoctorCheck(name, FAIL, "missing", f"pip install {name}")


def _open_files(wanted: DoctorNeed) -> Iterator[DoctorCheck]:
    need = files_needed(wanted.run, wanted.run - 1)  # also if every core talks to every other
    limit = open_files_limit()
    yield _limit_check(
        "open files", resource.RLIM_INFINITY if limit is None else limit, need, f"ulimit -n {need} (as root)"
    )


def _limit_check(name: str, limit: int, need: int, command: str) -> DoctorCheck:
    state = f"limit {'none' if limit == resource.RLIM_INFINITY else limit}, needed about {need}"
    if limit == resource.RLIM_INFINITY or limit >= need:
        return DoctorCheck(name, OK, state)
    return DoctorCheck(name, FAIL, state, f"raise it with: {command}; or use fewer cores, or --sequential")


def _chip(wanted: DoctorNeed) -> Iterator[DoctorCheck]:
    if wanted.run > MAX_CORES:
        yield DoctorCheck("chip", FAIL, f"{wanted.run} cores", f"a chip has at most {MAX_CORES} cores: ask for fewer")


def _processes(wanted: DoctorNeed) -> Iterator[DoctorCheck]:
    need = processes_needed(wanted.cores)
    limits = list(process_limits(need))
    for limit in limits:
        state = f"limit {limit.most}, {limit.used} in use, needed about {need}"
        if limit.short_of(need):
            yield DoctorCheck(limit.name, FAIL, state, f"{limit.advice(need)}; or use fewer cores, or --sequential")
    if not any(limit.short_of(need) for limit in limits):
        room = min((limit.most - limit.used for limit in limits), default=None)
        state = f"{'no limit' if room is None else f'room for {room}'}, needed about {need}"
        yield DoctorCheck("processes and threads", OK, state)


def _maps(_wanted: DoctorNeed) -> Iterator[DoctorCheck]:
    try:
        limit = int(Path("/proc/sys/vm/max_map_count").read_text())
    except (OSError, ValueError):
        return
    yield _limit_check("memory maps of a process", limit, MAPS, f"sysctl -w vm.max_map_count={2 * MAPS}")


def _memory(wanted: DoctorNeed) -> Iterator[DoctorCheck]:
    need = wanted.cores * BYTES_PER_CORE
    free = available_memory()
    idle = counted(wanted.cores, "idle core")
    state = f"{_gib(free)} available, about {_gib(need)} for {idle}, plus weights and activations"
    advice = "use fewer cores, --sequential, or a machine with more memory"
    yield DoctorCheck("memory", OK if free >= need else FAIL, state, "" if free >= need else advice)


def _gib(size: int) -> str:
    return f"{size / (1 << 30):.1f} GiB"


def _temporary_space(_wanted: DoctorNeed) -> Iterator[DoctorCheck]:
    folder = scratch_place()
    free = shutil.disk_usage(folder).free
    status = OK if free >= 1 << 30 else WARN
    yield DoctorCheck(
        "temporary space", status, f"{_gib(free)} free in {folder}", "" if status == OK else "set TMPDIR elsewhere"
    )


def _zeromq(_wanted: DoctorNeed) -> Iterator[DoctorCheck]:
    import zmq

    from emu.noc.wire.zeromq.constant_send import sends_without_copy

    version = zmq.zmq_version()
    if not sends_without_copy():
        advice = "large messages are copied, which takes time; use the locked pyzmq (requirements.lock)"
        yield DoctorCheck(
            "ZeroMQ copies", WARN, f"pyzmq {zmq.__version__} hides zmq_send_const of libzmq {version}", advice
        )
    if not zmq.has("ipc"):
        yield DoctorCheck("ZeroMQ ipc", FAIL, f"libzmq {version} without ipc", "use --transport tcp")
        return
    if not zmq.has("curve"):
        yield DoctorCheck(
            "ZeroMQ tcp", WARN, f"libzmq {version} without CURVE", "use ipc: --transport tcp will be refused"
        )
    try:
        directory = choose_run_directory()
        # Known before it exists, so that no moment at which a signal may come leaves it behind.
        remove_at_exit(directory, lambda: remove(directory))
        make_run_directory(directory)
    except InputError as error:
        yield DoctorCheck(
            "ZeroMQ ipc", FAIL, str(error), "set TMPDIR to a short, writable path, or use --transport tcp"
        )
        return
    remove(directory)
    length = len(os.fsencode(directory)) + len(LONGEST_NAME)
    yield DoctorCheck(
        "ZeroMQ ipc", OK, f"libzmq {version}, sockets in {directory.parent}, {length} of {MAX_IPC_PATH} bytes"
    )


def _blas(_wanted: DoctorNeed) -> Iterator[DoctorCheck]:
    from emu.core.products.probe import chosen, steady
    from emu.core.products.ways import WAYS

    way = chosen()
    slow = way is WAYS[-1]
    if not slow or steady(way):  # the last one is taken where none is
        advice = "NumPy with OpenBLAS multiplies several times faster" if slow else ""
        found = f"floats are multiplied {way.name}: a row has the same bits wherever it stands"
        yield DoctorCheck("BLAS", WARN if slow else OK, found, advice)
    else:
        advice = "floats of --engine batch and step may differ in the last bits; integers are not affected"
        yield DoctorCheck("BLAS", WARN, "bits of a row of a product depend on the rows beside it", advice)


PROBES: tuple[Callable[[DoctorNeed], Iterator[DoctorCheck]], ...] = (
    _python,
    _packages,
    _chip,
    _open_files,
    _processes,
    _maps,
    _memory,
    _temporary_space,
    _zeromq,
    _blas,
)
