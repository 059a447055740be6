"""One image that arrives at a host: which of its files are there, which are asked for, and whether they are right."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from emu.image.digest import digest_steps
from emu.image.manifest import FileDigest
from emu.output.calls import CALLS
from emu.output.failures import cannot_write
from launch.machines.content.messages import CREDIT, HAVE, PIECE_BYTES, WANT, WINDOW, Send
from launch.machines.content.parts import ImageFile
from launch.machines.content.refusal import Refusal
from launch.machines.content.steps import InSteps
from launch.machines.content.store import ContentStore

_WRITTEN = 1 << 18  # bytes at once: for more, file systems look for large pages, which takes several times as long
_WRITE = os.O_WRONLY | os.O_NOFOLLOW | os.O_CLOEXEC


class _InOrder:
    """The digest of a content whose pieces come in order: none has to be read again."""

    def __init__(self) -> None:
        self._sha256, self._size = hashlib.sha256(), 0

    def take(self, offset: int, data: bytes) -> None:
        """Take a piece, which counts only if it is the next one."""
        if offset == self._size:
            self._sha256.update(data)
            self._size += len(data)

    def of(self, size: int) -> FileDigest | None:
        """The digest of all `size` bytes; None if some were not the next ones."""
        return FileDigest(self._sha256.hexdigest(), size) if size == self._size else None


class Arrival(InSteps):
    """Files that become a folder of links to a store; what is missing or damaged there is asked for with `send`.

    Pieces may come in any order, and more than once. What does not come as it was sent is asked for once more.
    All methods raise EmuErrors, after which nothing but `close` may be called.
    """

    def __init__(self, files: Sequence[ImageFile], store: ContentStore, send: Send) -> None:
        super().__init__(self._found())
        self._store, self._send = store, send
        self._folder = store.folder()
        self.place = self._folder.path
        self._names = dict[str, list[ImageFile]]()  # those with the same content, by SHA-256
        for file in files:
            self._names.setdefault(file.digest.sha256, []).append(file)
        self._unsure = len(self._names)  # contents that are not known to be right
        self._missing = dict[str, set[int]]()  # offsets of pieces, by SHA-256
        self._hashed = dict[str, _InOrder]()  # of what has come since it was asked for as a whole
        self._repeated = set[tuple[str, int]]()  # pieces that were asked for twice, as they did not come
        self._wrong = dict[str, FileDigest]()  # what came in place of a content the first time
        self._asked = self._granted = 0  # pieces that have not come yet, and those that may be on the way

    def piece(self, sha256: str, offset: int, data: bytes) -> None:
        """Take a piece that may be any."""
        self._asked, self._granted = max(self._asked - 1, 0), max(self._granted - 1, 0)
        missing = self._missing.get(sha256, set[int]())
        if offset in missing and len(data) == min(PIECE_BYTES, self._digest(sha256).size - offset):
            self._write(self._path(sha256), offset, data)
            self._hashed[sha256].take(offset, data)
            missing.remove(offset)
            if not missing:
                del self._missing[sha256]
                self.also(self._verified(sha256))
        if self._asked or not self._missing:
            self._grant()
        else:
            self._repeat()

    def close(self) -> None:
        """Remove the folder; the store keeps what was right."""
        super().close()
        self._folder.discard()

    def _path(self, sha256: str) -> Path:
        return self.place / self._names[sha256][0].name

    def _digest(self, sha256: str) -> FileDigest:
        return self._names[sha256][0].digest

    def _found(self) -> Iterator[None]:
        """Take what the store has, and ask for the rest."""
        missing = list[str]()
        for sha256 in self._names:
            if self._store.take(self._digest(sha256), self._path(sha256)):
                self.also(self._verified(sha256, kept=True))
            else:
                missing.append(sha256)
            yield
        self._fetch(missing)
        self._finish()

    def _fetch(self, wanted: Sequence[str]) -> None:
        """Make room for these contents, and ask for them."""
        self._store.reserve({self._path(sha256): self._digest(sha256).size for sha256 in wanted})
        self._ask_whole(wanted)

    def _ask_whole(self, wanted: Sequence[str]) -> None:
        parts = list[tuple[str, int, int]]()
        for sha256 in wanted:
            size = self._digest(sha256).size
            self._hashed[sha256] = _InOrder()
            if size:
                self._missing[sha256] = set(range(0, size, PIECE_BYTES))
                parts.append((sha256, 0, size))
            else:
                self.also(self._verified(sha256))
        self._ask(parts)

    def _ask(self, parts: Sequence[tuple[str, int, int]]) -> None:
        if parts:
            self._send(WANT, parts=[list(part) for part in parts])
            self._asked += sum(-(-(end - begin) // PIECE_BYTES) for _, begin, end in parts)
            self._grant()

    def _repeat(self) -> None:
        """All that was asked for has come, and something is missing: what came in its place was damaged."""
        pieces = [(sha256, offset) for sha256, offsets in self._missing.items() for offset in sorted(offsets)]
        for sha256, offset in pieces:
            if (sha256, offset) in self._repeated:
                raise self._damaged(sha256)
        self._repeated.update(pieces)
        ends = (min(offset + PIECE_BYTES, self._digest(sha256).size) for sha256, offset in pieces)
        self._ask([(sha256, offset, end) for (sha256, offset), end in zip(pieces, ends, strict=True)])

    def _grant(self) -> None:
        """Let more come, several at once."""
        allowed = min(WINDOW, self._asked)
        more = allowed - self._granted
        if more > 0 and (more >= WINDOW // 2 or allowed == self._asked):
            self._granted = allowed
            self._send(CREDIT, pieces=more)

    def _write(self, path: Path, offset: int, data: bytes) -> None:
        try:
            descriptor = CALLS.open(path, _WRITE)
            try:
                CALLS.lseek(descriptor, offset, os.SEEK_SET)
                rest = memoryview(data)
                while rest:
                    rest = rest[CALLS.write(descriptor, rest[:_WRITTEN]) :]
            finally:
                CALLS.close(descriptor)
        except OSError as error:
            raise cannot_write(path, error) from None

    def _verified(self, sha256: str, kept: bool = False) -> Iterator[None]:
        """Compare a file with its digest: one that was `kept` in the store, or one that has come."""
        path = self._path(sha256)
        found = None if kept else self._hashed.pop(sha256).of(self._digest(sha256).size)
        if found is None:
            found = yield from digest_steps(path)
        if found == self._digest(sha256):
            if not kept:
                self._store.keep(sha256, path)
            self._unsure -= 1
            self._finish()
        elif kept:
            self._store.drop(sha256, path)
            self._fetch([sha256])
        elif sha256 not in self._wrong:
            self._wrong[sha256] = found
            self._ask_whole([sha256])
        elif found == self._wrong[sha256]:  # no accident does the same twice
            raise Refusal(
                f"{path.name!r} is not what the manifest says where the run is started: the file has changed since the "
                "image was opened; run again"
            )
        else:
            raise self._damaged(sha256)

    def _damaged(self, sha256: str) -> Refusal:
        return Refusal(
            f"{self._path(sha256).name!r} came damaged, and once more when it was asked for again: look for a fault of "
            "the network or of memory",
            damaged=True,
        )

    def _finish(self) -> None:
        """Once all contents are right, give them their other names, and say so."""
        if self._unsure:
            return
        try:
            for first, *others in self._names.values():
                for other in others:
                    CALLS.link(self.place / first.name, self.place / other.name)
        except OSError as error:
            raise cannot_write(self.place, error) from None
        self._send(HAVE, place=str(self.place))
