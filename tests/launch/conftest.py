"""What takes long is done once: runs of this process share a warm process, and golden values are computed once.

Fresh ones are met by the tests of processes, supervision, system and golden values, and by all commands that tests
start as processes.
"""

import hashlib
import json
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

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
        return emu_zygotes.fork(descriptors, directories)

    monkeypatch.setattr(zygote_process, "start_fresh", start)


@pytest.fixture(scope="session")
def golden_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """By digest of what was asked for, what the evaluator has answered."""
    return tmp_path_factory.mktemp("golden")


@pytest.fixture(autouse=True)
def _golden_values_once(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, golden_folder: Path) -> None:
    """The examples, which no test changes, are evaluated once for the same inputs."""
    if folder_of(request) in FRESH_GOLDEN:
        return
    evaluate = values.evaluate

    def evaluate_once(folder: Path, model: Path, source: str, request: Mapping[str, Any], *given: Any) -> Any:
        if Path(request["model"]).parent != EXAMPLES.resolve():
            return evaluate(folder, model, source, request, *given)
        asked = json.dumps(request).encode()
        inputs = [path.read_bytes() for path in sorted(folder.glob("in*.npy"))]
        answer = golden_folder / hashlib.sha256(b"".join((asked, *inputs))).hexdigest()
        if not answer.exists():
            result = evaluate(folder, model, source, request, *given)
            answer.mkdir()
            (answer / "result.json").write_text(json.dumps(result))
            for made in folder.glob("out*.npy"):
                shutil.copy(made, answer)
        for kept in answer.glob("out*.npy"):
            shutil.copy(kept, folder)
        return json.loads((answer / "result.json").read_text())

    monkeypatch.setattr(values, "evaluate", evaluate_once)
