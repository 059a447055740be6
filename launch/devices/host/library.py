"""Builds the library of calls that compiled hosts are linked with, where a C compiler is."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
from pathlib import Path

from emu.errors import InputError
from emu.output.folder import make_folder
from emu.output.scratch import ScratchFolder
from emu.output.whole_file import write_whole

NAME = "emu_device"
SOURCES = Path(__file__).resolve().parent
FLAGS = ("-std=c11", "-O2", "-Wall", "-Wextra", "-shared", "-fPIC")


def build_library(folder: Path) -> list[Path]:
    """Write the shared library and its header into `folder`; raises InputError if there is no compiler."""
    header, library = folder / f"{NAME}.h", folder / f"lib{NAME}.so"
    with ScratchFolder("library") as scratch:
        made = scratch / library.name
        _compile([*compiler(), *FLAGS, str(SOURCES / f"{NAME}.c"), "-o", str(made)])
        make_folder(folder)  # once there is something to put there
        write_whole(library, made.read_bytes())
    write_whole(header, (SOURCES / header.name).read_bytes())
    return [library, header]


def compiler() -> list[str]:
    """The words that call the C compiler, $CC or cc; raises InputError."""
    given = os.environ.get("CC", "")
    try:
        words = shlex.split(given) or ["cc"]
    except ValueError:
        words = [given]
    if shutil.which(words[0]) is None:
        asked = f"$CC is {given!r}, and there is no such program" if given.strip() else "there is no cc"
        raise InputError(f"no C compiler: {asked}; install gcc or clang, or name one by CC=...")
    return words


def _compile(command: list[str]) -> None:
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace")
    except OSError as error:
        raise InputError(f"{command[0]} cannot be started: {error.strerror}") from None
    if done.returncode:
        said = (done.stderr.strip() or "it says nothing").splitlines()
        first = next((line for line in said if "error" in line), said[-1])
        raise InputError(f"{command[0]} cannot compile the library (exit code {done.returncode}): {first}")
