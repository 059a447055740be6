"""Reports a failure of the zygote or the memory node, and writes it as the last line of its log."""

from __future__ import annotations

import traceback
from collections.abc import Generator
from contextlib import contextmanager

from emu.errors import EmuError
from launch.processes.log import ProcessLog
from launch.processes.orders import Orders, ProcessReport, ReportKind, send_report


@contextmanager
def failures_reported(orders: Orders, number: int, log: str) -> Generator[None]:
    """Around the work of process `number`: its errors are reported to the launcher, internal ones logged to `log`."""
    try:
        yield
    except EmuError as error:
        send_report(orders.reports, ProcessReport(ReportKind.ERROR, number, str(error)))
    except Exception:
        ProcessLog(orders.options.log_dir, log, orders.started).last(traceback.format_exc())
        send_report(orders.reports, ProcessReport(ReportKind.BUG, number, traceback.format_exc()))
