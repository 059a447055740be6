"""What takes long is done once: runs of this process share a warm process, and so do agents, cases and golden values.

Fresh ones are met by the tests of processes, supervision, system, campaigns and golden values, and by all
commands that tests start as processes.
"""

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

import agents
import pytest
from emu_processes import EmuProcesses
from golden_once import GoldenOnce
from lasting_cases import LastingCases

from launch.campaigns import starting
from launch.golden import values
from launch.processes import zygote_process
from launch.processes.warm_zygotes import WarmZygotes
from launch.processes.zygote_process import StartedZygote

FRESH_ZYGOTES = ("processes", "supervision", "system")  # folders whose tests are about them
FRESH_CASES = ("campaigns",)
FRESH_GOLDEN = ("golden",)
FORKING = "from forked_interpreters import fork_interpreters; fork_interpreters()"


def folder_of(request: pytest.FixtureRequest) -> str:
    """The folder of a test below this one."""
    return request.path.relative_to(Path(__file__).parent).parts[0]


@pytest.fixture(autouse=True)
def _warm_zygotes(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, emu_zygotes: WarmZygotes) -> None:
    """A zygote is forked from the warm process: a fresh interpreter has to import everything first."""
    if folder_of(request) in FRESH_ZYGOTES:
        return

    def start(descriptors: Sequence[int], directories: Sequence[str]) -> StartedZygote:
        return emu_zygotes.fork(descriptors, directories)

    monkeypatch.setattr(zygote_process, "start_fresh", start)
    if folder_of(request) not in FRESH_CASES:  # nor do processes start one that import everything first
        monkeypatch.setattr(EmuProcesses, "ahead", FORKING)


@pytest.fixture
def fresh_agents() -> None:
    """For tests of agents as they are started outside of tests."""


@pytest.fixture(autouse=True)
def _warm_agents(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """An agent that a test starts is forked from the process that forks `emu`; those of engines start as ever."""
    if "fresh_agents" not in request.fixturenames:
        monkeypatch.setattr(agents, "warm", [partial(request.getfixturevalue, "emu_processes")])


@pytest.fixture(autouse=True)
def _cases_of_campaigns(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, lasting_cases: LastingCases
) -> None:
    if folder_of(request) not in FRESH_CASES:
        monkeypatch.setattr(starting, "place_for", lasting_cases.place_for)


@pytest.fixture(scope="session")
def golden_once(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GoldenOnce]:
    once = GoldenOnce(tmp_path_factory.mktemp("golden"))
    yield once
    once.close()


@pytest.fixture(autouse=True)
def _golden_values_once(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, golden_once: GoldenOnce
) -> None:
    if folder_of(request) not in FRESH_GOLDEN:
        monkeypatch.setattr(values, "evaluate", golden_once.evaluate)
