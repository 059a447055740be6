"""A probe measures a whole process and tells what became of it; what it loads is only what the function needs."""

from __future__ import annotations

import os
import posix
import warnings
from pathlib import Path

import pytest
import strange_worker

from launch.bench.emulator import emu
from launch.bench.probe import BenchError, probe


@pytest.fixture(autouse=True)
def _found_by_the_child(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(Path(strange_worker.__file__).parent))


def test_the_result_and_what_it_took() -> None:
    found = probe(strange_worker.echo, numbers=[1, 2.5], path=Path("a/b"), nothing=None)
    assert found.result == {"numbers": [1, 2.5], "path": "a/b", "nothing": None}
    assert found.seconds > 0 and 5e6 < found.peak_bytes < 1e9 and found.errors == ""


def test_all_of_the_process_counts_and_no_more() -> None:
    assert probe(strange_worker.sleep, seconds=0.5).seconds > 0.5


def test_it_has_the_variables_of_a_process_that_a_user_starts() -> None:
    assert probe(os.getenv, {"MINE": "1"}, key="MINE").result == "1"
    assert probe(os.getenv, key="OPENBLAS_NUM_THREADS").result == "1"
    assert probe(os.getenv, key="MALLOC_TRIM_THRESHOLD_").result is None


def test_what_it_says_is_kept() -> None:
    assert "UserWarning: careful" in probe(warnings.warn, message="careful").errors
    done = probe(emu, arguments=["compile", "nothing.onnx", "-o", "out"])
    assert done.result == 2 and "error: " in done.errors


@pytest.mark.parametrize("module", ["numpy", "launch.workers.worker"])
def test_the_command_finds_nothing_loaded(module: str) -> None:
    """It begins to load it after it has started what it can beside that."""
    assert probe(strange_worker.loaded, module=module, by="launch.bench.emulator").result is False


@pytest.mark.parametrize(
    ("function", "arguments", "words"),
    [
        (strange_worker.fail, {"reason": "broken"}, r"^strange_worker:fail failed: ValueError: broken$"),
        (strange_worker.end, {"status": 3}, r"^strange_worker:end failed: these are my last words$"),
        (posix._exit, {"status": 4}, r"^posix:_exit failed: exit code 4$"),
        (strange_worker.die, {"number": 9}, r"failed: exit code -9$"),
        (strange_worker.end_badly_later, {}, r"failed: exit code 7$"),
        (strange_worker.unsendable, {}, r"failed: TypeError: a object cannot be sent$"),
    ],
)
def test_what_goes_wrong_is_told(function: object, arguments: dict[str, object], words: str) -> None:
    with pytest.raises(BenchError, match=words):
        probe(function, **arguments)
