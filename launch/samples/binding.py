"""The identity of a run in the header of its side file, and its comparison with the present run."""

from __future__ import annotations

import hashlib
import json
import struct
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from math import prod
from typing import cast

import numpy as np

from emu.output.calls import CALLS

MAGIC = b"EMUPART1"
LENGTH = struct.Struct("<I")
CHECKSUM = 16  # bytes of BLAKE2b
MAX_HEADER = 1 << 24  # bytes
BLOCK = 1 << 24  # bytes digested at once
_START = len(MAGIC) + LENGTH.size


@dataclass(frozen=True, slots=True)
class StoredTensor:
    """One tensor of every sample: key in the store, name in the output file, NumPy type as text, shape."""

    key: str
    name: str
    dtype: str
    shape: tuple[int, ...]

    @property
    def nbytes(self) -> int:
        """Bytes of one sample."""
        return prod(self.shape) * np.dtype(self.dtype).itemsize


@dataclass(frozen=True, slots=True)
class Binding:
    """All that the samples of a file depend on: digests of image and inputs, the engine, what crossbars are, and the
    stored tensors."""

    image: str
    inputs: str
    engine: str
    samples: int
    tensors: tuple[StoredTensor, ...]
    analog: str = ""  # the chip with its physics, if the run has one

    def encode(self) -> bytes:
        """The header of a side file."""
        text = json.dumps(asdict(self)).encode()
        return MAGIC + LENGTH.pack(len(text)) + text + checksum_of(text)

    def difference(self, record: Mapping[str, object]) -> str:
        """What of a decoded header differs, in words; empty if nothing does."""
        own = json.loads(json.dumps(asdict(self)))
        return next((words for key, words in _WORDS.items() if record.get(key) != own[key]), "")


_WORDS = {
    "image": "another image",
    "inputs": "other inputs",
    "engine": "another --engine",
    "analog": "another --analog or --analog-seed",
    "samples": "another number of samples or --trials",
    "tensors": "other outputs or --keep",
}


def output_key(name: str) -> str:
    """The key of a network output."""
    return f"output {name}"


def kept_key(name: str) -> str:
    """The key of a kept tensor, which may have the name of an output but another shape."""
    return f"kept {name}"


def digest_of_samples(arrays: Mapping[str, np.ndarray]) -> str:
    """SHA-256 of arrays (samples,) + shape by name, a part of them at a time."""
    digest = hashlib.sha256()
    for name, array in arrays.items():
        digest.update(json.dumps([name, array.dtype.str, array.shape]).encode())
        rows = max(1, BLOCK // max(1, array[:1].nbytes))
        for begin in range(0, len(array), rows):
            digest.update(np.ascontiguousarray(array[begin : begin + rows]).reshape(-1).view(np.uint8).data)
    return digest.hexdigest()


def read_header(file: int) -> dict[str, object] | None:
    """The header at the begin of an open side file; None if it is none, or damaged."""
    try:
        start = CALLS.pread(file, _START, 0)
    except OSError:
        return None
    if len(start) < _START or not start.startswith(MAGIC):
        return None
    size = header_size(start) - _START - CHECKSUM
    rest = CALLS.pread(file, min(size, MAX_HEADER) + CHECKSUM, _START)
    text, checksum = rest[:-CHECKSUM], rest[-CHECKSUM:]
    if len(text) != size or checksum_of(text) != checksum:
        return None
    try:
        record = json.loads(text)
    except (ValueError, RecursionError):  # the checksum is right: somebody wrote it so
        return None
    return cast("dict[str, object]", record) if isinstance(record, dict) else None


def header_size(start: bytes) -> int:
    """How long the header is that begins with `start`."""
    return _START + LENGTH.unpack_from(start, len(MAGIC))[0] + CHECKSUM


def checksum_of(content: bytes) -> bytes:
    """BLAKE2b of `CHECKSUM` bytes."""
    return hashlib.blake2b(content, digest_size=CHECKSUM).digest()
