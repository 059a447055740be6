"""Verifies the compilations of `emu compile` and `emu validate`, with the same options."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from compiler.request import make_request
from emu.errors import InputError, option
from emu.image.reader import open_image
from launch.golden.values import Golden, read_golden
from launch.levels.finding import Levels
from launch.levels.verifying import Verification, verify_levels
from launch.samples.inputs import load_inputs


def verify_compiled(
    model: Path | None,
    out: Path | None,
    *,
    start: Path | None = None,
    seed: int = 0,
    inputs: Mapping[str, np.ndarray] | None = None,
    tolerance: float | None = None,
    quiet: bool = False,
    **options: Any,
) -> Levels:
    """Verify the compilation of a model, or of the text `start`, and the image `out` that it made (None: none).

    `inputs` are (samples,) + shape, of which the first sample counts; by default those that are stored in the image,
    else drawn from `seed`. Stored golden outputs are what the import is compared with, unless there is a `tolerance` of
    their own. `options` are those of `make_request`. Raises EmuErrors.
    """
    if options.get("host_fallback"):
        raise InputError(
            f"{option('verify_levels')} executes the levels of one program: leave {option('host_fallback')} out"
        )
    request = make_request(model, start=start, **options)
    if out is None:
        return verify_levels(Verification(request=request, inputs=_first(inputs), seed=seed, quiet=quiet))
    manifest, golden = open_image(out, verify=False).manifest, Golden("", {})
    if inputs is None and manifest.default_input:
        inputs = load_inputs(out / manifest.default_input, manifest.inputs)
        if manifest.golden and tolerance is None:
            golden = read_golden(out / manifest.golden, manifest.outputs, manifest.golden_source)
    verification = Verification(
        request=request,
        image=out,
        inputs=_first(inputs),
        seed=seed,
        golden=_first(golden.tensors) or {},
        perturbed=[_first(each) or {} for each in golden.perturbed],
        quiet=quiet,
    )
    return verify_levels(verification)


def _first(arrays: Mapping[str, np.ndarray] | None) -> dict[str, np.ndarray] | None:
    """The first sample of arrays."""
    return None if arrays is None else {name: np.asarray(array[0]) for name, array in arrays.items()}
