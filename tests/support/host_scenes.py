"""A run over four agents that a test disturbs: `emu launch`, agents behind proxies, and what is kept of it."""

from __future__ import annotations

import contextlib
import os
import random
import signal
import struct
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import numpy as np
from cut_proxy import CutProxy
from emu_processes import EmuProcess, EmuProcesses
from images import byte_tensor, write_image
from staged_hosts import AGENTS, HOSTS, NAMES, bootstrap_of, write
from stepper import emit

from emu.image.npz import read_npz, write_npz
from emu.isa.address import Address
from emu.program.builder import SectionBuilder
from emu.program.program import Program
from launch.samples.binding import CHECKSUM, LENGTH, MAGIC
from launch.samples.store import INDEX
from launch.system.process_state import alive, children, descendants

CORES_OF_A_HOST = 2
CORES = CORES_OF_A_HOST * HOSTS
SIZE = 100  # bytes of a sample
SHORT, ENDLESS = 500, 30_000  # samples of a run that goes on whatever happens, and of one that must not end before
TRAPPING, WILD = 5, 1 << 30  # the core that takes the beginning of a sample for an address; one that is none
JOINING = 20.0  # seconds for agents to join
PATIENCE = 60.0  # seconds until a run hangs
GONE = 40.0  # seconds until what is left counts as left
BEFORE = """\
from staged_hosts import take_stage; take_stage()
from forked_interpreters import fork_interpreters; fork_interpreters()"""


def _core(core: int, stuck: bool) -> Program:
    """Hand a sample on from core to core; with `stuck` all wait for each other then."""
    builder = SectionBuilder()
    if core:
        emit(builder, "recv", core - 1, 0, SIZE)
    else:
        emit(builder, "ld", 0, 1000, SIZE)
    if core == TRAPPING:
        builder.emit("sld", operands=[Address(1000)], rd=1)
        builder.emit("lmv", operands=[Address(200), Address(0, reg=1)], size=4)
    if core < CORES - 1:
        emit(builder, "send", core + 1, 0, SIZE)
    else:
        emit(builder, "st", 0, 0, SIZE)
    if stuck:
        emit(builder, "recv", (core + 1) % CORES, 0, SIZE)
    emit(builder, "halt")
    return Program(core, main=builder.finish())


def write_chain(path: Path, stuck: bool = False) -> Path:
    """An image of a core after the other, on four hosts: y is x."""
    programs = {core: _core(core, stuck) for core in range(CORES)}
    return write_image(path, programs, (byte_tensor("x", SIZE, 1000),), (byte_tensor("y", SIZE, 0),))


class Stage:
    """What all scenes share: `images` by name, and who starts processes."""

    def __init__(self, folder: Path, processes: EmuProcesses) -> None:
        self.folder, self.processes = folder, processes
        self.images = {"chain": write_chain(folder / "chain"), "stuck": write_chain(folder / "stuck", stuck=True)}
        self.x = np.random.default_rng(1).integers(0, 256, (ENDLESS, SIZE), np.uint8)
        self.x[:, :4] = 0


