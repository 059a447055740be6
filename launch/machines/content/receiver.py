"""The agent's side of images that travel: what it hears of them, and the work that they make."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from emu.errors import EmuError, ProgramError
from emu.image.json_fields import Field
from launch.machines.content.arrival import Arrival
from launch.machines.content.messages import OFFER, PIECE, REFUSED, Send, Values
from launch.machines.content.parts import ImageFile, file_from
from launch.machines.content.refusal import Refusal
from launch.machines.content.shared import SharedImage
from launch.machines.content.store import ContentStore
from launch.system.memory import keep_memory

SLICE = 0.02  # seconds of work at once
_MOST = 1 << 31  # images that one launcher offers


class ImageReceiver:
    """Takes an image that a launcher offers into a store, which is opened with the first one; answers with `send`.

    The next one takes its place. A context manager: at the end the folder of the image is gone. It never blocks for
    long: while it is `busy`, `work` is to be called again and again. What is wrong with an image is answered, and
    raises nothing.
    """

    def __init__(self, send: Send, open_store: Callable[[], ContentStore] = ContentStore) -> None:
        self._send, self._open_store = send, open_store
        self._image: Arrival | SharedImage | None = None
        self._present = -1  # the number of the last one that was offered

    def __enter__(self) -> ImageReceiver:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def take(self, kind: str, /, **values: Any) -> None:
        """Take a message, its kind one of `TO_AGENT`."""
        {OFFER: self._offered, PIECE: self._piece}[kind](values)

    @property
    def busy(self) -> bool:
        """Whether there is work to do before anything else comes."""
        return self._image is not None and self._image.busy

    def work(self) -> None:
        """Do what is to be done, for a short time."""
        end = time.monotonic() + SLICE
        with self._answering():
            while self._image is not None and self._image.busy:
                self._image.step()
                if time.monotonic() >= end:
                    return

    def close(self) -> None:
        """Remove the folder of the image; what is whole stays in the store."""
        image, self._image = self._image, None
        if image is not None:
            image.close()

    def _offered(self, values: Values) -> None:
        self.close()
        self._present = _number(values)
        keep_memory()  # for pieces, one after the other
        with self._answering():
            fields = Field(dict(values), "an image that is offered", "").object(("image", "files", "shared"))
            fields["image"].integer(0, _MOST)
            files = [file_from(field) for field in fields["files"].items()]
            _check_names(files)
            send, shared = partial(self._send, image=self._present), fields["shared"].text()
            self._image = SharedImage(files, Path(shared), send) if shared else Arrival(files, self._open_store(), send)

    def _piece(self, values: Values) -> None:
        if self._image is None or _number(values) != self._present:  # it has been refused, or was one before
            return
        with self._answering():
            self._image.piece(*_piece_of(values))

    @contextmanager
    def _answering(self) -> Generator[None, None, None]:
        """Errors in it refuse the image."""
        try:
            yield
        except EmuError as error:
            self.close()
            damaged = isinstance(error, Refusal) and error.damaged
            self._send(REFUSED, image=self._present, sentence=str(error), damaged=damaged)


def _number(values: Values) -> int:
    """The number of the image that a message is about; -1 if it says none."""
    number = values.get("image")
    return number if isinstance(number, int) else -1


def _piece_of(values: Values) -> tuple[str, int, bytes]:
    """What a PIECE says; of a damaged one, values that fit no file."""
    sha256, offset, data = (values.get(name) for name in ("sha256", "offset", "data"))
    if isinstance(sha256, str) and isinstance(offset, int) and isinstance(data, bytes):
        return sha256, offset, data
    return "", 0, b""


def _check_names(files: list[ImageFile]) -> None:
    if len({file.name for file in files}) < len(files):
        raise ProgramError("an image that is offered: files: a name occurs twice")
