"""Runs of this process take their zygotes from one warm process: a fresh interpreter for each run takes far longer.

Fresh ones are met by the tests of processes, supervision and system, and by all commands that tests start as processes.
"""

from collections.abc import Sequence
from pathlib import Path

import pytest

from launch.processes import zygote_process
from launch.processes.warm_zygotes import WarmZygotes
from launch.processes.zygote_process import Started

FRESH = {"processes", "supervision", "system"}  # folders whose tests are about them


@pytest.fixture(autouse=True)
def _warm_zygotes(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, emu_zygotes: WarmZygotes) -> None:
    folder = request.path.relative_to(Path(__file__).parent).parts[0]
    if folder in FRESH:
        return

    def start(descriptors: Sequence[int], directories: Sequence[str]) -> Started:
        return emu_zygotes._fork(descriptors, directories)

    monkeypatch.setattr(zygote_process, "_start", start)
