"""`emu` as a process of its own, forked from a warm one: a few hundredths of a second in place of half a second.

All that a process is about is real: its descriptors (which may be closed, full or somebody's who has gone), its
directory, environment, limits, signals, and how it ends. Only imports have been made before: what is imported when is
the subject of tests that start a fresh interpreter.
"""

from __future__ import annotations

import array
import atexit
import contextlib
import gc
import importlib
import json
import os
import select
import signal
import socket
import subprocess
import sys
import time
import traceback
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, NoReturn

import leaks

CLOSED = -4  # beside subprocess.PIPE, STDOUT and DEVNULL: a standard stream that is not there
EMU = "from launch.cli import main; main()"
MODES = ("r", "w", "w")  # of standard input, output and error
LARGEST = 1 << 16  # bytes of a request
# What commands import, ahead of them all.
WARM = """
launch launch.cli.root launch.cli.compile launch.cli.launch launch.cli.validate launch.cli.info launch.cli.device
launch.cli.debug launch.cli.check launch.cli.doctor launch.cli.stress launch.cli.sweep launch.cli.paper
launch.cli.tables launch.cli.campaigns launch.campaigns.campaign launch.runs.validation launch.runs.answer
launch.chips.power launch.chips.sequential launch.devices.device launch.devices.hosting launch.devices.recording
launch.cli.agent launch.info.report launch.info.drawing launch.machines.ready launch.machines.hosts.hosts
launch.processes.core launch.processes.forking launch.processes.warm_zygotes launch.stress.job launch.system.doctor
launch.timing.timed_image emu.core.crossbars.kinds.ideal emu.timing.fast.fast
compiler.api compiler.passes importlib.readers numpy numpy.ma onnx threadpoolctl xdsl.parser zmq rich.console rich.table
""".split()  # noqa: SIM905


class EmuProcess:
    """A context manager over a running `emu`, which is killed at its end; the ends of its pipes are text files."""

    def __init__(self, pid: int, streams: Sequence[IO[str] | None]) -> None:
        self.pid, self.returncode = pid, None
        self.stdin, self.stdout, self.stderr = streams
        self._ended = os.pidfd_open(pid)

    def __enter__(self) -> EmuProcess:
        return self

    def __exit__(self, *_: object) -> None:
        if self.poll() is None:
            self.kill()
            self.wait()
        for stream in (self.stdin, self.stdout, self.stderr):
            if stream is not None:
                stream.close()

    def send_signal(self, number: int) -> None:
        os.kill(self.pid, number)

    def signal_group(self, number: int) -> None:
        """To all processes of its session, as a terminal does; it has made one."""
        os.killpg(self.pid, number)

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)

    def poll(self) -> int | None:
        """Its exit code, or None as long as it runs."""
        if self.returncode is None and (found := os.waitpid(self.pid, os.WNOHANG))[0]:
            self.returncode = os.waitstatus_to_exitcode(found[1])
            os.close(self._ended)
        return self.returncode

    def wait(self, timeout: float = 60) -> int:
        """Its exit code; raises TimeoutExpired."""
        if self.poll() is None:
            select.select([self._ended], [], [], timeout)
            if self.poll() is None:
                self.kill()
                select.select([self._ended], [], [])
                self.poll()
                raise subprocess.TimeoutExpired(["emu"], timeout)
        return self.returncode

    def communicate(self, given: str = "", timeout: float = 60) -> tuple[str, str]:
        """What it writes until its end; raises TimeoutExpired."""
        if self.stdin is not None:
            self.stdin.write(given)
            self.stdin.close()
        outputs = {stream.fileno(): stream for stream in (self.stdout, self.stderr) if stream is not None}
        content = dict.fromkeys(outputs, b"")
        end, waiting = time.monotonic() + timeout, set(outputs)
        while waiting and (left := end - time.monotonic()) > 0:
            for descriptor in select.select(waiting, [], [], left)[0]:
                part = os.read(descriptor, 1 << 16)
                content[descriptor] += part
                if not part:
                    waiting.discard(descriptor)
        self.wait(max(0.01, end - time.monotonic()))
        found = [content.get(stream.fileno(), b"").decode() if stream else "" for stream in (self.stdout, self.stderr)]
        for stream in outputs.values():
            stream.close()
        return found[0], found[1]


