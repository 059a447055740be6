"""A plug-in of pytest: after each test, which places were marked since the one before, by whatever process."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

import numpy as np
import pytest

_STORE = Path(os.environ["POWER_STORE"])
_MARKS = np.memmap(_STORE / "marks", dtype=np.uint8, mode="r+")
_failed = set[str]()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    if report.outcome != "passed":
        _failed.add(report.nodeid)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item):
    start = time.monotonic()
    done = yield
    _note(item.nodeid, time.monotonic() - start)
    return done


def pytest_sessionfinish() -> None:
    _note("", 0.0)


def _note(name: str, seconds: float) -> None:
    """A line for a test that passed, with the bits of its places beside it; marks begin anew."""
    bits = np.packbits(_MARKS)
    _MARKS[:] = 0
    with (_STORE / "tests.jsonl").open("a") as lines, (_STORE / "tests.bits").open("ab") as all_bits:
        lines.write(json.dumps([name, name not in _failed, round(seconds, 3)]) + "\n")
        all_bits.write(bits.tobytes())
