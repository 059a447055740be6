"""SIGINT, SIGTERM and SIGHUP end every command, whenever and wherever: the right code, no traceback, nothing left."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from commands import DIGITS
from leaks import LeftoverCheck, wait_until_gone

from launch.cli.schema import SCHEMA

ENDS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
WORDS = {signal.SIGINT: "interrupted", signal.SIGTERM: "terminated", signal.SIGHUP: "terminated"}
# `up` is written when the handlers are there: before that, a signal ends Python itself.
MAIN = """
import os, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # a job in the background ignores it
from launch.cli import main, signals
arm = signals.arm
def tell(as_json):
    arm(as_json)
    os.write(3, b"up")
signals.arm = tell
{before}
main()
"""
PATIENCE = 60
AT_ONCE = 10.0  # seconds; it takes 1 at most when the machine is idle


def start(arguments: list[object], before: str = "", **options) -> subprocess.Popen[str]:
    """`emu` with `arguments`, once it hears signals; `before` is run in it first."""
    reader, writer = os.pipe()
    code = MAIN.format(before=before).replace("os.write(3", f"os.write({writer}")
    process = subprocess.Popen(
        [sys.executable, "-c", code, *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        pass_fds=[writer],
        **options,
    )
    os.close(writer)
    assert os.read(reader, 2) == b"up"
    os.close(reader)
    return process


def check_end(process: subprocess.Popen[str], number: signal.Signals, as_json: bool) -> None:
    """It has ended by the signal, or had ended already: code, words, nothing else."""
    stdout, stderr = process.communicate(timeout=PATIENCE)
    assert "Traceback" not in stderr and "Exception ignored" not in stderr, stderr
    objects = [json.loads(line) for line in stdout.splitlines()] if as_json else []
    assert len(objects) == as_json, (stdout, stderr)
    if process.returncode == 0 or (process.returncode == -number and not stderr):
        return  # it was over, and Python about to end
    assert process.returncode == 128 + number, stderr
    assert f"error: {WORDS[number]}" in stderr.splitlines()
    if as_json and "error" in objects[0]:
        assert objects[0] == {"schema": SCHEMA, "error": WORDS[number], "exit_code": 128 + number}


def commands(image: Path, folder: Path) -> list[list[object]]:
    many = ["--repeat", 500, "--timeout", PATIENCE]
    return [
        ["launch", image, *many],
        ["launch", image, *many, "--save", folder / "out.npz"],
        ["launch", image, *many, "--sequential"],
        ["validate", DIGITS, "--samples", 2000],
        ["compile", DIGITS, "-o", folder / "image", "--samples", 2000],
        ["stress", "ring", "--cores", 4, "--duration", PATIENCE],
        ["check", image],
        ["info", image],
        ["doctor"],
        ["bench", "--row", "resnet18-latency"],
    ]


# The thread ends the process by force as soon as it can, wherever the main thread is.
BY_FORCE = "signals.GRACE, signals.KNOCK = 0, 0.001"


def storm(image: Path, tmp_path: Path, count: int, longest: float, seed: int, before: str = "") -> None:
    rng, earlier = random.Random(seed), LeftoverCheck.now()
    for number in range(count):
        scratch, out = tmp_path / f"scratch{number}", tmp_path / f"out{number}"
        scratch.mkdir(), out.mkdir()
        choices = commands(image, out)
        as_json, end, arguments = rng.random() < 0.5, rng.choice(ENDS), choices[number % len(choices)]
        options = ["--json"] if as_json else []
        process = start([*arguments, *options], before, env=os.environ | {"TMPDIR": str(scratch)})
        time.sleep(rng.uniform(0, longest))
        sent = time.monotonic()
        for _ in range(rng.choice((1, 1, 2, 5))):  # impatient people
            process.send_signal(end)
        check_end(process, end, as_json)
        assert time.monotonic() - sent < AT_ONCE, arguments
        assert not wait_until_gone(earlier), arguments
        assert list(scratch.iterdir()) == [], arguments
        assert {path.name for path in out.iterdir()} <= {"image", "out.npz", "out.npz.partial"}, arguments


def test_signals_at_random_moments(digits_image: Path, tmp_path: Path) -> None:
    storm(digits_image, tmp_path, 10, 0.6, 0)


@pytest.mark.full
def test_an_end_by_force_at_random_moments(digits_image: Path, tmp_path: Path) -> None:
    storm(digits_image, tmp_path, 5, 1.5, 5, BY_FORCE)


@pytest.mark.full
@pytest.mark.timeout(900)
@pytest.mark.parametrize(
    ("seed", "before"), [*((seed, "") for seed in range(4)), *((seed, BY_FORCE) for seed in range(2))]
)
def test_signals_at_many_random_moments(digits_image: Path, tmp_path: Path, seed: int, before: str) -> None:
    storm(digits_image, tmp_path, 100, 1.5, seed + 1, before)


# Each replaces what `emu info` does by something that signals do not reach in the ordinary way, says so, and goes on.
PLACES = {
    "a loop": "at_work()\n    while True: pass",
    "a callback that swallows": (
        "class Noisy:\n        def __del__(self):\n            at_work()\n            while True: pass\n"
        "    Noisy()\n    while True: pass"
    ),
    # What C does that prints an exception and goes on (PyErr_PrintEx), such as Cython of a function that raises none.
    "code that prints and swallows": (
        "import sys, time\n    at_work()\n    try: time.sleep(60)\n"
        "    except BaseException: sys.excepthook(*sys.exc_info())\n    time.sleep(60)"
    ),
    "code that swallows everything": (
        "at_work()\n    while True:\n        try:\n            while True: pass\n        except BaseException: pass"
    ),
    "the end of a thread": (
        "import threading, time\n    threading.Thread(target=time.sleep, args=[60]).start()\n    at_work()\n"
        "    time.sleep(60)"
    ),
    "a pool that is joined": (
        "import time\n    from concurrent.futures import ThreadPoolExecutor\n"
        "    with ThreadPoolExecutor(1) as pool:\n        pool.submit(time.sleep, 60)\n        at_work()"
    ),
    "a call of C": (
        "import ctypes\n    at_work()\n    sleep = ctypes.CDLL(None).usleep\n    while True: sleep(1000000)"
    ),
    "a call of C that goes on": (
        "import ctypes\n    lock, c = ctypes.create_string_buffer(64), ctypes.CDLL(None)\n"
        "    c.pthread_mutex_lock(lock)\n    at_work()\n    c.pthread_mutex_lock(lock)"
    ),
    "arithmetic": "import numpy\n    a = numpy.ones((3000, 3000))\n    at_work()\n    while True: a = a @ a",
    "clean-up that fails": ("try:\n        at_work()\n        while True: pass\n    finally:\n        os.close(12345)"),
    "ZeroMQ": (
        "import zmq\n    socket = zmq.Context().socket(zmq.PULL)\n    socket.bind('inproc://x')\n    at_work()\n"
        "    socket.recv()"
    ),
    "a child": "import subprocess, sys\n    at_work()\n    while True: subprocess.run(['sleep', '2'])",
    "an import": (
        "import pathlib, tempfile\n    from emu.output.scratch import ScratchFolder\n"
        "    with ScratchFolder('bench') as folder:\n"
        "        (folder / 'slow_module.py').write_text('import __main__, time\\n__main__.at_work()\\n'\n"
        "            'try: time.sleep(60)\\nexcept BaseException: raise ImportError')\n"
        "        sys.path.insert(0, str(folder))\n        sys.dont_write_bytecode = True\n        import slow_module"
    ),
}


EVERYWHERE = [
    pytest.param(place, end, id=f"{place}-{end.name}", marks=[] if which == number % len(ENDS) else pytest.mark.full)
    for number, place in enumerate(PLACES)
    for which, end in enumerate(ENDS)
]


@pytest.mark.few(5)
@pytest.mark.parametrize(("place", "end"), EVERYWHERE)
def test_wherever_it_is(place: str, end: signal.Signals, tmp_path: Path) -> None:
    scratch, there = tmp_path / "scratch", tmp_path / "there"
    scratch.mkdir()
    before = (
        f"def at_work(): open({str(there)!r}, 'w').close()\n"
        f"import launch.cli.info\ndef work(**options):\n    {PLACES[place]}\n"
        "launch.cli.info.command.callback = work\n"
    )
    process = start(["info", tmp_path, "--json"], before, env=os.environ | {"TMPDIR": str(scratch)})
    deadline = time.monotonic() + PATIENCE
    while not there.exists() and time.monotonic() < deadline:
        time.sleep(0.01)
    sent = time.monotonic()
    process.send_signal(end)
    check_end(process, end, True)
    assert time.monotonic() - sent < AT_ONCE
    assert list(scratch.iterdir()) == []


# While the process writes why it ends, the words of the end send it another signal.
AGAIN = (
    "words = signals.Terminated.__str__\n"
    "def send_again(end):\n    os.kill(os.getpid(), end.number)\n    return words(end)\n"
    "signals.Terminated.__str__ = send_again\n"
)


@pytest.mark.parametrize("as_json", [False, True])
def test_a_signal_while_the_end_is_told(as_json: bool, tmp_path: Path) -> None:
    before = (
        f"{AGAIN}import time\narm_and_tell = signals.arm\n"
        "signals.arm = lambda as_json: (arm_and_tell(as_json), time.sleep(60))"
    )
    process = start(["info", tmp_path, *(["--json"] if as_json else [])], before)
    process.send_signal(signal.SIGINT)
    check_end(process, signal.SIGINT, as_json)


def test_ignored_signals_stay_ignored() -> None:
    process = start(["doctor", "--cores", 2], "signal.signal(signal.SIGHUP, signal.SIG_IGN)")
    process.send_signal(signal.SIGHUP)
    _, stderr = process.communicate(timeout=PATIENCE)
    assert process.returncode in (0, 2) and "terminated" not in stderr
