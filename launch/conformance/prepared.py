"""A model that is ready to run on core processes: compiled and checked, anew when frozen values change."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from onnx import ModelProto

from compiler import compile as compile_network
from emu.errors import InputError
from emu.image.reader import open_image
from launch.chips.power import power_on
from launch.chips.segmented import power_on_segments
from launch.conformance.frozen import freeze, frozen_inputs, graph_inputs
from launch.images.checking import refuse_refuted
from launch.images.hollow import hollow
from launch.processes.options import RunOptions
from launch.processes.zygote_process import Zygotes

IMAGE = "image"


class PreparedModel:
    """A model whose images stand in `folder`, one at a time.

    `zygotes` are those of `launch.warm_zygotes`; `options` those of `compiler.compile`; `timeout` seconds without a
    result (None: wait for ever). The inputs `frozen` are compiled in (None: those of the table).
    """

    def __init__(
        self,
        model: ModelProto,
        folder: Path,
        zygotes: Zygotes,
        timeout: float | None = None,
        frozen: Sequence[str] | None = None,
        **options: Any,
    ) -> None:
        self.inputs = graph_inputs(model.graph)
        self.frozen = frozen_inputs(model.graph) if frozen is None else tuple(frozen)
        self.outputs = tuple(value.name for value in model.graph.output)
        self._model, self._folder, self._zygotes = model, folder, zygotes
        self._timeout, self._options = timeout, options
        self._compiled = ""  # the digest of the frozen values of the image

    def compile(self, values: Mapping[str, np.ndarray]) -> Path:
        """The image for the frozen values among these inputs: the last one, if they have not changed.

        Raises EmuErrors: those of the compiler for what it refuses, `Refuted` for programs that its checker refutes.
        """
        frozen = {name: np.asarray(values[name]) for name in self.frozen}
        digest, image = _digest(frozen), self._folder / IMAGE
        if digest != self._compiled:
            self._compiled = ""
            shutil.rmtree(image, ignore_errors=True)
            compile_network(freeze(self._model, frozen) if frozen else self._model, out=image, **self._options)
            refuse_refuted(image)
            self._compiled = digest
        return image

    @property
    def host_nodes(self) -> tuple[str, ...]:
        """The nodes of the image, which must have been compiled, that the host computes."""
        segments = open_image(self._folder / IMAGE, verify=False).manifest.segments
        return tuple(node for segment in segments if segment.on_host for node in segment.nodes)

    @property
    def hollow(self) -> str:
        """Why outputs of the image, which must have been compiled, say nothing of cores; empty if they do."""
        return hollow(open_image(self._folder / IMAGE, verify=False), f"model '{self._model.graph.name}'")

    def run(self, values: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
        """The outputs, in logical shape, for a value of every input; compiles first, if need be. Raises EmuErrors."""
        image = self.compile(values)
        given = {name: np.asarray(value) for name, value in values.items() if name not in self.frozen}
        start = power_on_segments if self.host_nodes else power_on
        with start(image, RunOptions(timeout=self._timeout), zygotes=self._zygotes) as chip:
            return chip.run(given)

    def bind(self, inputs: Sequence[np.ndarray]) -> dict[str, np.ndarray]:
        """The inputs by name, given in the order of the graph; raises InputError unless there are as many."""
        if len(inputs) != len(self.inputs):
            names = ", ".join(map(repr, self.inputs)) or "none"
            raise InputError(f"{len(inputs)} inputs are given, but the model has {len(self.inputs)}: {names}")
        return dict(zip(self.inputs, inputs, strict=True))


def _digest(values: Mapping[str, np.ndarray]) -> str:
    """One digest of names, types, shapes and elements."""
    total = hashlib.sha256(b"values")
    for name, array in values.items():
        total.update(f"\0{name}\0{array.dtype.str}\0{array.shape}\0".encode())
        total.update(np.ascontiguousarray(array).tobytes())
    return total.hexdigest()
