"""The orders that the launcher gives the zygote, and the reports of the zygote, the memory node and the cores."""

from __future__ import annotations

import os
import struct
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, fields, replace
from enum import IntEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgpack

from emu.core.trap import TrapRecord
from emu.noc.barrier.joining import Net
from emu.noc.ports.port import FlowControl

if TYPE_CHECKING:
    from launch.processes.options import RunOptions

LENGTH = struct.Struct("<Q")
MAX_ORDERS = 1 << 28  # bytes
PIPE_BUF = 4096  # a write of at most so many bytes to a pipe is atomic (POSIX: at least 512; Linux: 4096)
_TEXTS = "surrogatepass"  # names of files may hold bytes that are no text
MAX_TEXT = 2500  # bytes of a text in a report
MEMORY_NODE, ZYGOTE = -1, -2  # in place of a core's number
EXPECTED = "expected"  # the only key of what comes before orders
OTHERS = {MEMORY_NODE: "the memory node", ZYGOTE: "the zygote process"}


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessOptions:
    """Those of the `RunOptions` that processes follow; what only the launcher follows they need not import."""

    transport: str
    bind: str
    flow: str
    engine: str
    log_dir: str | None
    analog: str
    seed: int

    @classmethod
    def of(cls, options: RunOptions) -> ProcessOptions:
        """Those of `options`, checked, and with a directory of logs that is there."""
        return cls(**{each.name: getattr(options, each.name) for each in fields(cls)})


@dataclass(frozen=True, slots=True, kw_only=True)
class Orders:
    """Everything that the processes of a run need to know; plain values.

    A run over several machines has orders for each: all name the same `programs` and `idle`, and each which of them
    it forks.
    """

    image: str
    programs: list[int]  # cores of the run that have a program
    idle: list[int]  # cores of the run that have none
    here: list[int] | None = None  # those of both that this machine forks; None: all
    node: str = ""  # endpoint of the memory node; empty: this machine forks it
    options: ProcessOptions
    keep: dict[int, list[int]]  # core -> buffers to capture
    token: bytes
    keys: tuple[bytes, ...] = ()  # of a run over a network, as its message library makes them
    directory: str = ""  # of sockets
    started: float  # time.monotonic of the launcher
    parent: int = 0  # the process that the zygote must not survive
    board: int = -1  # file descriptor of the status board, and of the memory of observers behind it
    reports: int = -1  # file descriptor to write reports to
    observers: list[tuple[str, Any, int]]  # class, by name; values; bytes of memory for each core with a program
    global_size: int  # bytes of global memory in use
    read_only: bool = False  # whether the image has read-only tensors: the memory node maps them
    outputs: list[tuple[int, int]]  # ranges of global memory
    largest: int  # bytes of the largest message
    products: str = ""  # the way of multiplying on which all machines agree; empty: each process chooses as it does

    def encode(self) -> bytes:
        """The bytes that `read_orders` reads."""
        return _frame(asdict(self))

    def forked(self, cores: Sequence[int]) -> list[int]:
        """Those of `cores`, in their order, that this machine forks."""
        if self.here is None:
            return list(cores)
        here = set(self.here)
        return [core for core in cores if core in here]

    @property
    def elsewhere(self) -> set[int]:
        """The cores with a program, and the memory node, that this machine does not fork."""
        return set(self.programs).difference(self.forked(self.programs)) | ({MEMORY_NODE} if self.node else set())


@dataclass(frozen=True, slots=True)
class ExpectedRun:
    """The expected run, sent ahead of the orders: the path of the image and the engine."""

    image: str
    engine: str

    def encode(self) -> bytes:
        """The bytes that `read_orders` reads."""
        return _frame({EXPECTED: asdict(self)})


def read_orders(descriptor: int) -> Orders | ExpectedRun:
    """Read orders, or the expected run before them, from a pipe; raises EOFError if it ends early."""
    (size,) = LENGTH.unpack(_read_exactly(descriptor, LENGTH.size))
    if size > MAX_ORDERS:
        raise EOFError(f"orders of {size} bytes")
    return _orders(_read_exactly(descriptor, size))


