"""Powers a chip on: one process per core, supervised, gone without a trace at the end."""

from __future__ import annotations

import os
import secrets
import time
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import astuple
from pathlib import Path

import numpy as np

from emu.chaos.spec import Chaos
from emu.errors import EmuError, InputError, option
from emu.image.reader import Image, open_image
from emu.noc.memory.host_link import HostLink
from emu.noc.ports.port import Flow
from emu.noc.traffic.traffic import peers_of
from emu.noc.watch.board import MAX_SAMPLES, Board
from emu.noc.watch.watch import Watch
from emu.noc.wire.bind_address import check_bind_address
from emu.noc.wire.curve import fresh_keys
from emu.noc.wire.transports import transport_of
from emu.program.program import Program
from launch.chaos.injection import Injection, injection
from launch.chips.chip import Chip, SampleResult, Tensors, check_engine, check_timeout, idle_cores, kept_buffers
from launch.chips.programs import LazyPrograms
from launch.processes.local_host import LocalHost
from launch.processes.orders import Orders
from launch.processes.zygote_process import ZygoteProcess
from launch.supervision.left_over import Leftovers
from launch.supervision.stalls import Notice
from launch.supervision.supervisor import Starting, Supervisor
from launch.system.open_files import check_open_files
from launch.system.process_limits import check_processes
from launch.system.standard_streams import open_standard_streams

TOKEN_BYTES = 32
WINDOW_BYTES = 256 << 20  # inputs of samples that are under way at once


