"""A cache of compiled images, keyed by the digest of all their inputs."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Any

from emu.errors import InputError
from emu.output.calls import CALLS
from emu.output.temporary import tell
from emu.output.whole_folder import WholeFolder
from launch.images.cache_directory import IMAGE, REPORT_FILE, hold, open_cache
from launch.images.cache_entry import DamagedEntry, read_entry, write_entry
from launch.images.cache_key import cache_key
from launch.images.compilation import compile_image
from launch.images.compiled import Compiled

_ATTEMPTS = 3  # others may remove what was just made
Compile = Callable[[Path], Compiled]  # compiles into a directory that is not there yet


class ImageCache:
    """A directory of images, one folder per entry; several processes may use it at once.

    The entries that were given out are not removed by others until `close`, or the end of this process. `notice` is
    called for entries that are damaged. Raises InputError for a directory that is no cache and cannot become one.
    """

    def __init__(self, directory: Path, notice: Callable[[str], None] = tell) -> None:
        self.directory = open_cache(directory)
        self._notice = notice
        self._held: dict[Path, int] = {}  # descriptors that keep entries

    def __enter__(self) -> ImageCache:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Release the entries, which may then be removed."""
        while self._held:
            CALLS.close(self._held.popitem()[1])

    def compiled(self, model: Path, make: Compile, **options: Any) -> Compiled:
        """The image of `model`, found, or made by `make` and kept; its place is `out`, not to be changed.

        `options` are those of `cache_key`, and say all that `make` depends on. Raises EmuErrors, those of `make` too.
        """
        key = cache_key(model, **options)
        entry = self.directory / key
        for _ in range(_ATTEMPTS):
            found = self._find(entry, model) or self._make(entry, model, make)
            if found is not None:
                return found
        raise InputError(f"{self.directory}: what was compiled does not stay there: name another cache")

    def _make(self, entry: Path, model: Path, make: Compile) -> Compiled | None:
        """Compile a missing or damaged entry; None if it has been removed again meanwhile."""
        with WholeFolder(entry) as folder:
            made = make(folder.hidden / IMAGE)
            write_entry(folder, entry.name, made)
            # Another process may have been as fast: what it has put there may be in use.
            found = self._find(entry, model, notify=False)
            if found is not None:
                return found
            folder.put_in_place()
        found = self._find(entry, model)
        return replace(made, out=found.out) if found else None

    def _find(self, entry: Path, model: Path, notify: bool = True) -> Compiled | None:
        """The entry, if it is intact, held from now on; else None."""
        descriptor = hold(entry)
        if descriptor < 0:
            return None
        try:
            compiled = read_entry(entry, entry.name, model)
            with contextlib.suppress(OSError):  # a cache that can only be read
                os.utime(entry / REPORT_FILE)
        except BaseException as error:
            CALLS.close(descriptor)
            if not isinstance(error, DamagedEntry):
                raise
            if notify:
                self._notice(f"warning: the cache entry {entry} is damaged, compiled again: {error}")
            return None
        with contextlib.suppress(KeyError, OSError):
            CALLS.close(self._held.pop(entry))
        self._held[entry] = descriptor
        return compiled


def compile_or_find(
    cache: ImageCache | None, model: Path, out: Path, *, quiet: bool = False, **options: Any
) -> Compiled:
    """Compile `model` into `out` as `compile_image` does, or, given a `cache`, find or keep its image there.

    Where the image stands is the `out` of what is returned. `options` are those of `cache_key`. Raises EmuErrors.
    """

    def make(folder: Path) -> Compiled:
        return compile_image(model, folder, quiet=quiet, **options).as_compiled()

    return make(out) if cache is None else cache.compiled(model, make, **options)
