"""What cannot be timed."""

from __future__ import annotations

from emu.errors import ProgramError


class TimingRefused(ProgramError):
    """Programs that never end, whose messages do not match, or that take longer than times can be written."""
