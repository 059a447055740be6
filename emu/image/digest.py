"""SHA-256 of the files of an image, streamed, and their comparison with the manifest."""

from __future__ import annotations

import contextlib
import hashlib
import os
import threading
from collections.abc import Generator
from pathlib import Path

from emu.errors import ProgramError
from emu.files import open_file, shown, size_of
from emu.image.manifest import FileDigest, Manifest

_BLOCK = 1 << 20  # bytes hashed at once
_THREADS = 2  # hashing releases the interpreter


def digest(path: Path, stop: threading.Event | None = None) -> FileDigest:
    """Digest and size of one file; raises ProgramError naming it. Once `stop` is set, the rest is left out.

    Nothing is read beyond the size that the file has at first: files of /proc claim to be empty, and some never end.
    """
    steps = digest_steps(path, stop)
    while True:
        try:
            next(steps)
        except StopIteration as end:
            return end.value


def digest_steps(path: Path, stop: threading.Event | None = None) -> Generator[None, None, FileDigest]:
    """`digest`, a block in each step."""
    sha256, size = hashlib.sha256(), 0
    with open_file(path, ProgramError) as file:
        end = size_of(file)
        try:
            while (block := file.read(min(_BLOCK, end - size))) and not (stop and stop.is_set()):
                sha256.update(block)
                size += len(block)
                yield
        except OSError as error:
            raise ProgramError(f"{path} cannot be read: {error.strerror}") from None
    return FileDigest(sha256.hexdigest(), size)


def digests(directory: Path, names: list[str]) -> dict[str, FileDigest]:
    """Digests of several files, in the order of `names`; raises ProgramError naming a file that cannot be read.

    The threads are daemons and are told to stop: whatever ends this early (a signal, say) does not wait for them.
    """
    stop, pending = threading.Event(), list(enumerate(names))[::-1]
    outcomes: dict[int, FileDigest | BaseException] = {}

    def work() -> None:
        while pending and not stop.is_set():
            try:
                place, name = pending.pop()
            except IndexError:  # the other thread took the last one
                return
            try:
                outcomes[place] = _named(directory, name, stop)
            except BaseException as error:
                outcomes[place] = error
                return

    threads: list[threading.Thread] = []
    try:
        with contextlib.suppress(RuntimeError):  # no more threads may be started here
            for _ in range(min(_THREADS, len(names))):
                thread = threading.Thread(target=work, daemon=True)
                thread.start()
                threads.append(thread)
        if not threads:
            work()
        for thread in threads:
            thread.join()
    finally:
        stop.set()
    return {name: _sound(outcomes[place]) for place, name in enumerate(names)}


def _named(directory: Path, name: str, stop: threading.Event) -> FileDigest:
    if not os.path.lexists(directory / name):
        raise ProgramError(f"{shown(directory)}: file {shown(name)!r} of the manifest is missing")
    return digest(directory / name, stop)


def _sound(outcome: FileDigest | BaseException) -> FileDigest:
    if isinstance(outcome, BaseException):
        raise outcome
    return outcome


def check_digests(directory: Path, manifest: Manifest) -> None:
    """Raise ProgramError naming the first file that is missing or not what the manifest says."""
    for name, digest in digests(directory, list(manifest.files)).items():
        if digest != manifest.files[name]:
            raise ProgramError(
                f"{directory / name} has changed since the image was written: "
                f"run `emu import --seal {directory}` if the edit was deliberate, or compile again"
            )
