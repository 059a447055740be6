"""An image that all hosts have on a file system that they share: nothing comes, each host looks for itself."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from emu.errors import ProgramError, option
from emu.image.digest import digest_steps
from launch.machines.content.messages import HAVE, Send
from launch.machines.content.parts import ImageFile
from launch.machines.content.refusal import Refusal
from launch.machines.content.steps import InSteps


class SharedImage(InSteps):
    """Files at `place` of this host, all of which are compared with their digests; used as an `Arrival`."""

    def __init__(self, files: Sequence[ImageFile], place: Path, send: Send) -> None:
        super().__init__(self._verified(files))
        self.place = place
        self._send = send

    def piece(self, sha256: str, offset: int, data: bytes) -> None:
        """Nothing is asked for."""

    def _verified(self, files: Sequence[ImageFile]) -> Iterator[None]:
        for file in files:
            path = self.place / file.name
            try:
                found = yield from digest_steps(path)
            except ProgramError as error:
                raise _refusal(str(error)) from None
            if found != file.digest:
                raise _refusal(f"{path} is another file there than where the run is started")
        self._send(HAVE, place=str(self.place))


def _refusal(what: str) -> Refusal:
    return Refusal(f"{what}; with {option('shared_image')} all hosts see the same files: leave it out to send them")
