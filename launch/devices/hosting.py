"""A device for host programs, from power-on to its counters: for one that is started, or for all that connect."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from emu.errors import EmuError, InputError
from emu.output.temporary import remove, remove_at_exit
from emu.wording import counted
from launch.devices.device import Device, device
from launch.devices.host.program import RunningHostProgram
from launch.devices.options import DeviceOptions
from launch.devices.serving import DeviceServer, serving
from launch.system.cleanup import Cleaning
from launch.system.run_directory import choose_run_directory, make_run_directory

if TYPE_CHECKING:
    from launch.devices.simulation import Simulation

Tell = Callable[[str], None]
_SOCKET = "device"  # its name in a directory of its own


@dataclass(slots=True)
class Hosted:
    """The result of a device: the number of `hosts` that it served, its counters, and why it failed, if it did."""

    arch: str = ""
    hosts: int = 0
    counters: dict[str, Any] = field(default_factory=dict[str, Any])
    host_exit_code: int | None = None
    failure: str = ""
    exit_code: int = 0
    out: Path | None = None  # the image of the session
    simulation: Simulation | None = None  # of the session, if it is recorded
    asides: list[str] = field(default_factory=list[str])


@dataclass(frozen=True, slots=True)
class Hosting:
    """A device of `arch` by `options`, whose session is written to `out` unless that is None.

    With `quiet`, a host program has no standard output of its own. `notice` is told what happens meanwhile.
    """

    arch: str
    options: DeviceOptions
    out: Path | None
    notice: Tell
    quiet: bool = False

    def run(self, command: Sequence[str], hosted: Hosted) -> None:
        """Power it on, run a host program, and note in `hosted` what came of both; raises InputError."""

        def one_program(server: DeviceServer, socket: Path) -> None:
            with RunningHostProgram(command, socket, self.quiet) as program:
                server.serve(program.ended)
                hosted.host_exit_code = hosted.exit_code = program.wait()
                hosted.failure = program.failure()

        with _private_directory() as folder:
            self._host(folder / _SOCKET, hosted, one_program)

    def serve(self, socket: Path, once: bool, hosted: Hosted) -> None:
        """Power it on and serve hosts at `socket`, until a signal ends that, or, with `once`, one is gone."""

        def all_that_come(server: DeviceServer, socket: Path) -> None:
            cores = counted(self.options.cores, "core")
            self.notice(f"{cores} of {hosted.arch} at {socket}: hosts find it by EMU_DEVICE={socket}")
            server.serve(once=once)

        self._host(socket, hosted, all_that_come)

    def _host(self, socket: Path, hosted: Hosted, served: Callable[[DeviceServer, Path], None]) -> None:
        given = self.options
        settings = {"backend": given.backend, "timeout": given.timeout or None, "notice": self.notice}
        with device(self.arch, given.cores, record=self.out is not None, **settings) as chip:
            hosted.arch = chip.arch.name
            with serving(chip, socket) as server:
                try:
                    served(server, socket)
                except InputError:
                    raise
                except EmuError as failure:  # it ends the device: what was done until then is told, too
                    hosted.failure, hosted.exit_code = str(failure), failure.exit_code
                finally:
                    hosted.hosts, hosted.counters = server.served, chip.counters.to_dict()
                    self._save(chip, hosted)

    def _save(self, chip: Device, hosted: Hosted) -> None:
        """Write the session, also if a signal ends it; a failure to write is an aside."""
        if self.out is None:
            return
        with Cleaning():
            try:
                if not chip.crossbars or not any((hosted.counters["writes"], hosted.counters["products"])):
                    raise InputError("nothing was called")
                chip.save(self.out)
                hosted.out, hosted.simulation = self.out, chip.simulate()
            except EmuError as reason:
                hosted.asides.append(f"warning: the session is not recorded in {self.out}: {reason}")


@contextlib.contextmanager
def _private_directory() -> Iterator[Path]:
    """A fresh directory of mode 0700 for a socket, which is gone at the end."""
    directory = choose_run_directory()
    remove_at_exit(directory, lambda: remove(directory))  # known before it exists
    try:
        make_run_directory(directory)
        yield directory
    finally:
        remove(directory)
