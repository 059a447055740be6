"""The interface of a back end: the crossbars of one core, as four methods."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np

from emu.arch import Arch
from emu.errors import EmuError
from emu.program.group import GroupSpec
from emu.wording import nearest
from launch.devices.failures import DeviceError, said_by
from launch.system.by_name import named

ENTRY_POINTS = "reram_emu.devices"


class Board(Protocol):
    """The crossbars of one core. All calls come one after the other, from one thread.

    What a device has refused never comes here: groups are acquired, matrices fit, and every row is written before a
    product. Any exception is told to the caller as a sentence that names the core and the call; a call that takes too
    long ends the process that it is made in, so nothing has to be done about that here.
    """

    def acquire(self, group: int, spec: GroupSpec) -> None:
        """From now on `group` stands for crossbars of rows `spec.rows`, columns `spec.cols` and these element types.

        They are numbers `spec.bank` on of the core's crossbars, `spec.crossbars` of them, and hold nothing.
        """
        ...

    def write(self, group: int, row: int, values: np.ndarray) -> None:
        """Write `values` [rows, spec.cols] to the rows from `row` on; returns when they are there."""
        ...

    def multiply(self, group: int, vectors: np.ndarray, start: np.ndarray | None) -> np.ndarray:
        """`vectors` [m, spec.rows] times what is written, [m, spec.cols] of `spec.output`; added to `start`, if given.

        What `mvmul` does: integers wrap, floats are summed in f32.
        """
        ...

    def release(self, group: int) -> None:
        """`group` is no longer used; its crossbars may be acquired again."""
        ...


MakeBoard = Callable[[Arch, int], Board]  # of a chip, and the number of the core

# By name: the maker of a core's crossbars, and whether they are in a process of their own.
BACKENDS: dict[str, tuple[str, bool]] = {
    "processes": ("launch.devices.emulated:EmulatedCore", True),
    "sequential": ("launch.devices.emulated:EmulatedCore", False),
    "numpy": ("launch.devices.oracle:NumpyCore", False),
}


def row_of(name: str) -> tuple[str, bool]:
    """The row of a back end: one of `BACKENDS`, of an installed package, or a maker by its import path.

    Raises DeviceError for a name that nobody has.
    """
    if name in BACKENDS:
        return BACKENDS[name]
    if ":" in name:
        return name, True
    from importlib.metadata import entry_points  # processes of cores need none of it

    installed = {entry.name: entry.value for entry in entry_points(group=ENTRY_POINTS)}
    if name in installed:
        return installed[name], True
    known = [*BACKENDS, *installed]
    raise DeviceError(
        f"back end {name!r} is unknown: use {', '.join(known)}, or the import path of a maker, as in"
        f" 'package.module:Board'{nearest(name, known)}"
    )


def make_board(maker: str, arch: Arch, core: int) -> Board:
    """The crossbars of a core from the maker with this import path; raises DeviceError if it fails."""
    try:
        make: MakeBoard = named(maker)
    except (ImportError, AttributeError, ValueError) as error:
        raise DeviceError(f"back end {maker!r} cannot be imported: {error}") from None
    except Exception as error:  # of a foreign module
        raise DeviceError(f"back end {maker!r} cannot be imported: {said_by(error)}") from error
    try:
        return make(arch, core)
    except EmuError:
        raise
    except Exception as error:
        raise DeviceError(f"back end {maker!r} cannot be made: {said_by(error)}") from error
