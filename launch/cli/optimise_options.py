"""Options of `emu compile` that search for better ones, and the progress of that search."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from launch.cli import signals
from launch.cli.answering import json_wanted
from launch.cli.choices import GOAL
from launch.cli.config import arguments, is_given
from launch.cli.lines import say
from launch.cli.option_fields import options_of
from launch.cli.options import COUNT, POSITIVE, apply, as_option, as_typed
from launch.processes.options import RunOptions

if TYPE_CHECKING:
    from launch.optimising.report import Optimised

BUDGET = 30.0  # seconds, unless told otherwise
OF_A_SEARCH = ("budget", "candidates", "flow")  # what means nothing without --optimise
# What excludes a search, and why.
EXCLUDED = {
    "pipeline": "names the passes that the search would choose",
    "start": "goes on from what was chosen",
    "until": "writes no programs that could be judged",
    "host_fallback": "may cut the network into several programs",
}
optimise_options = apply(
    click.option(
        "--optimise",
        type=GOAL,
        help="Search among placement, copies, granularity, packing, cores and their places on the mesh for the least"
        " latency, time per sample, energy or peak power by emu time, or bytes times links. What is given by hand"
        " stays.",
    ),
    click.option("--budget", type=POSITIVE, metavar="S", help="With --optimise: seconds of the search (default: 30)."),
    click.option(
        "--candidates",
        type=COUNT,
        metavar="N",
        help="With --optimise: try so many ways to compile; without --budget the same ones each time.",
    ),
    options_of(RunOptions, "flow", texts="With --optimise: as time (default: rendezvous).", defaults=False),
)


def taken(ctx: click.Context, model: Path | None, out: Path | None, options: dict[str, Any]) -> Optimised | None:
    """Search if that is asked for, and put what is found into `options`, from which the search's own are taken.

    UsageError for options that exclude each other.
    """
    goal, budget, candidates, flow = (options.pop(name) for name in ("optimise", *OF_A_SEARCH))
    given = {name for name in ctx.params if is_given(ctx, name)}
    if goal is None:
        if idle := next((name for name in OF_A_SEARCH if name in given), ""):
            raise click.UsageError(f"{as_option(idle)} is of a search: say by --optimise what for, or leave it out")
        return None
    if wrong := next((name for name in EXCLUDED if name in given), ""):
        raise click.UsageError(
            f"--optimise cannot search with {as_option(wrong)}, which {EXCLUDED[wrong]}: leave one out"
        )
    assert model is not None and out is not None
    from emu.image.writer import refuse_foreign
    from launch.optimising.report import SearchRequest
    from launch.optimising.running import Interrupts, optimise

    refuse_foreign(out)  # before anybody waits for the search
    if budget is None and candidates is None:
        budget = BUDGET
    asked = SearchRequest(
        goal=goal,
        budget=budget,
        candidates=candidates,
        seed=options["seed"],
        flow=flow or RunOptions().flow,
        fixed=frozenset(given),
    )
    searched = {name: value for name, value in options.items() if name not in _OF_WRITING}
    interrupts = Interrupts(signals.interrupts_to, ctx.with_resource)
    found = optimise(model, asked, None if json_wanted() else _print_progress, interrupts, **searched)
    options |= found.settings
    return found


_OF_WRITING = ("golden", "seed", "samples", "no_check", "dump", "start", "weights", "pipeline", "host_fallback")


def _print_progress(text: str) -> None:
    say(text, err=True)


def by_hand(ctx: click.Context, model: Path | None, found: Optimised) -> str:
    """The command line, without a search, that compiles to the same image."""
    from launch.suites.command_line import given_words
    from launch.suites.commands import CaseCommand

    typed = arguments(ctx)
    command = CaseCommand("compile", ctx.command, lambda parameters: None, frozenset({"optimise", *OF_A_SEARCH}))
    words = given_words(command, ctx, typed[typed.index(str(ctx.info_name)) + 1 :])
    chosen = [word for name, value in found.settings.items() for word in as_typed(name, value).split(" ")]
    return shlex.join(["emu", "compile", str(model), *(word for each in words.values() for word in each), *chosen])
