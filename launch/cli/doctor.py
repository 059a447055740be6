"""`emu doctor`: whether this machine can run a chip, and what to change; what dead runs left is removed."""

from __future__ import annotations

from pathlib import Path

import click

from emu.wording import counted
from launch.cli.answering import answers
from launch.cli.given import refuse_besides
from launch.cli.numbers import Finite
from launch.cli.option_fields import options_of
from launch.cli.options import COUNT, IMAGE
from launch.processes.options import RunOptions
from launch.text.answer import Answer, Table


@click.command(
    short_help="Check what this machine can run; clean up after dead runs.",
    epilog="""\b
Examples:
  emu doctor --cores 256
  emu doctor --cores 1024 --hosts h1,h2,h3
  emu doctor --clean --dry-run
  emu doctor --clean out results
  emu doctor --clean --cache .emu-cache --older-than 14""",
)
@click.argument("folders", metavar="[DIR]...", type=IMAGE, nargs=-1)
@click.option("--cores", type=COUNT, default=64, metavar="N", show_default=True, help="Core processes that must fit.")
@options_of(
    RunOptions,
    "hosts",
    "join_timeout",
    texts={
        "hosts": "Check these hosts, and whether they can run a chip together: "
        "local:N, HOST,HOST... (by ssh), slurm, or dask:ADDRESS.",
    },
)
@click.option("--clean", "cleaning", is_flag=True, help="Remove files that killed processes left behind.")
@click.option(
    "--cache", type=IMAGE, help="With --clean: remove the compiled images of this cache that nobody uses now, too."
)
@click.option(
    "--older-than",
    type=Finite(min=0),
    metavar="DAYS",
    help="With --cache: only entries that were not used for so many days.",
)
@click.option("--dry-run", is_flag=True, help="With --clean: only list what would be removed.")
@answers()
def command(
    folders: tuple[Path, ...],
    cores: int,
    hosts: str | None,
    join_timeout: float | None,
    cleaning: bool,
    cache: Path | None,
    older_than: float | None,
    dry_run: bool,
) -> Answer:
    """Check limits, memory, ZeroMQ and BLAS of this machine, or of each of --hosts.

    With --clean remove unfinished files and directories of emu instead. It looks in each DIR (not below it), or where
    temporary directories are made. Files of living processes, and files that emu has not made, are not touched.

    Exit code 0 if a chip of that many cores can run here, 2 if something must change first.
    """
    if cleaning:
        refuse_besides(("folders", "cleaning", "cache", "older_than", "dry_run"), "--clean")
        from launch.cli.cleaning import cleaned

        return cleaned(folders, cache, older_than, dry_run)
    if hosts is not None:
        refuse_besides(("cores", "hosts", "join_timeout"), "the check of hosts")
        from launch.cli.host_doctor import host_answer
        from launch.machines.hosts.examination import examine_hosts

        options = RunOptions.take({"hosts": hosts, "join_timeout": join_timeout})
        return host_answer(cores, examine_hosts(hosts, options.join_timeout, cores))
    refuse_besides(("cores",), "the check of this machine; --clean removes what is left over")
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
