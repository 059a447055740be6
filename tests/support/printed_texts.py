"""Texts as other compilers printed them, with the values that these computed."""

from pathlib import Path

import numpy as np

FOLDER = Path(__file__).parents[1] / "compiler" / "frontend" / "text" / "printed"
NAMES = tuple(sorted(path.stem for path in FOLDER.glob("*.mlir")))


def values_of(name):
    """Inputs and outputs."""
    with np.load(FOLDER / f"{name}.npz") as arrays:
        inputs = [arrays[key] for key in sorted(arrays) if key.startswith("x")]
        return inputs, [arrays[key] for key in sorted(arrays) if key.startswith("y")]


def check(found, wanted):
    """Integers equal, floats as close as another order of sums allows."""
    assert (found.shape, found.dtype.kind) == (wanted.shape, wanted.dtype.kind)
    if wanted.dtype.kind == "f":
        np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-5 * max(1, np.abs(wanted).max()))
    else:
        np.testing.assert_array_equal(found, wanted)
