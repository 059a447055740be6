"""The checker: what can be known of a program set before it runs, without data.

`check(image)` gives a report with a verdict per property; `properties.py` is the table of properties.
"""

from __future__ import annotations

from emu.check.check import check_programs
from emu.check.segments import check
from emu.check.verdict import Finding, Outcome, Report, Result, Verdict

__all__ = ["Finding", "Outcome", "Report", "Result", "Verdict", "check", "check_programs"]