def orders_of(encoded: bytes) -> Orders:
    """The orders that `Orders.encode` has made these bytes of."""
    said = _orders(encoded[LENGTH.size :])
    assert isinstance(said, Orders)
    return said


def _orders(data: bytes) -> Orders | ExpectedRun:
    said: dict[str, Any] = msgpack.unpackb(data, strict_map_key=False, unicode_errors=_TEXTS)
    if EXPECTED in said:
        return ExpectedRun(**said[EXPECTED])
    return Orders(**{**said, "options": ProcessOptions(**said["options"])})


def net_of(orders: Orders) -> Net:
    """The network of a run."""
    options, directory = orders.options, Path(orders.directory)
    flow = FlowControl.parse(options.flow)
    return Net(options.transport, directory, orders.token, flow, orders.largest, tuple(orders.keys), options.bind)


def _frame(fields: dict[str, Any]) -> bytes:
    data: bytes = msgpack.packb(fields, unicode_errors=_TEXTS)
    return LENGTH.pack(len(data)) + data


def _read_exactly(descriptor: int, size: int) -> bytes:
    data = bytearray()
    while len(data) < size:
        part = os.read(descriptor, min(size - len(data), 1 << 20))
        if not part:
            raise EOFError("the launcher is gone")
        data += part
    return bytes(data)


class ReportKind(IntEnum):
    """The kind of a report."""

    BOUND = 0  # text: the memory node's endpoint; `process`
    TRAP = 1  # record; `peer` traps too, or is -1
    ERROR = 2  # text: for the user
    BUG = 3  # text: traceback
    EXIT = 4  # status of the process, as of `subprocess`
    DAMAGED = 5  # text: what is wrong with a message
    LOST = 6  # text: which machine cannot be reached any more, of a run over several


@dataclass(frozen=True, slots=True)
class ProcessReport:
    """One report of a core (or MEMORY_NODE), on the `machine` of that name in a run over several."""

    event: ReportKind
    core: int
    text: str = ""
    status: int = 0
    peer: int = -1
    record: TrapRecord | None = None
    process: int = 0
    machine: str = ""


def send_report(descriptor: int, report: ProcessReport) -> None:
    """Write a report in one piece."""
    data: bytes = msgpack.packb(asdict(_cut(report)))
    assert len(data) <= PIPE_BUF, "a report must fit into one atomic write"
    os.write(descriptor, data)


def _cut(report: ProcessReport) -> ProcessReport:
    """The report with long texts cut to their ends, and only the outermost loops."""
    text = report.text.encode(errors="backslashreplace")[-MAX_TEXT:].decode(errors="ignore")
    record = report.record
    if record is not None:
        fields = {name: _cut_value(value) for name, value in asdict(record).items()}
        record = TrapRecord(**fields)
    return replace(report, text=text, record=record)


def _cut_value(value: Any) -> Any:
    match value:
        case str():
            return value.encode(errors="backslashreplace")[: MAX_TEXT // 5].decode(errors="ignore")
        case tuple():
            return value[:64]
        case int() if not -(1 << 63) <= value < 1 << 63:
            return None
        case _:
            return value


def report_of(fields: dict[str, Any]) -> ProcessReport:
    """The report that `asdict` has made these plain values of."""
    record = fields["record"]
    if record is not None:
        record = TrapRecord(**{**record, "counters": tuple(record["counters"])})
    return ProcessReport(**{**fields, "event": ReportKind(fields["event"]), "record": record})


class ReportReader:
    """Turns the bytes of the report pipe into reports; `ended` once all writers are gone."""

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor
        self.ended = False
        self._unpacker = msgpack.Unpacker(max_buffer_size=1 << 24)

    def read(self) -> Iterator[ProcessReport]:
        """The reports that one read of the (readable) pipe gives."""
        data = os.read(self.descriptor, 1 << 16)
        self.ended = not data
        self._unpacker.feed(data)
        for each in self._unpacker:
            yield report_of(each)
