"""Powers a chip on: one supervised process per core, all of which are removed at the end."""

from __future__ import annotations

import secrets
import time
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from emu.errors import EmuError, InputError
from emu.image.reader import Image, open_image
from emu.image.segments import refuse_segments
from emu.noc.memory.host_link import HostLink
from emu.noc.ports.port import FlowControl
from emu.noc.traffic.traffic import peers_of, with_memory
from emu.noc.watch.board import MAX_SAMPLES, Board
from emu.noc.watch.watch import Watch
from emu.noc.wire.bind_address import check_bind_address
from emu.noc.wire.transports import transport_of
from emu.options import takes
from emu.program.program import Program
from launch.chaos.injection import Injection
from launch.chips.chip import BoundaryTensors, Chip, SampleResult, check_engine, idle_cores, kept_buffers
from launch.chips.programs import LazyPrograms
from launch.chips.run_log import RunLog
from launch.machines.hosts.keeping import hosts_of_run
from launch.machines.joined import JoinedMachine, refuse_apart
from launch.processes.local_machine import LocalMachine
from launch.processes.log import make_log_directory
from launch.processes.machine import Machine, Member
from launch.processes.observer import Observation
from launch.processes.options import RunOptions
from launch.processes.orders import Orders, ProcessOptions, net_of
from launch.processes.zygote_process import Zygotes, usual_zygotes
from launch.supervision.leftover_messages import LeftoverCheck
from launch.supervision.stopped_processes import Notice
from launch.supervision.supervisor import Starting, Supervisor
from launch.supervision.timeouts import check_timeout
from launch.system.by_name import name_of
from launch.system.open_files import check_open_files
from launch.system.process_limits import check_processes
from launch.system.standard_streams import open_standard_streams

if TYPE_CHECKING:
    from launch.machines.host_cores import HostCores

TOKEN_BYTES = 32
WINDOW_BYTES = 256 << 20  # inputs of samples that are under way at once


