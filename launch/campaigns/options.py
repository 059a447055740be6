"""The options of every campaign: which of its cases run, how, and where their outcomes are reported."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from emu.options import Flag, Form, NewFile, Text, Whole, Word, opt

GITHUB, NO = "github", "none"
OF_SEVERAL = frozenset(("jobs", "fail_fast", "isolated"))  # what changes nothing of a single case


@dataclass(frozen=True, kw_only=True)
class CampaignOptions:
    """Which cases run: those whose names match `select`, of these those that `last_failed`, of these a `shard`.

    `jobs` run at a time, with `fail_fast` until the first failure. Each is a fork of a warm
    process or, if `isolated`, a fresh interpreter.
    """

    jobs: int = opt(1, Whole(), "Number of cases that run at a time.", short="-j")
    select: str = opt(
        "", Text("EXPRESSION"), "Only cases whose names match, as in 'lenet and not (int8 or mlp)'.", short="-k"
    )
    last_failed: bool = opt(False, Flag(), "Only cases that failed when they ran last; all if there is none.")
    shard: str | None = opt(
        None,
        Form("I/N", r"0*[1-9]\d{0,5}/0*[1-9]\d{0,5}", "a part and how many there are, such as 1/4"),
        "Only the I-th of N disjoint parts of the cases.",
    )
    fail_fast: bool = opt(False, Flag(), "Stop at the first failure.", short="-x")
    list_cases: bool = opt(False, Flag(), "List the cases without running them.", flag="--list")
    isolated: bool = opt(
        False, Flag(), "Run each case in a fresh interpreter, not in a fork of a warm process: slower."
    )
    expect: str | None = opt(
        None,
        Word(table="launch.campaigns.outcomes:EXPECTED"),
        "The outcome at which a case passes, instead of success.",
    )
    junit: Path | None = opt(None, NewFile(), "Write the results to this file as JUnit XML.")
    annotations: str | None = opt(
        None,
        Word(more=(GITHUB, NO)),
        "Also write failures as annotations of GitHub Actions (default: github where GITHUB_ACTIONS is true).",
    )
