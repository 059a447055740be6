"""The options of traces, and the files that they name."""

from __future__ import annotations

from typing import Any

import click

from launch.cli.options import COUNT, apply
from launch.cli.values import NewFile
from launch.tracing.options import MOST, OWN, TraceOptions


class TraceFile(NewFile):
    """A file to write, whose name ends as that of a trace does."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Refuse other names before anything runs."""
        from launch.tracing.trace_file import format_of

        path = super().convert(value, param, ctx)
        format_of(path)
        return path


TRACE_FILE = TraceFile()

trace_options = apply(
    click.option(
        "--trace",
        type=TRACE_FILE,
        metavar="FILE",
        help="Write what every core did when: .pftrace for Perfetto, .json or .json.gz in Chrome's format; both open at"
        " ui.perfetto.dev.",
    ),
    click.option(
        "--trace-events",
        type=COUNT,
        metavar="N",
        help=f"Events of each core that --trace keeps, the newest (default: {MOST}; of very many cores fewer).",
    ),
    click.option(
        "--beside",
        metavar=f"CHIP|{OWN}",
        help="With --trace: also the simulated time of a sample on CHIP (a preset's name or a TOML file), or on the"
        " chip that OUT was compiled for.",
    ),
)


def take_trace(options: dict[str, Any]) -> TraceOptions | None:
    """Remove the options of traces from `options`: what they ask for; raises UsageError for one without effect."""
    path, most, beside = (options.pop(name) for name in ("trace", "trace_events", "beside"))
    if path is None:
        idle = next((name for name, value in (("--trace-events", most), ("--beside", beside)) if value), None)
        if idle:
            raise click.UsageError(f"{idle} has no effect without --trace: name a file, or leave it out")
        return None
    return TraceOptions(path, most, beside or "")