class ProcessChip(Chip):
    """A chip whose cores are processes; samples flow through them as a pipeline."""

    def __init__(
        self,
        image: Image,
        host: LocalHost,
        link: HostLink,
        supervisor: Supervisor,
        tensors: Tensors,
        leftovers: Leftovers,
        injection: Injection | None = None,
    ) -> None:
        super().__init__()
        self._leftovers = leftovers
        self._host, self._link, self._supervisor, self._tensors = host, link, supervisor, tensors
        self._injection = injection
        self.cores_with_program = tuple(image.cores)
        self.cores = len(image.cores) + host.idle
        per_sample = max(1, sum(spec.nbytes for spec in image.manifest.inputs))
        self._window = max(2, min(MAX_SAMPLES, len(image.cores) + 1, WINDOW_BYTES // per_sample))
        self._next = 0  # the number of the next sample
        self._due = 0  # the number of the next result

    @property
    def processes(self) -> dict[str, int]:
        """The processes of the run, by name ("core 3", "the memory node", "the zygote process")."""
        return self._supervisor.processes()

    @property
    def board(self) -> Board:
        """What every core says of itself."""
        return self._host.board

    @property
    def stepped_loops(self) -> dict[int, int]:
        """Per core, where there are some, the loops that had to be stepped for lack of a plan."""
        return self._host.board.stepped

    @property
    def injected(self) -> dict[str, int] | None:
        """Faults injected so far, by kind; None without chaos."""
        return self._injection.counts() if self._injection else None

    def _results(self, samples: Iterable[Mapping[str, np.ndarray]]) -> Iterator[SampleResult]:
        """The results of all samples, in order, a bounded number of samples in flight; raises EmuErrors.

        After an error of the run the chip is off. Results of a stream that was abandoned are dropped.
        """
        first = self._next
        for inputs in samples:
            self._put(inputs)
            while self._next - self._due >= self._window or self._supervisor.ready():
                yield from self._take(first)
        while self._due < self._next:
            yield from self._take(first)

    def _put(self, inputs: Mapping[str, np.ndarray]) -> None:
        self._link.put(self._next, self._tensors.encode(inputs))
        self._next += 1

    def _take(self, first: int) -> Iterator[SampleResult]:
        """The next result, unless it belongs to a sample before `first`."""
        try:
            result = self._supervisor.next_result(self._due)
            if result is not None and result.unsettled:
                self._leftovers.look()
        except EmuError as error:
            self._failure = error
            self._host.close()
            raise
        if result is None:
            raise RuntimeError("the memory node opened the barrier twice")
        self._due = result.sample + 1
        if result.sample >= first:
            outputs = self._tensors.decode(result.blocks, result.unwritten, result.sample)
            yield SampleResult(result.sample - first, outputs, result.captures)


@contextmanager
def power_on(
    out: Path | str,
    *,
    cores: int | None = None,
    transport: str = "ipc",
    bind: str = "",
    flow: str = "rendezvous",
    engine: str = "batch",
    keep: Collection[str] = (),
    timeout: float | None = None,
    log_dir: Path | str | None = None,
    seed: int = 0,
    profile: Path | str | None = None,
    notice: Notice | None = None,
    meter: int = -1,
    rate: float = 0.0,
    scratch: str = "",
    zygote: ZygoteProcess | None = None,
    chaos: Chaos | None = None,
    starting: Starting | None = None,
) -> Iterator[ProcessChip]:
    """Start all cores of the image directory `out` and give the chip; at the end all of it is gone.

    `cores` processes in all (those without a program halt at once; None: only cores with a program), `transport`
    "ipc" or "tcp" (encrypted, listening at the address `bind`, loopback if empty), `flow` "rendezvous" or
    "credits:K", `keep` tensors to capture, `timeout` seconds without a result, `log_dir` for one log per core, `seed`
    of the run, noted in the logs, `profile` an existing directory in which every core counts what it does with its
    time (see `launch.processes.core_clock`), `notice` is told of processes that somebody stops and continues, `chaos`
    are faults to inject. For stress tests: `meter` descriptor of the memory of an `emu.noc.ports.meter.Meter`, `rate`
    sends per second and core at most, `scratch` directory to remove at the end, even if this process is killed.
    `zygote` is one that was started ahead, and ends with the chip; it serves no run with `meter`, `scratch` or `chaos`.
    `starting` is told now and then how many of how many processes there are, until all run.
    Raises InputError, and what `launch.supervision.errors` has.
    """
    network = transport_of(transport).network
    address = check_bind_address(bind, transport)
    keys = fresh_keys() if network else None
    check_engine(engine)
    check_timeout(timeout)
    open_standard_streams()  # before there are descriptors of ours, which might get their numbers
    with ExitStack() as stack:
        faults = stack.enter_context(injection(chaos))
        tally = faults.descriptor if faults else -1
        shared = [descriptor for descriptor in (meter, tally) if descriptor >= 0]
        host = LocalHost(zygote or ZygoteProcess(shared, scratch))
        stack.callback(host.close)
        image = open_image(Path(out))
        programs = LazyPrograms(image)
        tensors = Tensors(image.manifest)
        orders = Orders(
            image=str(image.path.resolve()),
            programs=image.cores,
            idle=idle_cores(image, cores),
            transport=transport,
            flow=str(Flow.parse(flow)),
            engine=engine,
            keep=kept_buffers(programs, keep),
            token=secrets.token_bytes(TOKEN_BYTES),
            keys=astuple(keys) if keys else (),
            bind=address,
            log_dir=_log_directory(log_dir),
            profile="" if profile is None else str(Path(profile).resolve()),
            seed=seed,
            meter=meter,
            rate=rate,
            chaos=faults.orders(programs) if faults else [],
            tally=tally,
            started=time.monotonic(),
            launcher=os.getpid(),
            global_size=image.manifest.global_size,
            outputs=tensors.ranges,
            largest=max(image.arch.core.local_memory, tensors.largest),
        )
        count = len(orders.programs) + len(orders.idle)
        check_processes(count)
        check_open_files(count, lambda: max(map(_peers, programs.values()), default=0))
        host.start(orders)
        supervisor = Supervisor(host, Watch(host.board, programs), timeout, transport, notice, orders.log_dir)
        if starting is not None:
            supervisor.tell_start(starting, count)
        link = HostLink(supervisor.endpoint(), orders.token, len(tensors.ranges), keys)
        stack.callback(link.close)
        supervisor.follow(link)
        supervisor.next_result()
        chip = ProcessChip(image, host, link, supervisor, tensors, Leftovers(programs, image.arch), faults)
        stack.callback(chip.turn_off)
        yield chip


def _peers(program: Program) -> int:
    """Number of cores that a core exchanges messages or events with."""
    peers = peers_of(program)
    return len({*peers.outgoing, *peers.incoming})


def _log_directory(path: Path | str | None) -> str:
    if path is None:
        return ""
    try:
        Path(path).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{option('log_dir')} {path} cannot be made: {error.strerror}") from None
    return str(Path(path).resolve())
