"""What takes long is done once: runs of this process share a warm process, and golden values are computed once.

Fresh ones are met by the tests of processes, supervision, system and golden values, and by all commands that tests
start as processes.
"""

import hashlib
import json
import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest
from commands import EXAMPLES

from launch.golden import values
from launch.processes import zygote_process
from launch.processes.warm_zygotes import WarmZygotes
from launch.processes.zygote_process import Started

FRESH_ZYGOTES = ("processes", "supervision", "system")  # folders whose tests are about them
FRESH_GOLDEN = ("golden",)


def folder_of(request: pytest.FixtureRequest) -> str:
    """The folder of a test below this one."""
    return request.path.relative_to(Path(__file__).parent).parts[0]


@pytest.fixture(autouse=True)
def _warm_zygotes(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, emu_zygotes: WarmZygotes) -> None:
    """A zygote is forked from the warm process: a fresh interpreter has to import everything first."""
    if folder_of(request) in FRESH_ZYGOTES:
        return

    def start(descriptors: Sequence[int], directories: Sequence[str]) -> Started:
        return emu_zygotes._fork(descriptors, directories)

    monkeypatch.setattr(zygote_process, "_start", start)


@pytest.fixture(scope="session")
def golden_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """By digest of what was asked for, what the evaluator has answered."""
    return tmp_path_factory.mktemp("golden")


@pytest.fixture(autouse=True)
def _golden_values_once(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, golden_folder: Path) -> None:
    """The examples, which no test changes, are evaluated once for the same inputs."""
    if folder_of(request) in FRESH_GOLDEN:
        return
    run_child = values._run_child

    def run_once(folder: Path, model: Path, source: str) -> dict[str, str]:
        asked = (folder / "request.json").read_bytes()
        if Path(json.loads(asked)["model"]).parent != EXAMPLES.resolve():
            return run_child(folder, model, source)
        inputs = [path.read_bytes() for path in sorted(folder.glob("in*.npy"))]
        answer = golden_folder / hashlib.sha256(b"".join((asked, *inputs))).hexdigest()
        if not answer.exists():
            run_child(folder, model, source)
            answer.mkdir()
            for made in (*folder.glob("out*.npy"), folder / "result.json"):
                shutil.copy(made, answer)
        for kept in answer.glob("out*.npy"):
            shutil.copy(kept, folder)
        return json.loads((answer / "result.json").read_text())

    monkeypatch.setattr(values, "_run_child", run_once)
