"""`emu doctor`: whether this machine can run a chip, and what to change."""

from __future__ import annotations

import click

from emu.wording import counted
from launch.cli.answering import answers
from launch.cli.options import COUNT
from launch.text.answer import Answer, Table


@click.command(
    short_help="Tell whether this machine can run so many cores.", epilog="\b\nExample:\n  emu doctor --cores 256"
)
@click.option(
    "--cores", type=COUNT, default=64, metavar="N", show_default=True, help="Core processes to have room for."
)
@answers()
def command(cores: int) -> Answer:
    """Check limits, memory, ZeroMQ and BLAS of this machine.

    Exit code 0 if a chip of that many cores can run here, 2 if something must change first.
    """
    from launch.system.doctor import FAIL, OK, examine

    checks = examine(cores)
    failed = [check for check in checks if check.status == FAIL]
    return Answer(
        {"cores": cores, "ready": not failed, "checks": [check.to_dict() for check in checks]},
        [
            Table("", ("check", "", "found"), [(check.name, check.status, check.found) for check in checks]),
            *(f"{check.name}: {check.advice}" for check in checks if check.status != OK),
            f"{'not ready' if failed else 'ready'} for {counted(cores, 'core process')}",
        ],
        exit_code=2 if failed else 0,
    )
