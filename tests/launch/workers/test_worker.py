"""Workers answer, refuse, fail, die, stand still and lie: each is told, in time, and nothing of them is left."""

from __future__ import annotations

import os
import signal
import struct
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import strange_worker

from launch.system.process_state import alive, stopped_by
from launch.workers.failures import UnreadableMessage, WorkerDied, WorkerRefusal, WorkerTimedOut
from launch.workers.worker import Worker, ready

ROOT = Path(__file__).parents[3]
LARGE = np.zeros(1 << 20)  # more than any buffer of a socket holds
TIMEOUT = 0.7
LEAST = 60.0  # seconds that a slow machine may take


class Strange(Worker):
    """A worker of the tests."""

    module, purpose = "strange_worker", "a test"

    def __init__(self, **options: Any) -> None:
        path = os.pathsep.join((str(ROOT), str(Path(strange_worker.__file__).parent)))
        super().__init__("the strange worker", variables={"PYTHONPATH": path, "STRANGE": "yes"}, **options)


@pytest.fixture
def worker() -> Iterator[Strange]:
    with Strange(captured=True) as started:
        yield started


def timed_out(run: Any) -> WorkerTimedOut:
    """Run what must time out, not much later than it should."""
    began = time.monotonic()
    with pytest.raises(WorkerTimedOut) as raised:
        run()
    assert TIMEOUT * 0.9 < time.monotonic() - began < LEAST
    assert raised.value.seconds == TIMEOUT
    return raised.value


def test_it_answers_as_often_as_it_is_asked(worker: Strange) -> None:
    for count in range(3):
        found = worker.call("echo", array=LARGE + count, text="x")
        assert found["text"] == "x" and np.array_equal(found["array"], LARGE + count)
    assert not worker.busy and not worker.has_ended()


def test_arguments_may_be_called_as_those_of_call(worker: Strange) -> None:
    assert worker.call("echo", function="f", name="n") == {"function": "f", "name": "n"}


def test_it_has_variables_of_its_own(worker: Strange) -> None:
    assert worker.call("environment", name="STRANGE") == "yes"
    assert worker.call("environment", name="MALLOC_TRIM_THRESHOLD_")
    with Strange(keep_memory=False) as other:
        assert other.call("environment", name="MALLOC_TRIM_THRESHOLD_") is None


def test_it_loads_no_numpy_before_an_array_comes(worker: Strange) -> None:
    assert worker.call("loaded", module="numpy") is False
    worker.call("echo", array=np.zeros(1))
    assert worker.call("loaded", module="numpy") is True


def test_a_refusal_and_a_bug_are_told_and_it_goes_on(worker: Strange) -> None:
    with pytest.raises(WorkerRefusal, match=r"^not today$"):
        worker.call("refuse", reason="not today")
    with pytest.raises(WorkerDied, match=r"^ValueError: broken$") as died:
        worker.call("fail", reason="broken")
    assert died.value.status == 1 and "in fail" in died.value.traceback
    for wrong in ("no such function", "unsendable"):
        with pytest.raises(WorkerDied) as died:
            worker.call(wrong)
        assert died.value.traceback.startswith("Traceback")
    assert worker.call("echo", x=1) == {"x": 1}


def test_a_request_that_cannot_be_sent_is_none(worker: Strange) -> None:
    with pytest.raises(TypeError, match="a object cannot be sent"):
        worker.call("echo", x=object())
    assert worker.call("echo", x=1) == {"x": 1}


def test_two_requests_at_a_time_are_a_bug(worker: Strange) -> None:
    worker.ask("echo", x=1)
    with pytest.raises(AssertionError, match="has not answered"):
        worker.ask("echo", x=2)
    assert worker.answer() == {"x": 1}


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSEGV])
def test_one_that_is_killed(worker: Strange, number: int) -> None:
    for _ in range(2):  # it stays so
        with pytest.raises(WorkerDied) as died:
            worker.call("die", number=int(number))
        assert (died.value.status, died.value.traceback) == (-number, "")


def test_one_that_ends_leaves_its_last_words(worker: Strange) -> None:
    with pytest.raises(WorkerDied, match="these are my last words") as died:
        worker.call("end", status=3)
    assert died.value.status == 3


def test_one_that_is_killed_before_it_has_read(worker: Strange) -> None:
    os.kill(worker.pid, signal.SIGKILL)
    with pytest.raises(WorkerDied):
        worker.call("echo", array=LARGE)


def test_it_is_late_with_its_answer() -> None:
    with Strange(timeout=TIMEOUT) as worker:
        late = timed_out(lambda: worker.call("sleep", seconds=LEAST))
        assert late.doing == ["the strange worker computes"]
        with pytest.raises(AssertionError, match="has not answered"):
            worker.call("echo")


def test_it_does_not_read() -> None:
    with Strange(timeout=TIMEOUT) as worker:
        os.kill(worker.pid, signal.SIGSTOP)
        late = timed_out(lambda: worker.ask("echo", array=LARGE))
        assert late.doing == ["the strange worker is stopped (SIGSTOP)"]


