"""The launcher's side of an image that travels to one host: offers files, sends the pieces that are wanted."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Sequence
from pathlib import Path
from typing import Any, BinaryIO

from emu.errors import ProgramError
from emu.files import open_file, size_of
from emu.image.json_fields import Field
from launch.machines.content.messages import (
    CREDIT,
    HAVE,
    OFFER,
    PIECE,
    PIECE_BYTES,
    REFUSED,
    TO_LAUNCHER,
    WANT,
    WINDOW,
    Send,
)
from launch.machines.content.parts import ImageFile
from launch.machines.content.refusal import ImageRefused

_KEYS = {
    WANT: ("image", "parts"),
    CREDIT: ("image", "pieces"),
    HAVE: ("image", "place"),
    REFUSED: ("image", "sentence", "damaged"),
}


class ImageSender:
    """Sends `files` of the image in `directory` to `host`, with `send`, as number `image` of this launcher.

    With `shared` the host looks for them at the same path. `place` is where the host has them, once it has them all;
    `sent` counts bytes. A context manager, which closes the file that it sends. Raises EmuErrors that name the host.
    """

    kinds = TO_LAUNCHER

    def __init__(
        self,
        host: str,
        directory: Path,
        files: Sequence[ImageFile],
        send: Send,
        *,
        image: int = 0,
        shared: bool = False,
    ) -> None:
        self.host, self.image = host, image
        self.place = ""
        self.sent = 0
        self._directory = Path(os.path.realpath(directory))
        self._files, self._shared, self._send = files, shared, send
        self._by_digest = {file.digest.sha256: file for file in reversed(files)}
        self._parts: deque[tuple[str, int, int]] = deque()
        self._credit = 0
        self._open: tuple[str, BinaryIO] | None = None

    def __enter__(self) -> ImageSender:
        return self

    def __exit__(self, *_: object) -> None:
        self._close()

    @property
    def done(self) -> bool:
        """Whether the host has all files."""
        return bool(self.place)

    def start(self) -> None:
        """Offer the files."""
        shared = str(self._directory) if self._shared else ""
        self._send(OFFER, image=self.image, files=[file.record() for file in self._files], shared=shared)

    def take(self, kind: str, /, **values: Any) -> None:
        """Take a message of the host, its kind one of `TO_LAUNCHER`, about this image or another one."""
        if values.get("image") != self.image:
            return
        fields = Field(values, f"host {self.host}: {kind}", "").object(_KEYS[kind])
        if kind == REFUSED:
            raise ImageRefused(self.host, fields["sentence"].text(), fields["damaged"].value is True)
        if kind == HAVE:
            self.place = fields["place"].text(empty=False)
            self._close()
            return
        if kind == WANT:
            self._parts += [self._part(field) for field in fields["parts"].items()]
        else:
            self._credit = min(self._credit + fields["pieces"].integer(1, WINDOW), WINDOW)
        while self._parts and self._credit:
            self._send_piece()

    def _part(self, field: Field) -> tuple[str, int, int]:
        sha256, begin, end = field.exactly(3)
        file = self._by_digest.get(sha256.text()) or sha256.refuse("is no file that was offered")
        first = begin.integer(0, file.digest.size)
        return file.digest.sha256, first - first % PIECE_BYTES, end.integer(first, file.digest.size)

    def _send_piece(self) -> None:
        sha256, offset, end = self._parts.popleft()
        size = min(PIECE_BYTES, end - offset)
        data = self._read(sha256, offset, size)
        self._credit -= 1
        self.sent += size
        self._send(PIECE, image=self.image, sha256=sha256, offset=offset, data=data)
        if offset + size < end:
            self._parts.appendleft((sha256, offset + size, end))

    def _read(self, sha256: str, offset: int, size: int) -> bytes:
        file = self._by_digest[sha256]
        path = self._directory / file.name
        if self._open is None or self._open[0] != sha256:
            self._close()
            self._open = sha256, open_file(path, ProgramError)
        opened = self._open[1]
        try:
            data = os.pread(opened.fileno(), size, offset)
        except OSError as error:
            raise ProgramError(f"{path} cannot be read: {error.strerror}") from None
        if len(data) != size or size_of(opened) != file.digest.size:
            raise ProgramError(f"{path} has changed while it was sent to host {self.host}: run again")
        return data

    def _close(self) -> None:
        if self._open is not None:
            self._open[1].close()
        self._open = None
