"""A network with host nodes that is powered on: chips and host processes, one after the other for each sample."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from emu.errors import EmuError, InputError, option
from emu.image.layout import to_tiles
from emu.image.manifest import Segment, TensorSpec
from emu.image.reader import Image, open_image
from emu.image.segments import core_images
from launch.chips.chip import BoundaryTensors, Chip, SampleResult
from launch.host_nodes.host_process import HostProcess
from launch.processes.options import NAMES, RunOptions
from launch.supervision.errors import HostNodesFailed


class _Part(Protocol):
    """A running segment of a network."""

    def run(self, inputs: Mapping[str, Any]) -> Mapping[str, Any]:
        """The outputs of the segment for one sample."""
        ...


class SegmentedChip(Chip):
    """Runs the segments in order; values from one segment to a later one go through this process."""

    def __init__(self, image: Image, parts: Sequence[_Part]) -> None:
        super().__init__(image.manifest)
        self._segments, self._parts = image.manifest.segments, parts
        self._tensors, self._outputs = BoundaryTensors(image.manifest), image.manifest.outputs
        self._chips = [part for part in parts if isinstance(part, Chip)]
        self.boards = tuple(board for chip in self._chips for board in chip.boards)
        self.cores = sum(chip.cores for chip in self._chips)
        self.cores_with_program = tuple(range(sum(len(chip.cores_with_program) for chip in self._chips)))
        self._next = 0

    @property
    def processes(self) -> dict[str, int]:
        """The processes of the run, by name; those of a chip are prefixed with the file of its segment."""
        found: dict[str, int] = {}
        for segment, part in zip(self._segments, self._parts, strict=True):
            if isinstance(part, HostProcess):
                found[part.name] = part.pid
            else:
                of_chip: Mapping[str, int] = getattr(part, "processes", {})
                found.update({f"{segment.file}: {name}": process for name, process in of_chip.items()})
        return found

    def _results(self, samples: Iterable[Mapping[str, np.ndarray]]) -> Iterator[SampleResult]:
        first = self._next
        for inputs in samples:
            self._tensors.encode(inputs)  # checked here: errors name the inputs of the network
            sample, self._next = self._next, self._next + 1
            values: dict[str, Any] = dict(inputs)
            for segment, part in zip(self._segments, self._parts, strict=True):
                try:
                    values.update(part.run({name: values[name] for name in segment.inputs}))
                except EmuError as error:
                    self._failure = error
                    raise
            yield SampleResult(sample - first, {spec.name: values[spec.name] for spec in self._outputs}, {})


class _HostPart(HostProcess):
    """A host process whose results are checked against the types that the network was compiled for."""

    def __init__(self, specs: Mapping[str, TensorSpec], *given: Any) -> None:
        self._specs = specs
        super().__init__(*given)

    def run(self, given: Mapping[str, Any]) -> dict[str, Any]:
        values = super().run(given)
        for name, value in values.items():
            if name in self._specs:
                self._check(self._specs[name], value)
        return values

    def _check(self, spec: TensorSpec, value: Any) -> None:
        try:
            to_tiles(spec, np.asarray(value))
        except InputError as error:
            raise HostNodesFailed(f"{self.name} made something else than ONNX says: {error}") from None


@contextmanager
def power_on_segments(out: Path | str, options: RunOptions | None = None, **named: Any) -> Iterator[SegmentedChip]:
    """Power on all segments of the image directory `out`, of a network with host nodes; all processes end with it.

    `options`, and `named` parameters, are those of `launch.chips.power.power_on`. Each segment of cores is a chip of
    its own; with `sequential` they run in this process, but host nodes in theirs. Raises as `power_on` does.
    """
    keep = named.pop("keep", ())
    given = {name: named.pop(name) for name in NAMES if name in named}
    options = replace(options or RunOptions(), **given)
    image = open_image(Path(out))
    reject_unsupported(image, options, keep)
    images = core_images(image, verify=True)
    with ExitStack() as stack:
        specs = {s.name: s for part in (image, *images) for s in (*part.manifest.inputs, *part.manifest.outputs)}
        parts: list[_Part] = []
        hosts: list[HostProcess] = []
        for segment in image.manifest.segments:
            if segment.on_host:
                shapes = {name: specs[name].shape for name in segment.inputs if name in specs}
                host = _HostPart(specs, image.path, segment, shapes, options.timeout, named.get("notice"))
                hosts.append(stack.enter_context(host))
                parts.append(host)
            else:
                parts.append(stack.enter_context(_powered(image, segment, options, named)))
        for host in hosts:  # they have started at the same time
            host.ready()
        chip = SegmentedChip(image, parts)
        stack.callback(chip.turn_off)
        yield chip


def reject_unsupported(
    image: Image, options: RunOptions, keep: Sequence[str], trace: bool = False, analog: bool = False
) -> None:
    """Raise InputError for options of a run that mean nothing for a network with host nodes."""
    idle = {"keep": bool(keep), "chaos": options.chaos is not None, "cores": options.cores is not None}
    idle |= {"trace": trace, "analog": analog or bool(options.analog)}
    for name, given in idle.items():
        if given:
            folders = ", ".join(segment.file for segment in image.manifest.segments if not segment.on_host)
            raise InputError(
                f"{option(name)} is about one chip, and {image.path} has host nodes between segments of cores: leave "
                f"it out, or run the image of a segment ({folders or 'it has none'}) by itself"
            )


def _powered(
    image: Image, segment: Segment, options: RunOptions, named: Mapping[str, Any]
) -> AbstractContextManager[Any]:
    folder = image.path / segment.file
    if options.sequential:
        from launch.chips.sequential import power_on_sequential

        return power_on_sequential(folder, options)
    from launch.chips.power import power_on

    logs = Path(options.log_dir) / segment.file if options.log_dir is not None else None
    return power_on(folder, replace(options, log_dir=logs), **named)
