"""The command `emu`, run in a process that is measured: this module loads nothing before `emu` does."""

from __future__ import annotations

import sys


def emu(arguments: list[str]) -> int:
    """Run `emu` in this process; its exit code."""
    from reram_emu import main

    sys.argv[1:] = arguments
    try:
        main()
    except SystemExit as done:
        return done.code if isinstance(done.code, int) else int(done.code is not None)
    return 0
