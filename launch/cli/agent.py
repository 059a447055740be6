"""`emu agent`: the part of a run over several machines that is on each of them."""

from __future__ import annotations

import os
import sys
from contextlib import closing

import click

from emu.wording import counted
from launch.cli.answering import answers
from launch.cli.options import NATURAL, POSITIVE
from launch.text.answer import Answer


@click.command(
    short_help="Serve a launcher on another machine.",
    epilog="""\b
Examples:
  emu agent --join tcp://10.0.0.1:5555 --rank 2 --name h2 < line
  srun --input=all --ntasks-per-node=1 emu agent --join tcp://10.0.0.1:5555 < line""",
)
@click.option(
    "--join", required=True, metavar="tcp://HOST:PORT", help="Where the launcher listens, as it says it itself."
)
@click.option(
    "--rank",
    type=NATURAL,
    metavar="N",
    help="Which of the agents this is, from 0 on (default: SLURM_PROCID, PMIX_RANK, OMPI_COMM_WORLD_RANK or PMI_RANK).",
)
@click.option("--name", default="", metavar="NAME", help="What errors call this host (default: its own name).")
@click.option(
    "--join-timeout",
    type=POSITIVE,
    default=60.0,
    show_default=True,
    metavar="S",
    help="Time limit in seconds for the launcher's first answer.",
)
@answers()
def command(join: str, rank: int | None, name: str, join_timeout: float) -> Answer:
    """Join the launcher at an address, run the cores that it orders on this machine, and end when it has no more work.

    Launchers start agents by themselves: see --hosts of `emu launch`. The first line of standard input is what the
    launcher tells its agents: its key and a secret, which never stand among the arguments. If the launcher is silent
    for some seconds (docs/limits.md), all processes of its run here are ended.

    Exit code: 0: the launcher is done; 2: bad usage, or refused by the launcher; 5: the launcher is silent.
    """
    from emu.core.products.threads import ONE_THREAD
    from launch.machines.bootstrap import Bootstrap
    from launch.machines.ranks import host_name, rank_of
    from launch.system.standard_streams import open_standard_streams

    open_standard_streams()
    bootstrap = Bootstrap.read(join, sys.stdin.buffer)
    number, called = rank_of(rank), host_name(name)
    os.environ.update(ONE_THREAD)  # cores are forks of forks of this process, which imports NumPy only now
    import launch.machines.ready  # noqa: F401
    from launch.machines.agent import Agent
    from launch.machines.joining import Joined
    from launch.processes.fork_here import fork_server_here
    from launch.processes.warm_zygotes import WarmZygotes

    with (
        closing(WarmZygotes(fork_server_here())) as zygotes,  # before the link has its thread
        Joined(bootstrap) as joined,
        Agent(joined, zygotes) as agent,  # its work may come with the answer
    ):
        agent.serve(number, called, join_timeout)
    return Answer(
        {"rank": number, "name": called, "runs": agent.runs},
        [f"agent {number} on host {called}: {counted(agent.runs, 'run')}"],
    )
