"""The differences of two images: their programs, and the first tensor of the network whose values differ."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from emu.errors import InputError
from emu.image.reader import Image, open_image
from emu.image.segments import refuse_segments
from emu.wording import counted
from launch.bisect.recording import KeptImage, SampleRecording, record
from launch.diff.programs import CoreDifference, program_differences
from launch.diff.values import FirstDifference, common, first_differences, tensors_of
from launch.diff.writers import WritingInstruction, writer_of
from launch.processes.options import RunOptions
from launch.samples.inputs import describe, each_sample

SHOWN = 5  # names in a sentence


@dataclass(frozen=True)
class DiffReport:
    """Two images; `compared` tensors of so many `samples`, those that differ in the first sample in which any does.

    `writers` wrote the first element that differs, in A and in B. `ends`: errors that ended a run, by "A" and "B".
    """

    a: Path
    b: Path
    programs: Sequence[CoreDifference]
    cores: int
    compared: int = 0
    samples: int = 0
    sample: int | None = None
    differing: Sequence[FirstDifference] = ()
    nodes: Mapping[str, str] | None = None
    writers: Sequence[WritingInstruction | None] = ()
    ends: Mapping[str, str] | None = None

    @property
    def exit_code(self) -> int:
        """1 if values differ, or a run did not come to its end."""
        return int(bool(self.differing or self.ends))

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON; NaN and infinities are text."""
        return {
            "a": str(self.a),
            "b": str(self.b),
            "programs_equal": not self.programs,
            "values_equal": not self.exit_code,
            "programs": [found.to_dict() for found in self.programs],
            "compared": self.compared,
            "samples": self.samples,
            "sample": self.sample,
            "tensors": [_plain(asdict(found)) | {"node": self._node(found.tensor)} for found in self.differing],
            "writers": [writer and writer.to_dict() for writer in self.writers],
            "ends": dict(self.ends or {}),
            "exit_code": self.exit_code,
        }

    def lines(self) -> list[str]:
        """The report as lines."""
        if not self.programs:
            return [f"{self.a} and {self.b} are equal: the same programs, constants and weights, in every core"]
        more = f", and {len(self.programs) - 1} more" if len(self.programs) > 1 else ""
        head = [
            f"A is {self.a}, B is {self.b}",
            f"programs: {self.programs[0]}{more}, of {counted(self.cores, 'core')}",
            *(f"error: {side} did not come to its end: {why}" for side, why in (self.ends or {}).items()),
        ]
        if not self.differing:
            text = f"{counted(self.compared, 'tensor')} of {counted(self.samples, 'sample')}"
            return [*head, f"values: {text}, equal within the limits"]
        first = self.differing[0]
        node = self._node(first.tensor)
        others = [found.tensor for found in self.differing[1:]]
        return [
            *head,
            f"first tensor that differs: {first.tensor}{f' (node {node})' if node else ''}, sample {self.sample}:"
            f" {first.elements} of {counted(first.of, 'element')}, the first at {list(first.index)}: {first.a!r} in A,"
            f" {first.b!r} in B (limit {first.limit:.3g})",
            *(
                f"  {side}: written by {writer.text(str(out))}"
                for side, writer, out in zip("AB", self.writers, (self.a, self.b), strict=True)
                if writer is not None
            ),
            *([f"{counted(len(others), 'more tensor')}: {', '.join(others[:SHOWN])}"] if others else []),
        ]

    def _node(self, tensor: str) -> str:
        return (self.nodes or {}).get(tensor, "")


def read_pair(a: Path, b: Path) -> tuple[Image, Image]:
    """Both images, verified; raises InputError, ProgramError, also for networks that take other inputs."""
    images: list[Image] = []
    for path in (a, b):
        image = open_image(path)
        refuse_segments(image)
        images.append(KeptImage(image.path, image.manifest))
    first, second = images
    takes = [sorted(map(describe, image.manifest.inputs)) for image in images]
    if takes[0] != takes[1]:
        texts = [", ".join(each) or "nothing" for each in takes]
        raise InputError(
            f"{a} takes {texts[0]}, but {b} takes {texts[1]}: images are compared on the same inputs; give two of one"
            " network"
        )
    return first, second


def compare_images(a: Image, b: Image, inputs: Mapping[str, np.ndarray], tolerance: float | None = None) -> DiffReport:
    """Compare two images of `read_pair`, on `inputs` of (samples,) + logical shape each.

    Raises InputError if they have no tensor in common; what goes wrong in a run is part of the report.
    """
    programs = program_differences(a, b)
    report = DiffReport(a.path, b.path, programs, len({*a.cores, *b.cores}))
    if not programs:
        return report
    order = _order(a) or _order(b)
    nodes = {origin.tensor: origin.node for each in (b, a) for origin in each.manifest.tensors}
    compared, options = 0, RunOptions(sequential=True)
    samples = list(each_sample(inputs))
    for number, sample in enumerate(samples):
        made = [record(image, [sample], options) for image in (a, b)]
        ends = {side: str(found.error) for side, found in zip("AB", made, strict=True) if found.error is not None}
        mine, theirs = (tensors_of(image, found) for image, found in zip((a, b), made, strict=True))
        names = common(mine, theirs, order)
        if not names and not ends:
            raise InputError(
                f"{a.path} and {b.path} have no tensor or output of one name and shape: there is nothing to compare"
            )
        compared = max(compared, len(names))
        differing = list(first_differences(mine, theirs, order, tolerance))
        if differing or ends:
            writers = _writers((a, b), made, differing)
            return DiffReport(
                a.path, b.path, programs, report.cores, compared, number + 1, number, differing, nodes, writers, ends
            )
    return DiffReport(a.path, b.path, programs, report.cores, compared, len(samples), nodes=nodes)


def _writers(
    images: Sequence[Image], made: Sequence[SampleRecording], found: Sequence[FirstDifference]
) -> list[WritingInstruction | None]:
    if not found:
        return []
    return [writer_of(image, each, found[0].tensor, found[0].index) for image, each in zip(images, made, strict=True)]


def _order(image: Image) -> dict[str, int]:
    return {origin.tensor: place for place, origin in enumerate(image.manifest.tensors)}


def _plain(values: dict[str, Any]) -> dict[str, Any]:
    odd = {key: str(value) for key, value in values.items() if isinstance(value, float) and not np.isfinite(value)}
    return values | odd | {"index": list(values["index"])}
