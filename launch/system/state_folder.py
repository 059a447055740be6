"""The folder of small state that is kept between commands."""

from __future__ import annotations

import os
from pathlib import Path


def state_folder() -> Path:
    """The folder, which may not exist yet."""
    return Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state") / "emu"
