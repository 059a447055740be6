"""The command `emu` as a user starts it: a process of its own."""

from __future__ import annotations

import sys

from launch.bench.probe import BenchError, Probed, probe

ERROR = "error: "  # how `emu` begins its sentence


def emu(arguments: list[str]) -> int:
    """Run `emu` in this process; its exit code."""
    from reram_emu import main

    sys.argv[1:] = arguments
    try:
        main()
    except SystemExit as done:
        return done.code if isinstance(done.code, int) else int(done.code is not None)
    return 0


def run_emu(*arguments: object) -> Probed:
    """Run `emu` in a process of its own; raises BenchError, with the command's own sentence, unless it succeeds."""
    words = [str(argument) for argument in arguments]
    done = probe(emu, arguments=words)
    if done.result:
        told = [line.removeprefix(ERROR) for line in done.errors.splitlines() if line.startswith(ERROR)]
        raise BenchError(told[-1] if told else f"`emu {' '.join(words)}` ended with exit code {done.result}")
    return done
