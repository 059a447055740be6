"""The base class of powered-on chips."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from bisect import bisect_right
from collections.abc import Collection, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from emu.core.engines.core import ENGINES
from emu.errors import EmuError, InputError, option
from emu.image.layout import from_memory, to_tiles
from emu.image.manifest import Manifest, TensorSpec
from emu.image.reader import Image
from emu.intervals import Intervals
from emu.noc.memory.global_memory import Range
from emu.noc.watch.board import Board
from emu.program.program import Program
from launch.chips.states import States
from launch.supervision.errors import IncompleteOutput

if TYPE_CHECKING:
    from launch.machines.host_cores import HostCores

Tiles = list[tuple[int, np.ndarray]]  # (global address, contiguous array)


@dataclass(frozen=True, slots=True)
class SampleResult:
    """One sample: its number in its stream, outputs in logical shape, kept buffers by (core, buffer index).

    Streams count from 0. Errors and logs count since power-on, as the cores do.
    """

    sample: int
    outputs: dict[str, np.ndarray]
    captures: dict[tuple[int, int], bytes]


class Chip(ABC):
    """Runs samples on `cores` cores; `cores_with_program` (ascending) are those that are not idle."""

    cores: int
    cores_with_program: tuple[int, ...]
    observed: Mapping[str, Any] = MappingProxyType({})  # the observations of the run so far, by name
    stepped_loops: Mapping[int, int] = MappingProxyType({})  # per core, where any: loops stepped for lack of a plan
    boards: Sequence[tuple[Path, Board]] = ()  # per image of cores: its status board
    on_hosts: HostCores | None = None  # which cores stand on which of several hosts

    def __init__(self, manifest: Manifest) -> None:
        self._on = True
        self._states = States(manifest)
        self._busy = threading.Lock()  # held by the stream that is under way
        self._user = ""  # the thread that holds it
        self._failure: EmuError | None = None

    @property
    def injected(self) -> dict[str, int] | None:
        """Faults injected so far, by kind; None without chaos."""
        return self.observed.get("injected")

    def run(self, inputs: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
        """The outputs of one sample, logical shapes; raises EmuErrors."""
        return next(iter([result.outputs for result in self.stream([inputs])]))

    def step(self, inputs: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
        """The outputs of one step, logical shapes: `inputs` without the states, which the chip has kept since the last.

        Raises EmuErrors; after one the states are those of the last step that was finished.
        """
        return next(iter([result.outputs for result in self.steps([inputs])]))

    def steps(self, samples: Iterable[Mapping[str, np.ndarray]]) -> Iterator[SampleResult]:
        """The results of steps, in order: each begins when the one before has made its states. Raises as `stream`."""
        with self._used():
            for number, inputs in enumerate(samples):
                for result in self._results([self._states.with_inputs(inputs)]):
                    self._states.take(result.outputs)
                    yield replace(result, sample=number)
                    self._check()

    def reset(self, initial: Mapping[str, np.ndarray] | None = None) -> None:
        """Reset the states of the next step to zeros, or to the arrays `initial`, by input, in logical shape.

        Raises InputError as `stream` does, and for an invalid value of a state.
        """
        with self._used():
            self._states.reset(initial)

    def stream(self, samples: Iterable[Mapping[str, np.ndarray]]) -> Iterator[SampleResult]:
        """The results of all samples, in order; raises EmuErrors. Each is alone: states are inputs like others.

        A chip runs one stream at a time: InputError while another one is neither finished nor closed, whether in this
        thread or in another one, and once the chip is off.
        """
        with self._used():
            for result in self._results(samples):
                yield result
                self._check()

    @contextmanager
    def _used(self) -> Generator[None]:
        """A context in which one stream holds the chip; raises InputError, or the error of an earlier sample."""
        if not self._busy.acquire(blocking=False):
            raise InputError(
                f"this chip is in use by a stream of thread {self._user!r}: finish or close it first, or power on "
                "another chip"
            )
        try:
            self._user = threading.current_thread().name
            self._check()
            yield
        finally:
            self._busy.release()

    @abstractmethod
    def _results(self, samples: Iterable[Mapping[str, np.ndarray]]) -> Iterator[SampleResult]:
        """The results of all samples, in order."""

    def turn_off(self) -> None:
        """Reject all samples from now on."""
        self._on = False

    def _check(self) -> None:
        """Raise the error of an earlier sample, or InputError if the chip is off."""
        if self._failure is not None:
            raise self._failure
        if not self._on:
            raise InputError("the chip is off: use it inside of the `with` block that powered it on")


class BoundaryTensors:
    """Network inputs and outputs as ranges of global memory; those of outputs that touch are one range."""

    def __init__(self, manifest: Manifest) -> None:
        self._inputs, self._outputs = manifest.inputs, manifest.outputs
        taken = Intervals()
        for begin, end in (each for spec in self._outputs for each in spec.ranges):
            taken.add(begin, end)
        self._begins, self.ranges = taken.begins, [(begin, end - begin) for begin, end in taken]
        self.largest = max(
            (end - begin for spec in self._inputs for begin, end in spec.ranges), default=0
        )  # bytes of a tile

    def encode(self, inputs: Mapping[str, np.ndarray]) -> Tiles:
        """One sample's inputs as tiles; raises InputError naming what is missing or of another shape or type."""
        if not isinstance(inputs, Mapping):
            raise InputError(f"inputs are a dictionary of name and array, not {type(inputs).__name__}: {self._takes()}")
        missing = [spec.name for spec in self._inputs if spec.name not in inputs]
        if missing:
            raise InputError(f"input {missing[0]!r} is missing: {self._takes()}")
        known = {spec.name for spec in self._inputs}
        unknown = [name for name in inputs if name not in known]
        if unknown:
            raise InputError(f"{unknown[0]!r} is no input: {self._takes()}")
        return [tile for spec in self._inputs for tile in to_tiles(spec, np.asarray(inputs[spec.name]))]

    def _takes(self) -> str:
        return f"the network takes {_names(self._inputs)}"

    def decode(self, blocks: Sequence[memoryview], unwritten: Sequence[Range], sample: int) -> dict[str, np.ndarray]:
        """Outputs in logical shape from one block per range; raises IncompleteOutput if a byte was never written."""
        if unwritten:
            raise IncompleteOutput(self._missing(unwritten, sample))

        def read(address: int, size: int) -> memoryview:
            at = bisect_right(self._begins, address) - 1
            offset = address - self._begins[at]
            return blocks[at][offset : offset + size]

        return {spec.name: from_memory(spec, read) for spec in self._outputs}

    def _missing(self, unwritten: Sequence[Range], sample: int) -> str:
        total = sum(count for _, count in unwritten)
        name, first, last = next(
            (spec.name, max(begin, address), min(end, address + size))
            for spec in self._outputs
            for begin, end in spec.ranges
            for address, size in unwritten
            if address < end and begin < address + size
        )
        return (
            f"output {name!r} is incomplete: {total} bytes of the outputs of sample {sample} were never stored, "
            f"first {last - first} bytes at global address {first:#x}: a core's `st` is missing"
        )


