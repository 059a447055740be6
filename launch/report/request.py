"""What `emu report` is asked for: which directories, which form, and what cannot go together."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from emu.errors import InputError, option
from emu.wording import counted
from launch.report.compare import compared
from launch.report.forms import PictureOptions, ReportForm, form_for
from launch.report.report import Values, report_values
from launch.report.sources.subject import read_subject


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportRequest:
    """Parameters of `emu report`, by their names; `runs`, `models` and `traces` are as many as `outs`, or none."""

    outs: tuple[Path, ...]
    runs: tuple[Path, ...] = ()
    arch: str | None = None
    models: tuple[Path, ...] = ()
    traces: tuple[Path, ...] = ()
    samples: int | None = None
    peak_power: bool = False
    compare: bool = False
    form: str | None = None
    figure: str | None = None
    by: str | None = None
    output: Path | None = None

    def checked(self) -> ReportForm:
        """The form that is asked for; raises InputError for what cannot be made."""
        wanted = 2 if self.compare else 1
        if len(self.outs) != wanted:
            ask = f"{option('compare')} takes two" if self.compare else f"give one, or two with {option('compare')}"
            raise InputError(f"{counted(len(self.outs), 'directory', 'directories')} given: {ask}")
        for name, given in (("run", self.runs), ("model", self.models), ("trace", self.traces)):
            if len(given) not in (0, wanted):
                raise InputError(
                    f"{option(name)} is given {counted(len(given), 'time')} for"
                    f" {counted(wanted, 'directory', 'directories')}: give one for each, in their order, or none"
                )
        form = form_for(self.form, self.output)
        form.check(PictureOptions(self.figure, self.by), self.compare, self.output)
        return form

    def values(self) -> Values:
        """The report, or the comparison of two."""
        reports = [
            report_values(
                read_subject(
                    out,
                    self.runs[place] if self.runs else None,
                    self.arch,
                    self.models[place] if self.models else None,
                    self.samples,
                    self.traces[place] if self.traces else None,
                ),
                self.peak_power,
            )
            for place, out in enumerate(self.outs)
        ]
        return compared(*reports) if self.compare else reports[0]

    def made(self, form: ReportForm, values: Values) -> bytes:
        """The report in that form."""
        return form.make(values, PictureOptions(self.figure, self.by))
