"""Reports the progress and the results of a campaign to people, scripts and CI servers."""

from __future__ import annotations

import os
import sys
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from types import TracebackType

import click

from emu.errors import InputError
from emu.output.whole_file import WholeFile
from emu.wording import visible
from launch.campaigns.annotations import annotations, append_summary
from launch.campaigns.campaign import Campaign, CampaignReport
from launch.campaigns.case import CaseResult
from launch.cli.lines import say
from launch.text.answer import Answer
from launch.text.progress import progress_bar

SUMMARY = "GITHUB_STEP_SUMMARY"  # the variable with the file of a job's summary


class CampaignOutput:
    """A context manager: its files are opened at the begin, so that nothing runs that could not be reported.

    Shows a bar for the cases on a terminal, else a line per case on stderr; `quiet`: neither, and no table.
    """

    def __init__(self, campaign: Campaign, as_json: bool, quiet: bool, annotate: bool, junit: Path | None) -> None:
        self._campaign, self._as_json, self._quiet, self._annotate = campaign, as_json, quiet, annotate
        self._total, self._junit = len(campaign.cases), junit
        self._done = 0
        self._open = ExitStack()

    def __enter__(self) -> CampaignOutput:
        with ExitStack() as opened:
            self._file = opened.enter_context(WholeFile(self._junit)) if self._junit else None
            self._advance = opened.enter_context(progress_bar("cases", self._total, self._quiet))
            self._open = opened.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._open.__exit__(kind, value, trace)

    def show_result(self, result: CaseResult) -> None:
        """Show the result of a case that has ended."""
        self._done += 1
        self._advance()
        if self._campaign.announces and not self._quiet and (sys.stderr is None or not sys.stderr.isatty()):
            word, name = self._campaign.outcome(result).word, visible(result.case.name)
            say(f"[{self._done}/{self._total}] {name}: {word} in {result.seconds:.1f} s", err=True)

    def answer(self, report: CampaignReport) -> Answer:
        """All are over. Files and annotations come first; one that cannot be written is a failure beside the rest."""
        trouble = self._written(report)
        if self._annotate:
            self._write_annotations(report)
        answer = self._campaign.answer(report, self._quiet)
        return replace(answer, failure=str(trouble), exit_code=trouble.exit_code) if trouble else answer

    def _written(self, report: CampaignReport) -> InputError | None:
        """Write the JUnit file, and take the bar away; why it could not be written."""
        try:
            if self._file is not None:
                from launch.campaigns.junit import junit_xml

                self._file.write(junit_xml(report))
            self._open.close()
        except InputError as error:
            return error
        return None

    def _write_annotations(self, report: CampaignReport) -> None:
        for line in annotations(report):
            click.echo(line, err=self._as_json)
        path = os.environ.get(SUMMARY)
        if path:
            try:
                append_summary(Path(path), report)
            except OSError as error:
                say(f"warning: {SUMMARY} {path} cannot be written: {error.strerror}", err=True)