class ProcessChip(Chip):
    """A chip whose cores are processes; samples flow through them as a pipeline."""

    def __init__(
        self,
        image: Image,
        cores: int,
        machine: Machine,
        link: HostLink,
        supervisor: Supervisor,
        tensors: BoundaryTensors,
        leftovers: LeftoverCheck,
        log: RunLog,
        observations: Sequence[Observation] = (),
    ) -> None:
        super().__init__(image.manifest)
        self._leftovers, self._log = leftovers, log
        self._machine, self._link, self.supervisor, self._tensors = machine, link, supervisor, tensors
        self._observations = observations
        self.boards = ((image.path, machine.board),)
        self.cores_with_program = tuple(image.cores)
        self.cores = cores
        per_sample = max(1, sum(spec.nbytes for spec in image.manifest.inputs))
        self._window = max(2, min(MAX_SAMPLES, len(image.cores) + 1, WINDOW_BYTES // per_sample))
        self._next = 0  # the number of the next sample
        self._due = 0  # the number of the next result

    @property
    def processes(self) -> dict[str, int]:
        """The processes of the run, by name ("core 3", "the memory node", "the zygote process")."""
        return self._machine.status.processes()

    @property
    def board(self) -> Board:
        """The status board of the cores, as new as it can be had."""
        self._machine.refresh()
        return self._machine.board

    @property
    def stepped_loops(self) -> dict[int, int]:
        """Per core, where there are some, the loops that had to be stepped for lack of a plan."""
        return self.board.stepped

    @property
    def observed(self) -> dict[str, Any]:
        """The observations of the run so far, by name."""
        self._machine.gather()
        return {name: value for observation in self._observations for name, value in observation.observed().items()}

    def _results(self, samples: Iterable[Mapping[str, np.ndarray]]) -> Iterator[SampleResult]:
        """The results of all samples, in order, a bounded number of samples in flight; raises EmuErrors.

        After an error of the run the chip is off. Results of a stream that was abandoned are dropped.
        """
        first = self._next
        for inputs in samples:
            self._put(inputs)
            while self._next - self._due >= self._window or self.supervisor.ready():
                yield from self._take(first)
        while self._due < self._next:
            yield from self._take(first)

    def _put(self, inputs: Mapping[str, np.ndarray]) -> None:
        self._link.put(self._next, self._tensors.encode(inputs))
        self._next += 1

    def _take(self, first: int) -> Iterator[SampleResult]:
        """The next result, unless it belongs to a sample before `first`."""
        try:
            result = self.supervisor.next_result()
            if result is not None and result.unsettled:
                self._leftovers.look()
        except EmuError as error:
            self._failure = error
            self.supervisor.quit()
            raise
        if result is None:
            raise RuntimeError("the memory node opened the barrier twice")
        self._due = result.sample + 1
        self._log.note(f"result of sample {result.sample}")
        if result.sample >= first:
            outputs = self._tensors.decode(result.blocks, result.unwritten, result.sample)
            yield SampleResult(result.sample - first, outputs, result.captures)


@takes(RunOptions, without=("sequential",))
@contextmanager
def power_on(
    out: Path | str,
    options: RunOptions | None = None,
    *,
    keep: Collection[str] = (),
    notice: Notice | None = None,
    starting: Starting | None = None,
    zygotes: Zygotes | None = None,
    scratch: str = "",
    observers: Sequence[Observation] = (),
    others: Sequence[Member] = (),
    **named: Any,
) -> Iterator[ProcessChip]:
    """Start all cores of the image directory `out` and yield the chip; at the end all processes are ended.

    `options`, or `named` fields of `RunOptions`, say how to run. `keep` are tensors to capture, `notice` is called for
    processes that are stopped and continued, `starting` with the number of forked processes, and of all, until the
    run starts. The zygote, from which all processes are forked, comes from `zygotes` (see `launch.warm_zygotes`), or
    is a fresh interpreter. `scratch` is a directory to remove at the end, even if this process is killed; `observers`
    measure or disturb the run. With `others`, further machines, whose processes end with the run, and then those of
    `options.hosts`, `options.host_cores` says which cores stand on which. Raises InputError, and the errors of
    `launch.supervision.errors`.
    """
    options = replace(options or RunOptions(), **named)
    if options.sequential:
        raise InputError("power_on starts processes, and a sequential run has none: use power_on_sequential")
    transport = transport_of(options.transport)
    address = check_bind_address(options.bind, options.transport)
    keys = transport.library.fresh_keys() if transport.network else ()
    check_engine(options.engine)
    check_timeout(options.timeout)
    open_standard_streams()  # before descriptors are opened that might get their numbers
    with ExitStack() as stack:
        log = stack.enter_context(RunLog())
        around = [*([Injection(options.chaos)] if options.chaos else []), *observers]
        for observation in around:
            stack.enter_context(observation)
        local = LocalMachine((zygotes or usual_zygotes()).start(scratch))
        stack.callback(local.close)
        if others or options.hosts is not None:
            refuse_apart(transport)
        hosts = None
        if options.hosts is not None:
            hosts = stack.enter_context(hosts_of_run(options.hosts, options.join_timeout))
        image = open_image(Path(out))
        refuse_segments(image)
        programs = LazyPrograms(image)
        tensors = BoundaryTensors(image.manifest)
        flow, log_dir = str(FlowControl.parse(options.flow)), make_log_directory(options.log_dir)
        orders = Orders(
            image=str(image.path.resolve()),
            programs=image.cores,
            idle=idle_cores(image, options.cores),
            options=ProcessOptions.of(replace(options, bind=address, flow=flow, log_dir=log_dir)),
            keep=kept_buffers(programs, keep),
            token=secrets.token_bytes(TOKEN_BYTES),
            keys=keys,
            observers=[(name_of(each.observer), each.plan(programs), each.row) for each in around],
            started=time.monotonic(),
            global_size=image.manifest.global_size,
            read_only=bool(image.manifest.read_only),
            outputs=tensors.ranges,
            largest=max(image.arch.core.local_memory, tensors.largest),
        )
        count = here = len(orders.programs) + len(orders.idle)
        machine: Machine = local
        if hosts is not None:
            others, local.address = [*others, *hosts.join()], hosts.address
            orders = replace(orders, products=hosts.products)
        on_hosts = None
        if others:
            on_hosts = _host_cores(options.host_cores, image, programs, orders.idle, local, others)
            if hosts is not None:
                hosts.check(programs, on_hosts.cores[-len(hosts.machines) :])
                hosts.deliver(image, on_hosts.cores[-len(hosts.machines) :], options.shared_image)
            machine, here = JoinedMachine(local, others, on_hosts.cores), len(on_hosts.cores[0])
            stack.callback(machine.close)
        check_processes(here)
        mapped = len(image.manifest.read_only)
        check_open_files(count, lambda: max((peers_of(each).count for each in programs.values()), default=0), mapped)
        log.begin(orders)
        machine.start(orders)
        for observation, memory in zip(around, machine.memories, strict=True):
            observation.begins(memory, machine.hosts)
        watch = Watch(machine.board, programs, machine.status.name)
        supervisor = Supervisor(machine, watch, options.timeout, options.transport, notice, log_dir)
        if starting is not None:
            supervisor.report_start(starting, count)
        link = HostLink(net_of(orders), supervisor.endpoint(), len(tensors.ranges))
        stack.callback(link.close)
        supervisor.follow(link)
        supervisor.next_result()
        log.note("all cores have started")
        leftovers = LeftoverCheck(programs, image.arch)
        chip = ProcessChip(image, count, machine, link, supervisor, tensors, leftovers, log, around)
        chip.on_hosts = on_hosts
        stack.callback(chip.turn_off)
        yield chip


def _host_cores(
    how: str,
    image: Image,
    programs: Mapping[int, Program],
    idle: Sequence[int],
    local: LocalMachine,
    others: Sequence[Member],
) -> HostCores:
    """The cores of this machine and of each of the `others`."""
    from launch.machines.capacities import HostCapacity, needs_of  # most runs need neither
    from launch.machines.host_cores import HERE, host_cores

    here = replace(HERE, memory=local.memory, machine=local.address)
    capacities = [
        HostCapacity(other.name, other.cpus, other.address == local.address, other.memory, other.address)
        for other in others
    ]
    return host_cores(how, with_memory(programs), needs_of(image, programs, idle), capacities, here, set(idle))
