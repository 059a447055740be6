"""Hosts of a device, for tests: one that speaks in frames, a server for it, and C programs with the library."""

from __future__ import annotations

import os
import shutil
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import pytest
from frame_host import PATIENCE

from launch.devices.device import Device, device
from launch.devices.host.library import compiler
from launch.devices.serving import serving
from launch.devices.wire import TYPES

ROOT = Path(__file__).parents[2]
TYPES_OF_C = dict(TYPES.values())
HAS_COMPILER = shutil.which((os.environ.get("CC") or "cc").split()[0]) is not None
needs_compiler = pytest.mark.skipif(not HAS_COMPILER, reason="no C compiler here")


@contextmanager
def served(folder: Path, backend: str = "sequential", arch: str = "tiny", cores: int = 2) -> Iterator[Served]:
    """A device that another thread serves."""
    path = folder / "device"
    with device(arch, cores, backend=backend) as chip, serving(chip, path) as server:
        one = Served(chip, path)
        reader, writer = os.pipe()

        def run() -> None:
            try:
                server.serve(reader)
            except BaseException as error:
                one.error = error

        one.thread = threading.Thread(target=run)
        one.thread.start()
        try:
            yield one
        finally:
            os.close(writer)  # as if the host program had ended
            one.thread.join(PATIENCE)
            os.close(reader)
            assert not one.thread.is_alive()


class Served:
    """The device, its socket, and what has ended its server."""

    thread: threading.Thread
    error: BaseException | None = None

    def __init__(self, chip: Device, path: Path) -> None:
        self.chip, self.path = chip, path

    @property
    def free(self) -> list[int]:
        return [bank.free for bank in self.chip.banks]


@cache
def library(folder: Path) -> Path:
    """The library, built into `folder`."""
    from launch.devices.host.library import build_library

    return build_library(folder)[0]


def compiled(source: Path, folder: Path, program: Path) -> Path:
    """A program of the library in `folder`, without a warning."""
    library(folder)
    words = [*compiler(), "-std=c11", "-Wall", "-Wextra", "-Werror", f"-I{folder}", str(source), "-o", str(program)]
    subprocess.run([*words, f"-L{folder}", "-lemu_device", f"-Wl,-rpath,{folder}"], check=True)
    return program
