"""`emu stress`: traffic patterns between core processes, every message verified, and faults in real runs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from emu.options import specs
from launch.campaigns.options import CampaignOptions
from launch.cli.answering import answers, json_wanted
from launch.cli.campaigns import asks_for_campaign, campaign_options_without, run_campaign
from launch.cli.chaos_options import chaos_options, take_chaos
from launch.cli.config import arguments
from launch.cli.given import listed_alone, refuse_besides, refuse_given
from launch.cli.option_fields import options_of
from launch.cli.options import (
    COUNT,
    NATURAL,
    POSITIVE,
    print_to_stderr,
    reject_unsupported_options,
)
from launch.cli.values import FILE
from launch.processes.options import UNTIL, RunOptions
from launch.text.answer import Answer, Table

if TYPE_CHECKING:
    from launch.campaigns.campaign import Campaign

AS = "As launch."
TIMEOUT = 120.0  # seconds
CORES, FAULTY, FEWEST = 64, 16, 2  # core processes, unless told otherwise, also with --faults, and there at least
_OF_FAULTS = ("faults", "repeat_faults", "write", "cores", "seed", "list_patterns", *specs(CampaignOptions))


@click.command(
    short_help="Load core processes with messages, or with faults, and verify.",
    epilog="""\b
Examples:
  emu stress ring --cores 64
  emu stress ring --cores 64 --hosts node1,node2
  emu stress uniform --cores 64 --size bimodal:64,65536,0.1 --flow credits:4 --duration 10
  emu stress deadlock --cores 16
  emu stress random-dag --cores 8 --count 3 --chaos delay:0.1,2 --chaos reorder-start --chaos-runs 1000
  emu stress ring --cores 8 --chaos kill:3@17
  emu stress --all
  emu stress --faults --repeat 20 --cores 64 --write docs/communication.md""",
)
@click.argument("pattern", required=False, default="")
@click.option("--cores", type=COUNT, metavar="N", help=f"Core processes (default: {CORES}; with --faults {FAULTY}).")
@click.option("--all", "suite", is_flag=True, help="Run every pattern that exists for so many cores.")
@click.option(
    "--faults", is_flag=True, help="Inject every kind of fault into real runs; show how soon each is detected."
)
@click.option(
    "--repeat",
    "repeat_faults",
    type=COUNT,
    metavar="N",
    default=1,
    help="With --faults: runs of each kind (default: 1).",
)
@click.option("--write", type=FILE, help="With --faults: put the table between the markers of this Markdown page.")
@click.option("--list", "list_patterns", is_flag=True, help="List the patterns, or the cases of --faults.")
@click.option(
    "--size",
    metavar="BYTES|fixed:N|uniform:A,B|bimodal:A,B,P",
    default="64",
    show_default=True,
    help="Message sizes in bytes, multiples of 4; bimodal: B with probability P.",
)
@click.option("--count", type=COUNT, metavar="N", help="Rounds of the pattern (default: for about 2000 messages).")
@click.option("--seed", type=NATURAL, metavar="N", default=0, show_default=True, help="Random traffic.")
@options_of(RunOptions, "flow", "transport", "bind", "engine", texts={"flow": AS, "transport": AS, "engine": AS})
@options_of(RunOptions, "hosts", "host_cores", "join_timeout", texts=AS)
@click.option("--rate", type=POSITIVE, metavar="R", help="Messages per second that each core sends at most.")
@click.option("--duration", type=POSITIVE, metavar="S", help="Repeat the rounds until so many seconds are over.")
@options_of(RunOptions, "timeout", timeout={"default": TIMEOUT, "help": UNTIL.format(TIMEOUT)})
@options_of(RunOptions, "log_dir")
@click.option("--links", type=NATURAL, metavar="N", default=10, show_default=True, help="Links to show.")
@chaos_options
@campaign_options_without("list_cases")
@answers()
def command(
    pattern: str, suite: bool, faults: bool, list_patterns: bool, links: int, cores: int | None, **options: Any
) -> Answer:
    """Run the traffic PATTERN on core processes and verify every message.

    With --faults make every kind of fault in real runs instead, at seeded moments, and check what each run says and
    leaves: exit code 0 if all faults were detected, the right core was named, and nothing was left behind; 1:
    otherwise.

    Exit code 0: no error, or the deadlock of pattern `deadlock` was detected; 1: a message was wrong; 2: bad usage,
    or no fault of --chaos was triggered; 3: a core trapped; 4: an unexpected deadlock; 5: a core or a message is
    lost; 6: timeout.
    """
    if faults:
        refuse_besides(_OF_FAULTS, "--faults")
        return _faults(options["repeat_faults"], cores or FAULTY, options["seed"], options["write"], list_patterns)
    for name in _OF_FAULTS[1:3]:
        refuse_given(name, "is about --faults")
        options.pop(name)
    options["cores"] = cores or CORES
    given = [name for name, there in ((pattern, pattern), ("--all", suite), ("--list", list_patterns)) if there]
    if len(given) > 1:
        raise click.UsageError(f"{' and '.join(given)} exclude each other: give one of them")
    if not given:
        raise click.UsageError("name a PATTERN (--list shows all), or give --all")
    if list_patterns:
        listed_alone("--list", "the patterns and runs none")
        return _list()
    reject_unsupported_options(options)
    options["chaos"], runs = take_chaos(options)
    options["options"] = RunOptions.take(options)
    if suite and runs:
        raise click.UsageError("--chaos-runs repeats one PATTERN: leave --all or --chaos-runs out")
    if suite or asks_for_campaign(click.get_current_context()):
        return _campaign([pattern] if pattern else [], options)
    return _series(pattern, options, runs) if runs else _one(pattern, options, links)


def _faults(repeat: int, cores: int, seed: int, page: Path | None, listing: bool) -> Answer:
    """Every kind of fault in real runs, or the names of them."""
    if cores < FEWEST:
        raise click.UsageError(
            f"--cores {cores} with --faults: a fault is found by another core, so give {FEWEST} or more"
        )
    from launch.faults.campaign import fault_campaign
    from launch.faults.page import check_fault_page

    if page is not None:
        check_fault_page(page)
    return run_campaign(
        lambda: fault_campaign(repeat, cores, seed, page), ("launch.faults.campaign",), list_cases=listing
    )


def _list() -> Answer:
    from emu.stress.patterns import PATTERNS

    rows = [(pattern.name, pattern.summary) for pattern in PATTERNS.values()]
    return Answer({"patterns": dict(rows)}, [Table("patterns", ("pattern", "messages of a round"), rows)])


def _one(pattern: str, options: dict[str, Any], links: int) -> Answer:
    from launch.stress.job import StressJob, run_stress
    from launch.stress.report import exit_code, failure, lines, link_rows, to_dict

    result = run_stress(StressJob(pattern=pattern, **options), print_to_stderr)
    *parts, errors = lines(result)
    if links and result.samples:
        title, rows = link_rows(result, links)
        parts = [*parts, title, Table("", ("link", "bytes", "of all"), rows, "lrr")]
    return Answer(to_dict(result), [*parts, errors], failure=failure([result]), exit_code=exit_code([result]))


def _series(pattern: str, options: dict[str, Any], runs: int) -> Answer:
    from launch.stress.job import StressJob, run_stress_series
    from launch.stress.report import series_exit_code, series_lines, series_to_dict

    first, series = run_stress_series(StressJob(pattern=pattern, **options), runs, json_wanted())
    return Answer(
        series_to_dict(first, series),
        series_lines(first, series),
        failure=series.failure,
        exit_code=series_exit_code(first, series),
    )


def _campaign(names: list[str], options: dict[str, Any]) -> Answer:
    """Patterns as the cases of a campaign, each with the other options of the command line."""
    from launch.suites.command_line import typed_words

    context = click.get_current_context()
    of_all = ("suite", "faults", "repeat_faults", "write", "list_patterns", *specs(CampaignOptions))
    words = typed_words(context, arguments(context), of_all)

    def make() -> Campaign:
        from launch.stress.campaign import all_patterns, stress_campaign

        return stress_campaign(names or all_patterns(), options, words)

    return run_campaign(make, ("launch.cli.stress", "launch.stress.job", "launch.stress.report"))
