"""The options of chaos, which `emu launch` and `emu stress` share."""

from __future__ import annotations

from typing import Any

import click

from launch.cli.options import COUNT, NATURAL, apply

chaos_options = apply(
    click.option(
        "--chaos",
        "specs",
        metavar="SPEC",
        multiple=True,
        help="Inject a fault (repeatable): delay:P,MS | reorder-start[:MS] | pause:CORE[@N],MS | slow:CORE,FACTOR | "
        "yield:P | nice | kill[:CORE[@N][,SIGNAL]] | drop[:CORE[@N]] | drop-credit[:CORE[@N]] | duplicate:P | "
        "corrupt[:CORE[@N]]. CORE is a number, * or random.",
    ),
    click.option(
        "--chaos-seed",
        type=NATURAL,
        metavar="N",
        help="Seed of what --chaos draws (default: --seed, or 0).",
    ),
    click.option(
        "--chaos-runs",
        type=COUNT,
        metavar="N",
        help="Power on N more times, with chaos seeds from --chaos-seed on, and compare with the undisturbed run.",
    ),
)


def take_chaos(options: dict[str, Any]) -> tuple[Any, int]:
    """Remove the options of chaos from `options`: the `Chaos` that they describe (None: none) and the number of runs.

    Raises UsageError for options without effect, InputError for specifications that cannot be understood.
    """
    specs, seed, runs = (options.pop(name) for name in ("specs", "chaos_seed", "chaos_runs"))
    if not specs:
        idle = next(
            (name for name, value in (("--chaos-seed", seed), ("--chaos-runs", runs)) if value is not None), None
        )
        if idle:
            raise click.UsageError(f"{idle} has no effect without --chaos: say what to inject, or leave it out")
        return None, 0
    if options.get("sequential"):
        raise click.UsageError("--chaos disturbs processes, and with --sequential there is one: leave one of them out")
    from emu.chaos.spec import Chaos

    return Chaos(tuple(specs), options.get("seed") or 0 if seed is None else seed), runs or 0
