"""The arrays of a model's initialisers: views into the file, external data files, or small inline numbers."""

from __future__ import annotations

import math
import os
from pathlib import Path, PurePosixPath

import numpy as np
import onnx
from onnx import SparseTensorProto, TensorProto, numpy_helper

from compiler.basis.limits import MAX_RANK
from compiler.basis.weights import Array
from compiler.frontend.nodes.element_types import VIEWABLE, dtype_name
from compiler.frontend.wire import ByteRange
from emu.errors import CompileError
from emu.files import Mapped, map_file, shown


def raw_array(tensor: TensorProto, buffer: Mapped, span: ByteRange, where: str) -> Array:
    """A view of the bytes `span` of `buffer` as the array of `tensor`; raises CompileError if they do not fit it."""
    check_rank(tensor, where)
    dtype, count = _view_type(tensor, where), math.prod(tensor.dims)
    if any(dim < 0 for dim in tensor.dims) or span.end - span.begin != count * dtype.itemsize:
        raise CompileError(
            f"{where}: initialiser '{tensor.name}' of shape {list(tensor.dims)}, {dtype_name(tensor.data_type)}, "
            f"has {span.end - span.begin} bytes of data: the file is damaged; export it again"
        )
    return np.frombuffer(buffer, dtype, count, span.begin).reshape(tuple(tensor.dims))


def inline_array(tensor: TensorProto, where: str) -> Array:
    """The array of a tensor that holds its own elements; raises CompileError if it does not, or is malformed."""
    check_rank(tensor, where)
    if is_external(tensor):
        raise CompileError(f"{where}: tensor '{tensor.name}' is in an external file, which only initialisers may be")
    try:
        return numpy_helper.to_array(tensor)
    except (ValueError, TypeError, KeyError, OverflowError) as error:
        raise CompileError(
            f"{where}: tensor '{tensor.name}' of shape {list(tensor.dims)} and type {dtype_name(tensor.data_type)} "
            f"cannot be read: {str(error).splitlines()[0] if str(error) else type(error).__name__}"
        ) from error


def sparse_array(sparse: SparseTensorProto, where: str, most: int) -> Array:
    """The dense array of a sparse tensor: zero, but where it says; raises CompileError beyond `most` bytes."""
    name, dims = sparse.values.name, tuple(sparse.dims)
    values = inline_array(sparse.values, where)
    places = inline_array(sparse.indices, where).astype(np.int64)
    label = f"{where}: sparse tensor '{name}' of shape {list(dims[:MAX_RANK])}"
    if not dims or len(dims) > MAX_RANK or min(dims) < 0 or math.prod(dims) * values.itemsize > most:
        raise CompileError(
            f"{label} is too large, or has no shape: sparse tensors may have {most} bytes when filled up"
        )
    if places.ndim > 1 and places.shape == (values.size, len(dims)):
        if (places < 0).any() or (places >= dims).any():
            raise CompileError(f"{label} has elements beyond its shape: the file is damaged; export it again")
        places = np.ravel_multi_index(tuple(places.T), dims)
    if values.ndim != 1 or places.shape != values.shape or ((places < 0) | (places >= math.prod(dims))).any():
        raise CompileError(f"{label} has elements beyond its shape: the file is damaged; export it again")
    dense = np.zeros(math.prod(dims), values.dtype)
    dense[places] = values
    return dense.reshape(dims)


def check_rank(tensor: TensorProto, where: str) -> None:
    """Raise CompileError for a tensor of more dimensions than NumPy can have."""
    if len(tensor.dims) > MAX_RANK:
        raise CompileError(
            f"{where}: tensor '{tensor.name}' has {len(tensor.dims)} dimensions; at most {MAX_RANK} can be"
        )


def external_array(tensor: TensorProto, folder: Path | None, where: str, opened: dict[Path, Mapped]) -> Array:
    """A view of a tensor kept in another file, which must lie in or below the `folder` of the model.

    `opened` are the files that other tensors needed: each is mapped once. Raises CompileError for a file that is
    missing, too short or elsewhere, and for a model without folder.
    """
    if folder is None:
        raise CompileError(
            f"{where}: initialiser '{tensor.name}' is in an external file: give the model by its path, not as an object"
        )
    entries = {entry.key: entry.value for entry in tensor.external_data}
    path = external_path(tensor, folder, where)
    size = math.prod(tensor.dims) * _view_type(tensor, where).itemsize
    try:
        offset, length = int(entries.get("offset", 0)), int(entries.get("length", size))
    except ValueError as error:
        raise CompileError(f"{where}: initialiser '{tensor.name}': cannot read external data: {error}") from error
    if path not in opened:
        opened[path] = map_file(path, CompileError)
    buffer = opened[path]
    if offset < 0 or length < 0 or offset + length > len(buffer):
        raise CompileError(
            f"{where}: initialiser '{tensor.name}' needs bytes {offset} to {offset + length} of '{path.name}', "
            f"which has {len(buffer)}: the file is incomplete; copy it again"
        )
    return raw_array(tensor, buffer, ByteRange(offset, offset + length), where)


def is_external(tensor: TensorProto) -> bool:
    """Whether the elements of `tensor` stand in another file."""
    return tensor.data_location == onnx.TensorProto.EXTERNAL


def external_path(tensor: TensorProto, folder: Path, where: str) -> Path:
    """The file below `folder` that an external tensor stands in; raises CompileError for one elsewhere, or missing.

    Links and `..` that lead out of the folder are refused.
    """
    location = next((entry.value for entry in reversed(tensor.external_data) if entry.key == "location"), "")
    where = f"{where}: initialiser '{tensor.name}'"
    relative = PurePosixPath(location.replace("\0", ".."))  # no path may hold a zero byte: treated as an escape
    try:
        path = (folder / relative).resolve()
    except (OSError, RuntimeError):  # too long a name, a circle of links
        raise CompileError(
            f"{where} names the external file '{shown(location)}', which no file can be called"
        ) from None
    if not location or relative.is_absolute() or "\0" in location or not path.is_relative_to(folder.resolve()):
        raise CompileError(
            f"{where} names the external file '{shown(location)}', which is outside the folder of the model"
        )
    if not os.path.lexists(path):
        raise CompileError(f"{where} needs the external file '{shown(location)}', which is missing beside the model")
    return path


def _view_type(tensor: TensorProto, where: str) -> np.dtype:
    dtype = VIEWABLE.get(tensor.data_type)
    if dtype is None:
        raise CompileError(
            f"{where}: initialiser '{tensor.name}' has element type {dtype_name(tensor.data_type)}, "
            "which is not supported: use float32"
        )
    return dtype
