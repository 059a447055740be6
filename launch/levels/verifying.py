"""Verifies a compilation: every level on the same inputs, and last the programs of its image."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
from xdsl.dialects.builtin import ModuleOp

from compiler.clock import Clock
from compiler.compiling import lower
from compiler.interpreter.structure import inputs_of
from compiler.request import CompileRequest
from compiler.session.context import CompilerContext, make_context
from emu.core.products.threads import one_blas_thread
from emu.errors import InputError, option
from emu.image.manifest import TensorSpec
from emu.image.reader import read_manifest
from launch.bisect.recording import KeptImage
from launch.levels.finding import PROGRAMS, Levels
from launch.levels.programs import compare_programs
from launch.levels.watching import Arrays, Differs, Watching
from launch.processes.options import RunOptions
from launch.samples.inputs import seeded_inputs
from launch.system.memory import rare_collections
from launch.text.progress import share_bar


@dataclass(frozen=True, slots=True, kw_only=True)
class Verification:
    """What is to be verified: a compilation, and the image that it has made, if there is one.

    `inputs` are one sample by name (None: drawn from `seed`), `golden` values of tensors that are known otherwise, and
    `perturbed` the same with floats a little off before they are rounded.
    """

    request: CompileRequest
    image: Path | None = None
    inputs: Arrays | None = None
    seed: int = 0
    golden: Mapping[str, np.ndarray] = field(default_factory=dict[str, np.ndarray])
    perturbed: Sequence[Arrays] = ()
    options: RunOptions = field(default_factory=lambda: RunOptions(sequential=True))
    quiet: bool = False


@rare_collections()
def verify_levels(verification: Verification) -> Levels:
    """Compile again, execute every level, run the programs; raises EmuErrors for what has no meaning at some level."""
    request = verification.request
    name = Path(str(request.model or request.start)).name
    with one_blas_thread(), share_bar(f"verifying the levels of {name}", verification.quiet) as progress:
        watch = _Starting(verification)
        context = make_context(request.arch, request.options)
        try:
            lower(replace(request, watch=watch, dump=None), context, Clock(progress))
        except Differs as differs:
            return watch.levels(differs)
        if verification.image is None:
            return watch.levels()
        if progress is not None:
            progress(PROGRAMS, 0.9)
        return watch.levels_with_programs(KeptImage(verification.image, read_manifest(verification.image)))


class _Starting:
    """Watches, once the import tells what the inputs are."""

    def __init__(self, verification: Verification) -> None:
        self._asked, self._inputs = verification, dict[str, np.ndarray]()
        self._watching: Watching | None = None

    def __call__(self, step: str, module: ModuleOp, context: CompilerContext) -> None:
        if self._watching is None:
            self._inputs = _inputs(self._asked, module)
            self._watching = Watching(self._inputs, self._asked.golden, self._asked.perturbed)
        self._watching(step, module, context)

    def levels(self, differs: Differs | None = None) -> Levels:
        """The levels compared so far."""
        watched = self._watching
        assert watched is not None
        return Levels(
            tuple(watched.steps),
            tuple(watched.same),
            watched.compared,
            differs.difference if differs else None,
            watched.seconds,
        )

    def levels_with_programs(self, image: KeptImage) -> Levels:
        """The levels compared so far and, of an image, the programs."""
        assert self._watching is not None
        began = time.perf_counter()
        self._watching.steps.append(PROGRAMS)
        found = compare_programs(image, self._inputs, self._watching, self._asked.options)
        self._watching.seconds[PROGRAMS] = time.perf_counter() - began
        return replace(self.levels(), differs=found)


def _inputs(asked: Verification, module: ModuleOp) -> dict[str, np.ndarray]:
    """One sample of the network's inputs, as given or drawn from the seed."""
    specs = [TensorSpec(name, form, dtype, ()) for name, form, dtype in inputs_of(module)]
    if asked.inputs is None:
        return {name: array[0] for name, array in seeded_inputs(specs, asked.seed).items()}
    found = {}
    for spec in specs:
        with suppress(KeyError):
            found[spec.name] = np.asarray(asked.inputs[spec.name])
        if spec.name not in found or found[spec.name].shape != spec.shape:
            raise InputError(f"{option('verify_levels')}: there is no input {spec.name!r} of shape {list(spec.shape)}")
    return found