class Scene:
    """A context manager: one run in a `folder` of its own, in which `host` is the number of the one that suffers.

    `launcher` and `agents` are processes; `before` and `before_agent` are code that is run in the launcher, and in the
    agent of that host, first. At the end nothing of it runs.
    """

    def __init__(
        self,
        stage: Stage,
        folder: Path,
        rng: random.Random,
        *,
        image: str = "chain",
        count: int = ENDLESS,
        trapping: int | None = None,
        before: str = "",
        before_agent: str = "",
        words: tuple[str, ...] = (),
        cache: Path | None = None,
    ) -> None:
        self.stage, self.folder, self.rng = stage, folder, rng
        self._cache = cache or folder / "cache"
        self.host = rng.randrange(HOSTS)
        self.core, self.number = -1, signal.SIGKILL  # the core that suffers, and the signal that it gets
        self.wrong: list[str] = []  # what is not as it must be, beside the end of the launcher
        self.agents: list[EmuProcess] = []
        self.said = ""
        for name in ("out", "tmp"):
            (folder / name).mkdir()
        self.expected = stage.x[:count].copy()
        if trapping is not None:
            self.expected[trapping, :4] = np.frombuffer(struct.pack("<i", WILD), np.uint8)
        write_npz(folder / "in.npz", {"x": self.expected})
        self._image, self._before, self._before_agent, self._words = stage.images[image], before, before_agent, words
        self._stack = ExitStack()
        self._known = set[int]()

    @property
    def name(self) -> str:
        """What the host that suffers is called."""
        return NAMES[self.host]

    def __enter__(self) -> Scene:
        self._known = set(descendants(os.getpid()))
        with ExitStack() as self._stack:
            self._stack.callback(self._end_all)
            self.proxies = [self._stack.enter_context(CutProxy(0)) for _ in NAMES]
            self._start()
            self._stack = self._stack.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def again(self, *words: object) -> list[object]:
        """The words of a command that does the same on one host, and further `words`."""
        save = ["--golden", "none", "--save", self.folder / "out" / "out.npz"]
        return ["launch", self._image, "--input", self.folder / "in.npz", *save, "--json", *words]

    def _start(self) -> None:
        where = ["--hosts", f"staged:{self.folder}", "--host-cores", "block", "--join-timeout", JOINING]
        words = self.again(*where, "--timeout", PATIENCE - 10, *self._words)
        self.launcher = self._run(words, f"{BEFORE}\n{self._before}")
        self.wait_for(lambda: bootstrap_of(self.folder))
        bootstrap = bootstrap_of(self.folder)
        if bootstrap is None:
            return
        for rank, proxy in enumerate(self.proxies):
            proxy.redirect(int(bootstrap.address.rpartition(":")[2]))
            self.agents.append(self.start_agent(rank, proxy.address))
        write(self.folder / AGENTS, " ".join(str(agent.pid) for agent in self.agents))

    def start_agent(self, rank: int, address: str, seconds: float = JOINING) -> EmuProcess:
        """An agent that tries for so many seconds to join a launcher at `address`."""
        words = ["agent", "--join", address, "--rank", rank, "--name", NAMES[rank], "--join-timeout", seconds]
        before = self._before_agent if rank == self.host else ""
        agent = self._run(words, before, stdin=subprocess.PIPE)
        bootstrap = bootstrap_of(self.folder)
        assert agent.stdin and bootstrap
        agent.stdin.write(bootstrap.line().decode())
        agent.stdin.flush()
        return agent

    def _run(self, words: list[object], before: str, **streams: int) -> EmuProcess:
        places = {"TMPDIR": "tmp", "XDG_RUNTIME_DIR": "tmp", "XDG_STATE_HOME": "state"}
        variables = {name: str(self.folder / place) for name, place in places.items()}
        variables["XDG_CACHE_HOME"] = str(self._cache)
        process = self.stage.processes.start(*words, before=before, env=variables, **streams)
        return self._stack.enter_context(process)

    def is_over(self) -> bool:
        """Whether the launcher has ended."""
        return self.launcher.poll() is not None

    def wait_for(self, condition: Callable[[], object]) -> bool:
        """Whether it became true before the launcher had ended."""
        until = time.monotonic() + PATIENCE
        while not condition():
            if self.is_over() or time.monotonic() > until:
                return bool(condition())
            time.sleep(0.003)
        return True

    def fork_server(self, agent: EmuProcess) -> int | None:
        """What an agent has its zygotes from."""
        return next(iter(children(agent.pid)), None)

    def zygote(self, process: EmuProcess) -> int | None:
        """The zygote of an agent, or of the launcher."""
        parent = process.pid if process is self.launcher else self.fork_server(process)
        return next(iter(children(parent)), None) if parent else None

    def forked(self, process: EmuProcess) -> list[int]:
        """What its zygote has forked, in that order: cores, and the memory node before them in the launcher's."""
        zygote = self.zygote(process)
        return sorted(children(zygote)) if zygote else []

    def finished(self) -> int:
        """How many samples are kept; -1 if one of them is wrong."""
        side = self.folder / "out" / "out.npz.partial"
        data = side.read_bytes() if side.exists() else b""
        start = len(MAGIC) + LENGTH.size
        if len(data) < start:
            return 0
        header = start + LENGTH.unpack(data[len(MAGIC) : start])[0] + CHECKSUM
        record = INDEX.size + SIZE + CHECKSUM
        count = max(0, (len(data) - header) // record)
        rows = np.frombuffer(data, np.uint8, count * record, header).reshape(count, record) if count else None
        right = rows is None or np.array_equal(rows[:, INDEX.size : -CHECKSUM], self.expected[:count])
        return count if right else -1

    def is_written(self) -> bool:
        """Whether all samples are in the file."""
        return (self.folder / "out" / "out.npz").exists()

    def is_right(self) -> bool:
        """Whether all outputs are there, and as they must be."""
        path = self.folder / "out" / "out.npz"
        return path.exists() and np.array_equal(read_npz(path)["y"][:, 0], self.expected)

    def end(self) -> int | None:
        """Wait for the end of the launcher: its exit code, None if it hangs; `said` is what it said of errors."""
        try:
            _, self.said = self.launcher.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            return None
        return self.launcher.returncode

    def left(self) -> list[str]:
        """What has not ended, or stands around, some time after the launcher has ended."""
        for agent in self.agents:
            if agent.poll() is None:
                with contextlib.suppress(ProcessLookupError):
                    agent.send_signal(signal.SIGCONT)
        until = time.monotonic() + GONE
        while (living := list(filter(alive, self._new()))) and time.monotonic() < until:
            time.sleep(0.02)
        found = [f"process {pid} ({Path(f'/proc/{pid}/cmdline').read_bytes()[:80]!r})" for pid in living]
        found += [f"file {path.relative_to(self.folder)}" for path in (self.folder / "tmp").iterdir()]
        return found

    def words_of_agents(self) -> Iterator[str]:
        """What each agent has said of errors."""
        for agent in self.agents:
            if agent.stderr and not agent.stderr.closed and agent.poll() is not None:
                os.set_blocking(agent.stderr.fileno(), False)
                with contextlib.suppress(OSError, TypeError):
                    yield agent.stderr.read() or ""

    def _new(self) -> set[int]:
        return set(descendants(os.getpid())) - self._known

    def _end_all(self) -> None:
        """Also of those whose parents have ended, which this process has adopted."""
        for pid in self._new():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        for pid in self._new():
            with contextlib.suppress(ChildProcessError):
                os.waitpid(pid, 0)
