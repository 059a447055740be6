"""A bounded store of files by what is in them, which all agents of a user on a host share.

A file is a name of 64 digits, its SHA-256. An image is a hidden folder beside with links to such files: what is linked
is in use, and a name that is taken away does no harm to it. So nobody waits for anybody, and no agent that dies leaves
the store in a state that is wrong.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from emu.errors import InputError, option
from emu.image.manifest import FileDigest
from emu.output.calls import CALLS
from emu.output.failures import cannot_write
from emu.output.temporary import Temporary, beside, clean, temporary_folder
from launch.images.cache_directory import FILES, is_key, locked, open_cache
from launch.system.state_folder import cache_folder
from launch.text.units import size_text

MOST = 16 << 30  # bytes of a store
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_KEPT = 0o444  # mode of a file that is whole: links share it

Inode = tuple[int, int]


@dataclass(frozen=True, slots=True)
class StoreFacts:
    """Where a store is, how many bytes are in it, how many may be in it, and how many are free on its disk."""

    path: Path
    bytes: int
    most: int
    free: int


class ContentStore:
    """The store in `directory`, of the user's cache unless it is named, with at most `most` bytes.

    Raises InputError for a directory that is no store and cannot become one.
    """

    def __init__(self, directory: Path | None = None, most: int = MOST) -> None:
        self.directory = open_cache(cache_folder() / "files" if directory is None else directory, FILES)
        self.most = most
        self._images = beside(self.directory / "image")

    def folder(self) -> Temporary:
        """A new folder for an image, discarded by whoever asks for it; those of dead processes are removed."""
        with locked(self.directory):
            clean(self._images)
            try:
                return temporary_folder(self._images, 0o700)
            except OSError as error:
                raise cannot_write(self.directory, error) from None

    def take(self, digest: FileDigest, path: Path) -> bool:
        """Make `path` a link to the file of that digest, if the store has one that may be it."""
        kept = self.directory / digest.sha256
        try:
            info = CALLS.lstat(kept)
            if stat.S_ISDIR(info.st_mode):
                raise InputError(f"{kept} is a directory where a file of the cache belongs: remove it")
            if not (_is_ours(info) and info.st_size == digest.size):
                CALLS.unlink(kept)
                return False
            CALLS.link(kept, path)
        except FileNotFoundError:
            return False
        except OSError as error:
            raise self._cannot_link(error) from None
        with suppress(OSError):
            os.utime(path)  # the last use
        return True

    def keep(self, sha256: str, path: Path) -> None:
        """Give the store the file at `path`, whose digest that is, unless another one was faster."""
        try:
            path.chmod(_KEPT)
            with suppress(FileExistsError):
                CALLS.link(path, self.directory / sha256)
        except OSError as error:
            raise self._cannot_link(error) from None

    def drop(self, sha256: str, path: Path) -> None:
        """Remove `path`, a link to what is damaged, and its name in the store."""
        kept = self.directory / sha256
        try:
            with suppress(FileNotFoundError):
                if os.path.samestat(CALLS.lstat(kept), CALLS.lstat(path)):
                    CALLS.unlink(kept)
            CALLS.unlink(path)
        except OSError as error:
            raise cannot_write(kept, error) from None

    def reserve(self, files: Mapping[Path, int]) -> None:
        """Make files of so many bytes each, empty of sense, in a folder of the store, and room for them.

        Files that nobody uses are removed for it, those first that were not used for longest. Raises InputError if
        there is no room.
        """
        with locked(self.directory):
            self._free(sum(files.values()))
            for path, size in files.items():
                try:
                    descriptor = CALLS.open(path, _NEW, 0o600)
                    try:
                        CALLS.ftruncate(descriptor, size)
                    finally:
                        CALLS.close(descriptor)
                except OSError as error:
                    raise cannot_write(path, error) from None

    def facts(self) -> StoreFacts:
        """How full it is."""
        disk = os.statvfs(self.directory)
        used = sum(info.st_size for info in self._inodes().values())
        return StoreFacts(self.directory, used, self.most, disk.f_bavail * disk.f_frsize)

    def remove_unused(self, before: float, dry_run: bool = False) -> tuple[list[tuple[Path, int]], int]:
        """Remove those files of no use since `before` (seconds since 1970) that no image has now.

        Returns them with their bytes, and how many images have.
        """
        old = [(path, info) for path, info in self._files(self.directory, is_key) if info.st_mtime <= before]
        unused = [(path, info.st_size) for path, info in old if info.st_nlink == 1]
        return [each for each in unused if dry_run or _unlinked(each[0])], len(old) - len(unused)

    def _free(self, need: int) -> None:
        used = need + sum(info.st_size for info in self._inodes().values())
        files = self._files(self.directory, is_key) if used > self.most else ()
        unused = [(info.st_mtime, info.st_size, path) for path, info in files if info.st_nlink == 1]
        for _, size, path in sorted(unused):  # those first that were not used for longest
            if used <= self.most:
                break
            used -= size if _unlinked(path) else 0
        if used > self.most:
            raise InputError(
                f"{self.directory} may hold {size_text(self.most)}, {size_text(used - need)} of it are in use, "
                f"and the files to come have {size_text(need)}: use more hosts, or {option('shared_image')}"
            )

    def _inodes(self) -> dict[Inode, os.stat_result]:
        """The files of the store and of the images in it, each once."""
        found = list(self._files(self.directory, is_key))
        for name in _names(self.directory):
            found += self._files(self.directory / name) if name.startswith(self._images.name) else ()
        return {(info.st_dev, info.st_ino): info for _, info in found}

    def _files(
        self, folder: Path, wanted: Callable[[str], bool] = lambda _: True
    ) -> Iterator[tuple[Path, os.stat_result]]:
        for name in filter(wanted, _names(folder)):
            with suppress(OSError):  # others remove files, too
                if _is_ours(info := CALLS.lstat(folder / name)):
                    yield folder / name, info

    def _cannot_link(self, error: OSError) -> InputError:
        return InputError(
            f"{self.directory}: files cannot be linked there: {error.strerror}; "
            "set XDG_CACHE_HOME to a directory of this user on a file system with hard links"
        )


def _unlinked(path: Path) -> bool:
    try:
        CALLS.unlink(path)
    except OSError:  # others remove files, too
        return False
    return True


def _names(folder: Path) -> list[str]:
    try:
        return CALLS.listdir(folder)
    except OSError:  # it has been removed
        return []


def _is_ours(info: os.stat_result) -> bool:
    return stat.S_ISREG(info.st_mode) and info.st_uid == os.geteuid()
