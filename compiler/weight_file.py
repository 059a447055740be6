"""The file of weights beside the text of a dump: an `.npz` whose arrays are called by their digests, memory-mapped."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np
from xdsl.dialects.builtin import ModuleOp

from compiler.basis.weights import Array, WeightStore, digest_of
from compiler.dialects.weight_keys import weight_keys
from compiler.module_metadata import digests_of
from emu.errors import CompileError, InputError, option
from emu.files import shown
from emu.image.npz import Archive, NpzMember, write_npz_members
from emu.output.whole_file import WholeFile

WEIGHTS_FILE = "weights.npz"
_BLOCK = 1 << 18  # elements written at once


def write_weights(path: Path, arrays: Mapping[str, Array]) -> None:
    """Write `arrays`, by digest, to the `.npz` file `path`; raises InputError if that cannot be written."""
    members = (NpzMember(name, array.dtype, array.shape, _parts(array)) for name, array in arrays.items())
    with WholeFile(path) as file:
        write_npz_members(file, members)


def named_arrays(module: ModuleOp, weights: WeightStore) -> dict[str, Array]:
    """The arrays that `module` names, by digest, as `compiler.module_metadata.carry` has noted them."""
    return {digest: weights.get(key) for key, digest in digests_of(module).items()}


def load_weights(path: Path, module: ModuleOp, weights: WeightStore) -> None:
    """Put the arrays that `module` names into `weights`, which then holds views of the mapped file.

    An array for which the module has no digest is looked up by its key. Raises InputError for a file that cannot be
    read, or CompileError for one that belongs to another text.
    """
    digests = digests_of(module)
    wanted = sorted({key for _, _, key in weight_keys(module)} - set(weights))
    if not wanted:
        return
    if not path.exists():
        raise InputError(
            f"{shown(path)} does not exist, but weights ({wanted[0]!r}, ...) are needed: name the file that was"
            f" written with the text by {option('weights')}"
        )
    with Archive(path, map_from=0) as archive:
        for key in wanted:
            name = digests.get(key, key)
            if name in archive:
                _put(key, archive[name], weights, digests.get(key, ""), path)
            elif key in digests:
                raise CompileError(
                    f"{shown(path)} does not hold the weights {key!r} of this text (SHA-256 {name[:60]}): it was"
                    f" written with another text; name its own by {option('weights')}"
                )


def _put(key: str, array: Array, weights: WeightStore, digest: str, path: Path) -> None:
    if digest and digest_of(array) != digest:
        raise CompileError(f"{shown(path)}: the weights {key!r} are damaged (other SHA-256): copy the file again")
    weights.fill(key, array)


def _parts(array: Array) -> Iterator[bytes]:
    """The bytes of an array in C order, some at a time."""
    flat = np.ascontiguousarray(array).reshape(-1)
    for begin in range(0, flat.size, _BLOCK):
        yield flat[begin : begin + _BLOCK].tobytes()