def test_sending_and_receiving_share_the_time() -> None:
    with Strange(timeout=2 * TIMEOUT) as worker:
        worker.ask("sleep", seconds=LEAST)
        time.sleep(TIMEOUT)
        began = time.monotonic()
        with pytest.raises(WorkerTimedOut):
            worker.answer()
        assert time.monotonic() - began < 1.7 * TIMEOUT


def test_the_time_can_begin_anew() -> None:
    with Strange(timeout=LEAST) as worker:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(time, "monotonic", lambda: 0.0)  # long ago
            worker.ask("sleep", seconds=0.1)
        worker.start_clock()
        assert worker.answer() == "awake"


def test_one_that_goes_on_is_waited_for() -> None:
    told: list[str] = []

    def resume(line: str) -> None:
        told.append(line)
        os.kill(worker.pid, signal.SIGCONT)

    with Strange(timeout=LEAST, notice=resume) as worker:
        worker.call("echo")
        os.kill(worker.pid, signal.SIGSTOP)
        assert worker.call("echo", x=1) == {"x": 1}
    assert told[0] == "the strange worker is stopped (SIGSTOP): the run waits until it is continued (SIGCONT)"


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"\xff" * 8, "a message of"),
        (struct.pack("!Q", 1) + b"\xc1", "no message"),
        (struct.pack("!Q", 1) + b"\x07", "a int"),
        (struct.pack("!Q", 3) + b"\x92\xa0\x01", "a list"),
    ],
)
def test_what_is_no_answer(worker: Strange, content: bytes, words: str) -> None:
    with pytest.raises(UnreadableMessage, match=words):
        worker.call("say", content=content)


def test_a_length_that_lies(worker: Strange) -> None:
    with pytest.raises(WorkerDied) as died:
        worker.call("lie", length=100)
    assert died.value.status == 0
    with Strange(timeout=TIMEOUT) as patient:
        timed_out(lambda: patient.call("say", content=struct.pack("!Q", 100)))


def test_one_that_hangs_up(worker: Strange, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("launch.workers.worker.PATIENCE", 0.2)
    with pytest.raises(UnreadableMessage, match="reads no more"):
        worker.call("hang_up")


def test_whoever_derives_chooses_the_errors() -> None:
    class Own(Strange):
        def failure(self, found: Exception) -> Exception:
            return LookupError(f"{self.name}: {found}")

    with Own() as worker, pytest.raises(LookupError, match="the strange worker: no"):
        worker.call("refuse", reason="no")


def test_it_ends_by_itself(worker: Strange) -> None:
    worker.call("echo")
    worker.finish()
    assert worker.has_ended() and worker.errors == ""


def test_its_end_may_fail(worker: Strange) -> None:
    worker.call("end_badly_later")
    with pytest.raises(WorkerDied) as died:
        worker.finish()
    assert died.value.status == 7


@pytest.mark.parametrize("state", ["idle", "busy", "stopped", "dead"])
def test_it_is_closed_at_once_and_may_be_closed_twice(state: str) -> None:
    worker = Strange()
    worker.call("echo")
    if state == "busy":
        worker.ask("sleep", seconds=LEAST)
    elif state != "idle":
        os.kill(worker.pid, signal.SIGSTOP if state == "stopped" else signal.SIGKILL)
        while state == "stopped" and not stopped_by(worker.pid):
            time.sleep(0.01)
    began, process = time.monotonic(), worker.pid
    for _ in range(2):
        worker.close()
    assert time.monotonic() - began < 9 and not alive(process)
    assert worker.errors == ""


def test_many_are_waited_for_at_a_time() -> None:
    with Strange() as quick, Strange() as slow, Strange() as dying:
        assert ready([quick, slow], 0) == []
        slow.ask("sleep", seconds=LEAST)
        quick.ask("echo", x=1)
        assert ready([quick, slow], LEAST) == [quick]
        assert quick.answer() == {"x": 1}
        dying.ask("die", number=int(signal.SIGKILL))
        assert ready([slow, dying], LEAST) == [dying]
        with pytest.raises(WorkerDied):
            dying.answer()


@pytest.mark.parametrize("closed", ["<&-", "<&- >&- 2>&-"])
def test_a_process_without_standard_streams_may_have_workers(closed: str, tmp_path: Path) -> None:
    code = (
        "from pathlib import Path; from test_worker import Strange\n"
        "with Strange(captured=True) as worker: Path('said').write_text(worker.call('echo', x='fine')['x'])"
    )
    script = f'exec "$0" -c "$1" {closed}'
    path = os.pathsep.join((str(ROOT), str(Path(__file__).parent), str(Path(strange_worker.__file__).parent)))
    shell = ["sh", "-c", script, sys.executable, code]
    subprocess.run(shell, check=True, cwd=tmp_path, env={**os.environ, "PYTHONPATH": path})
    assert (tmp_path / "said").read_text() == "fine"


def test_no_process_is_left_if_none_can_be_had(monkeypatch: pytest.MonkeyPatch) -> None:
    before = len(list(Path("/proc/self/fd").iterdir()))
    monkeypatch.setattr("launch.workers.worker.Interpreter", lambda *_, **__: os.close(-1))
    with pytest.raises(OSError):
        Strange(captured=True)
    assert len(list(Path("/proc/self/fd").iterdir())) == before
