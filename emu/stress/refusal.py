"""What a generator says when a pattern does not exist for a number of cores."""

from __future__ import annotations

from emu.errors import InputError


class Unsuitable(InputError):
    """The pattern has no meaning on so many cores; the text ends a sentence that begins with the pattern."""
