"""Why a host does not get its image."""

from __future__ import annotations

from emu.errors import EmuError, InputError

_LONGEST = 900  # characters of what a host says of its reasons


class Refusal(InputError):
    """Why an agent does not take an image; `damaged`: what was sent did not come as it was sent."""

    def __init__(self, sentence: str, damaged: bool = False) -> None:
        self.damaged = damaged
        super().__init__(sentence)


class ImageRefused(EmuError):
    """A host does not take its part of the image: exit code 2, and 5 if that is damaged on its way."""

    def __init__(self, host: str, sentence: str, damaged: bool = False) -> None:
        self.host = host
        self.exit_code = 5 if damaged else 2
        super().__init__(f"host {host} does not take the image: {sentence[:_LONGEST]}")