def _names(specs: Sequence[TensorSpec]) -> str:
    return ", ".join(f"{spec.name!r} {spec.dtype.numpy.name}{list(spec.shape)}" for spec in specs) or "none"


def check_engine(name: str) -> None:
    """Raise InputError unless `name` is an engine."""
    if name not in ENGINES:
        raise InputError(f"{option('engine')} {name!r} is unknown: use one of {', '.join(ENGINES)}")


def idle_cores(image: Image, cores: object) -> list[int]:
    """The cores without a program among `cores` (None: none); raises InputError if programs need more."""
    if cores is not None and (isinstance(cores, bool) or not isinstance(cores, int)):
        raise InputError(f"cores {cores!r} is no number of cores: give an int, or None for as many as needed")
    needed, available = max(image.cores, default=-1) + 1, image.arch.all_cores
    if cores is None:
        return []
    if not needed <= cores <= available:
        limit = f"needs at least {needed}" if cores < needed else f"has at most {available}"
        raise InputError(f"{option('cores')} {cores} does not fit: {image.path} {limit} cores")
    return sorted(set(range(cores)) - set(image.cores))


def kept_buffers(programs: Mapping[int, Program], keep: Collection[str]) -> dict[int, list[int]]:
    """Per core, the indices of the buffers that hold a tensor of `keep`, or any tensor for "all".

    Raises InputError for a tensor that no buffer holds.
    """
    if isinstance(keep, str):
        raise InputError(f"keep {keep!r} is one text: give a list of tensors, such as [{keep!r}]")
    if not keep:
        return {}
    captured = {
        core: [k for k, buffer in enumerate(program.buffers) if buffer.tensor in keep]
        for core, program in programs.items()
    }
    known = {buffer.tensor for program in programs.values() for buffer in program.buffers}
    if "all" in keep:
        keep = known
        captured = {core: list(range(len(program.buffers))) for core, program in programs.items()}
    unknown = sorted(set(keep) - known)
    if unknown:
        raise InputError(f"tensor {unknown[0]!r} cannot be kept: it is complete in no buffer of a core")
    return {core: buffers for core, buffers in captured.items() if buffers}