class EmuProcesses:
    """A context manager over the warm process, which starts `emu` with `start` and `run`.

    `ahead` is Python code that is run first in each of its forks.
    """

    ahead = ""

    def __init__(self) -> None:
        self._socket, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            self._server = subprocess.Popen(
                [sys.executable, __file__, str(theirs.fileno()), *sys.path], pass_fds=[theirs.fileno()]
            )
        leaks.LASTING.add(self._server.pid)

    def __enter__(self) -> EmuProcesses:
        return self

    def __exit__(self, *_: object) -> None:
        self._socket.close()
        self._server.wait()

    def run(self, *arguments: object, given: str = "", timeout: float = 60, **settings: object):
        """The end of `start`, as of `subprocess.run`."""
        process = self.start(*arguments, **settings)
        stdout, stderr = process.communicate(given, timeout)
        return subprocess.CompletedProcess(list(arguments), process.returncode, stdout, stderr)

    def start(
        self,
        *arguments: object,
        before: str = "",
        program: str = "",
        stdin: int | IO[str] = subprocess.DEVNULL,
        stdout: int | IO[str] = subprocess.PIPE,
        stderr: int | IO[str] = subprocess.PIPE,
        cwd: Path | None = None,
        env: Mapping[str, str] | None = None,
    ) -> EmuProcess:
        """Run `emu` with `arguments`; the Python code `before` is run in its process first.

        A `program` is the text of one in Python that is run in place of `emu`, as by `python -c`.

        Streams are those of subprocess.Popen, or CLOSED; the environment is that of this process, changed by `env`.
        """
        ours: list[IO[str] | None] = []
        theirs: list[int] = []  # -1: closed
        for place, stream in enumerate((stdin, stdout, stderr)):
            end = None
            if stream == subprocess.PIPE:
                pipe = os.pipe()
                theirs.append(pipe[place > 0])
                end = os.fdopen(pipe[place == 0], "w" if place == 0 else "r")
            elif stream == subprocess.DEVNULL:
                theirs.append(os.open(os.devnull, os.O_RDWR))
            elif stream == CLOSED:
                theirs.append(-1)
            else:
                theirs.append(os.dup(stream if isinstance(stream, int) else stream.fileno()))
            ours.append(end)
        request = {
            "words": [str(word) for word in arguments],
            "before": f"{self.ahead}\n{before}",
            "program": program,
            "place": str(cwd or Path.cwd()),
            "environment": {**os.environ, **(env or {})},
            "streams": [descriptor >= 0 for descriptor in theirs],
        }
        there = [descriptor for descriptor in theirs if descriptor >= 0]
        rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", there))]
        self._socket.sendmsg([json.dumps(request).encode()], rights)
        for descriptor in there:
            os.close(descriptor)
        return EmuProcess(int(self._socket.recv(LARGEST)), ours)


def serve(requests: socket.socket) -> tuple[dict, list[int]]:
    """Fork one process for each request, and return in it what it is to be; ends when nobody can ask any more."""
    while True:
        content, rights, *_ = requests.recvmsg(LARGEST, socket.CMSG_SPACE(len(MODES) * array.array("i").itemsize))
        if not content:
            ENDING["status"] = 0
            sys.exit()
        descriptors = array.array("i", b"".join(data for *_, data in rights))
        reader, writer = os.pipe()
        middle = os.fork()  # it ends at once: its child becomes one of the process that asks, which adopts orphans
        if not middle:
            process = os.fork()
            if not process:
                os.close(reader), os.close(writer), requests.close()
                return json.loads(content), list(descriptors)
            os.write(writer, str(process).encode())
            os._exit(0)
        os.waitpid(middle, 0)
        requests.send(os.read(reader, LARGEST))
        for descriptor in (reader, writer, *descriptors):
            os.close(descriptor)


def become(request: dict, descriptors: list[int]) -> None:
    """Run `emu` as a fresh interpreter that is started so would."""
    for number, (there, mode) in enumerate(zip(request["streams"], MODES, strict=True)):
        if there:
            os.dup2(descriptors.pop(0), number)
        else:
            os.close(number)
        stream = open(number, mode, closefd=False) if there else None  # noqa: SIM115
        setattr(sys, ("stdin", "stdout", "stderr")[number], stream)
        setattr(sys, ("__stdin__", "__stdout__", "__stderr__")[number], stream)
    os.closerange(len(MODES), 256)
    os.chdir(request["place"])
    os.environ.clear()
    os.environ.update(request["environment"])
    signal.signal(signal.SIGINT, signal.default_int_handler)
    sys.argv = ["emu", *request["words"]]
    exec(request["before"], {"__name__": "before"})
    try:
        exec(request["program"] or EMU, {"__name__": "__main__"})
        ENDING["status"] = 0
    except SystemExit as end:
        ENDING["status"] = end.code or 0
        raise


ENDING = {"status": 1}  # until it is known


def end() -> NoReturn:
    """The last thing that an interpreter does at its end, but for what takes long: to take all modules apart."""
    for stream in (sys.stdout, sys.stderr):
        try:
            if stream is not None:
                stream.flush()
        except BaseException:
            traceback.print_exc()
            ENDING["status"] = 120
    os._exit(ENDING["status"])


def main(descriptor: str, *path: str) -> None:
    atexit.register(end)  # the first one that is registered is called last
    sys.path[:] = path
    for module in WARM:
        with contextlib.suppress(ImportError):
            importlib.import_module(module)
    gc.collect()
    gc.freeze()
    become(*serve(socket.socket(fileno=int(descriptor))))


if __name__ == "__main__":
    main(*sys.argv[1:])
