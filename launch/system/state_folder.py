"""The folders of small state, and of what can be made again, that are kept between commands."""

from __future__ import annotations

import os
from pathlib import Path

from emu.errors import InputError


def state_folder() -> Path:
    """The folder of state, which may not exist yet."""
    return Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state") / "emu"


def cache_folder() -> Path:
    """The folder of what can be made again, which may not exist yet; raises InputError for a user without a home."""
    try:
        return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "emu"
    except RuntimeError:  # an unknown user of a container, without HOME
        raise InputError("this user has no home directory to keep files in: set XDG_CACHE_HOME") from None
