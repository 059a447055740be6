"""The command `emu` as a user starts it: a process of its own."""

from __future__ import annotations

from launch.bench.emulator import emu
from launch.bench.probe import BenchError, Probed, probe

ERROR = "error: "  # how `emu` begins its sentence


def run_emu(*arguments: object) -> Probed:
    """Run `emu` in a process of its own; raises BenchError, with the command's own sentence, unless it succeeds."""
    words = [str(argument) for argument in arguments]
    done = probe(emu, arguments=words)
    if done.result:
        errors = [line.removeprefix(ERROR) for line in done.errors.splitlines() if line.startswith(ERROR)]
        raise BenchError(errors[-1] if errors else f"`emu {' '.join(words)}` ended with exit code {done.result}")
    return done
