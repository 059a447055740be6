"""Reads arrays in NumPy's format from a stream, without pickle and without trusting the sizes that they claim."""

from __future__ import annotations

import io
import warnings
from dataclasses import dataclass
from math import prod
from typing import IO

import numpy as np
from numpy.lib import format as npy

MAX_HEADER = 10_000  # bytes of text: what NumPy itself takes
_BLOCK = 1 << 20  # bytes read at once
_FORMATS = {(1, 0): (2, npy.read_array_header_1_0), (2, 0): (4, npy.read_array_header_2_0)}  # bytes of the length


@dataclass(frozen=True, slots=True)
class ArrayHeader:
    """What stands before the elements: shape, whether columns come first, element type, and where they begin."""

    shape: tuple[int, ...]
    fortran: bool
    dtype: np.dtype
    start: int

    @property
    def nbytes(self) -> int:
        """Bytes of the elements."""
        return prod(self.shape) * self.dtype.itemsize

    def view(self, content: object, offset: int = 0) -> np.ndarray:
        """The elements in a buffer, from byte `offset` on, as the array."""
        flat = np.frombuffer(content, self.dtype, prod(self.shape), offset)  # pyright: ignore[reportArgumentType, reportCallIssue]
        return flat.reshape(self.shape, order="F" if self.fortran else "C")


def read_header(file: IO[bytes], size: int) -> ArrayHeader:
    """The header of an array that has `size` bytes in all; raises ValueError unless these hold just the array."""
    prefix = _exactly(file, npy.MAGIC_LEN)
    version = npy.read_magic(io.BytesIO(prefix))
    if version not in _FORMATS:
        raise ValueError(f"unknown .npy version {version}")
    width, read = _FORMATS[version]
    length = _exactly(file, width)
    count = int.from_bytes(length, "little")
    if count > MAX_HEADER:
        raise ValueError(f"its header has {count} bytes, more than {MAX_HEADER}")
    with warnings.catch_warnings():  # old names of types and numbers of Python 2 are read, or refused, without a word
        warnings.simplefilter("ignore")
        shape, fortran, dtype = read(io.BytesIO(length + _exactly(file, count)))
    if dtype.kind not in "biufc":
        raise ValueError(f"elements of type {dtype}, only numbers can be read")
    header = ArrayHeader(shape, fortran, dtype, npy.MAGIC_LEN + width + count)
    if min(shape, default=0) < 0 or header.start + header.nbytes != size:
        raise ValueError(f"shape {shape} of {dtype} does not agree with its {size} bytes")
    return header


def read_elements(file: IO[bytes], header: ArrayHeader) -> np.ndarray:
    """The array that follows `header`, read into memory of just its size; raises EOFError if it is cut short."""
    whole = np.empty(header.nbytes, np.uint8)
    for begin in range(0, header.nbytes, _BLOCK):
        part = _exactly(file, min(_BLOCK, header.nbytes - begin))
        whole[begin : begin + len(part)] = np.frombuffer(part, np.uint8)
    skip_elements(file)
    return header.view(whole.data)


def skip_elements(file: IO[bytes]) -> None:
    """Read to the end for nothing but the checksum, which the last read of an archive's member compares."""
    while file.read(_BLOCK):
        pass


def _exactly(file: IO[bytes], count: int) -> bytes:
    content = file.read(count)
    while len(content) < count:
        more = file.read(count - len(content))
        if not more:
            raise EOFError(f"it ends {count - len(content)} bytes early")
        content += more
    return content
