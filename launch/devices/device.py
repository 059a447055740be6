"""A device: a chip that is powered on without a network, whose crossbars a program acquires, writes and multiplies by.

with device("puma", cores=4) as chip:
    crossbar = chip.acquire(128, 128, "i8")
    crossbar.write(matrix)
    print(crossbar.gemv(vector).result())
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from emu.arch import Arch
from emu.arch.read import load_arch
from emu.errors import InputError, option
from emu.program.banks import Bank, none_free, place_on, spec_for
from emu.wording import counted
from launch.devices.board import row_of
from launch.devices.calls import DeviceCall
from launch.devices.counters import DeviceCounts, total
from launch.devices.crossbar import Crossbar, Future
from launch.devices.failures import DeviceError
from launch.devices.journal import Journal, JournalEntry
from launch.devices.lines import Line, OwnLine, WorkerLine
from launch.devices.options import CORES, TIMEOUT
from launch.devices.types import types_of
from launch.supervision.stopped_processes import Notice
from launch.supervision.timeouts import check_timeout
from launch.system.cleanup import Cleaning

if TYPE_CHECKING:
    from launch.devices.recording import DeviceRecording
    from launch.devices.simulation import Simulation


class Device:
    """Crossbars of some cores; for one thread of the program that has it."""

    def __init__(self, arch: Arch, lines: list[Line], record: bool) -> None:
        self.arch, self.crossbars = arch, list[Crossbar]()
        self._lines, self.banks = lines, [Bank(arch) for _ in lines]
        self._journal = Journal(len(lines), record)
        self._last: list[tuple[DeviceCall, JournalEntry] | None] = [None] * len(lines)
        self._on = True

    @property
    def cores(self) -> int:
        """The number of cores."""
        return len(self._lines)

    @property
    def processes(self) -> dict[str, int]:
        """The processes of its cores, by name."""
        return {line.who: line.pid for line in self._lines if isinstance(line, WorkerLine)}

    @property
    def counters(self) -> DeviceCounts:
        """The counters of all crossbars since power-on."""
        return total(crossbar.counters for crossbar in self.crossbars)

    def acquire(self, rows: int, cols: int, dtype: Any = "f32", *, inputs: Any = None, outputs: Any = None) -> Crossbar:
        """An array group for a matrix [rows, cols] of `dtype`, on a core with the most free crossbars.

        `inputs` is the type of vectors (that of the matrix), `outputs` that of results (i32 for narrower integers, else
        that of the matrix). Raises DeviceError if no core has so many crossbars free.
        """
        self.usable()
        for name, size in (("rows", rows), ("cols", cols)):
            if not isinstance(size, int | np.integer) or isinstance(size, bool) or size < 1:
                raise DeviceError(f"{option(name)} {size!r} is no size of a matrix: give a whole number from 1 on")
        given, held, made = types_of(dtype, inputs, outputs)
        wanted = spec_for(self.arch, int(rows), int(cols), (given, held, made))
        found = place_on(self.banks, wanted)
        if found is None:
            raise DeviceError(none_free(self.arch, self.banks, wanted))
        core, spec = found
        group = self.banks[core].take(spec)
        self._journal.groups[core].append(spec)
        crossbar = Crossbar(self, len(self.crossbars), core, group, spec)
        self._lines[core].submit(DeviceCall("acquire", group, str(crossbar), (spec,)))
        self.crossbars.append(crossbar)
        return crossbar

    def barrier(self, *futures: Future) -> None:
        """Wait for these products; without any, for all that was called. Raises DeviceError, and as `Future.result`."""
        self.usable()
        for future in futures:
            self._own(future).result()
        if not futures:
            for last in filter(None, self._last):
                self.wait(*last)
            for line in self._lines:
                line.look()

    def simulate(self) -> Simulation:
        """Simulated time and energy of all that was called so far on the chip, and the wear of its cells.

        Waits for nothing and needs no data. Raises InputError for a session whose programs the chip cannot hold.
        """
        from launch.devices.simulation import simulate

        return simulate(self.recording())

    def recording(self) -> DeviceRecording:
        """The programs of all that was called so far; raises InputError."""
        from launch.devices.recording import make_recording

        return make_recording(self.arch, self._journal)

    def save(self, out: Path | str) -> None:
        """Write the session as an image: programs that do what was called, its inputs, and its results as golden ones.

        Waits for all that was called. `emu check`, `launch`, `time`, `debug` take it as any other. Raises InputError.
        """
        from launch.devices.recording import write_recording

        if not self._journal.kept:
            raise InputError(f"the device does not record: power it on with {option('record', True)}")
        self.barrier()
        write_recording(Path(out), self.recording())

    # What crossbars and futures need.

    def call(self, core: int, call: DeviceCall, row: int = 0) -> tuple[JournalEntry, DeviceCall]:
        """Note a call, and let it be made."""
        entry = self._journal.add(core, call, row)
        self._lines[core].submit(call)
        self._last[core] = call, entry
        return entry, call

    def wait(self, call: DeviceCall, entry: JournalEntry) -> None:
        """Wait until `call` is done."""
        if not call.done:
            self.usable()
            self._lines[entry.core].wait(call)
        self._journal.over(entry)

    def give_back(self, crossbar: Crossbar, group: int) -> None:
        """Release a group."""
        self._lines[crossbar.core].submit(DeviceCall("release", group, str(crossbar)))
        self.banks[crossbar.core].give_back(group)

    def value_of(self, given: Any) -> Any:
        """An array, or the result of a future of this device."""
        return self._own(given).result() if isinstance(given, Future) else given

    def usable(self) -> None:
        """Raise DeviceError unless the device is on, and what has ended it if something has."""
        for line in self._lines:
            if line.failure is not None:
                raise line.failure.with_traceback(None)
        if not self._on:
            raise DeviceError("the device is off: its `with` block has ended")

    def turn_off(self) -> None:
        """End its processes; may be called twice."""
        self._on = False
        with Cleaning():
            for line in self._lines:
                line.close()

    def _own(self, future: Any) -> Future:
        if not isinstance(future, Future):
            raise DeviceError(f"a barrier waits for futures, not for a {type(future).__name__}")
        if future.device is not self:
            raise DeviceError(f"a future of {future.crossbar} of another device is of no use here: wait for it there")
        return future


@contextlib.contextmanager
def device(
    arch: str | Arch = "default",
    cores: int = CORES,
    *,
    backend: str = "processes",
    timeout: float | None = TIMEOUT,
    record: bool = True,
    notice: Notice | None = None,
) -> Iterator[Device]:
    """Power on `cores` cores of a chip, a preset, file or `Arch`, without a network; at the end all of it is gone.

    `backend` is "processes" (one per core), "sequential" (in this process), "numpy" (plain NumPy), the name of an
    installed one, or the import path of what makes a `launch.devices.board.Board`; such a one has a process, too. A
    call may take `timeout` seconds (None: for ever). With `record` the data of all calls are kept, for `Device.save`.
    `notice` is told of processes that somebody stops. Raises InputError, and what calls raise.
    """
    chip = load_arch(arch) if isinstance(arch, str) else arch
    check_timeout(timeout)
    check_cores(chip, cores)
    lines: list[Line] = []
    with contextlib.ExitStack() as stack:
        for line in _lines(backend, chip, cores, timeout, notice):
            stack.callback(line.close)
            lines.append(line)
        for line in lines:  # they have started at the same time
            line.ready()
        powered = Device(chip, lines, record)
        stack.callback(powered.turn_off)
        yield powered


def check_cores(chip: Arch, cores: object) -> None:
    """Raise InputError unless a chip has so many cores."""
    if not isinstance(cores, int) or isinstance(cores, bool) or not 1 <= cores <= chip.all_cores:
        raise InputError(
            f"{option('cores')} {cores!r} is impossible: {chip.title} has {counted(chip.all_cores, 'core')}"
        )


def _lines(name: str, chip: Arch, cores: int, timeout: float | None, notice: Notice | None) -> Iterator[Line]:
    """A line per core, each made when it is asked for."""
    maker, isolated = row_of(name)
    for core in range(cores):
        yield WorkerLine(maker, chip, core, timeout, notice) if isolated else OwnLine(maker, chip, core)
