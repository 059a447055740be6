"""Finished samples in a side file next to the output file, so that a crash costs only what was under way.

`out.npz.partial` is a header (what run it belongs to) and one record per finished sample, in order: number, tensors,
checksum. Records are appended as samples finish. A torn or damaged record ends what a later run takes from it.
When all samples are there, they are copied to a temporary file that is renamed to `out.npz`.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import struct
import time
from collections.abc import Iterator, Mapping
from math import prod
from pathlib import Path
from types import TracebackType

import numpy as np

from emu.errors import InputError
from emu.image.npz import NpzMember, write_npz_members
from emu.wording import counted
from launch.sample_binding import CHECKSUM, Binding, Tensor, checksum_of, output_key, read_header

INDEX = struct.Struct("<Q")
SYNC_SECONDS = 0.2  # a power failure loses at most the samples of so much time; a crash of processes loses none
BLOCK = 1 << 24  # bytes copied at once


class SampleStore:
    """A context manager: `append` samples in order, then `finish`. Left early, the side file stays for `resume`."""

    def __init__(self, out: Path, binding: Binding, resume: bool = False) -> None:
        """Open the side file of `out`; raises InputError if it belongs to another run or must not be overwritten."""
        self.out, self.side = out, out.with_name(f"{out.name}.partial")
        self._temporary = out.with_name(f"{out.name}.writing")
        self._binding = binding
        self._header = binding.encode()
        self._size = INDEX.size + sum(tensor.nbytes for tensor in binding.tensors) + CHECKSUM
        self._synced = time.monotonic()
        self.count = 0  # finished samples
        try:
            self._file = self._open(resume)
        except OSError as error:
            raise InputError(f"{self.side}: cannot be written: {error.strerror}") from None

    def __enter__(self) -> SampleStore:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        if not self.count:
            self.side.unlink(missing_ok=True)
        elif value is not None and self.side.exists():
            kept = counted(self.count, "finished sample is", "finished samples are")
            value.add_note(f"{kept} kept in {self.side}: continue with --resume")
        os.close(self._file)

    @property
    def outputs(self) -> list[Tensor]:
        """The tensors that are network outputs."""
        return [tensor for tensor in self._binding.tensors if tensor.key == output_key(tensor.name)]

    def append(self, arrays: Mapping[str, np.ndarray]) -> None:
        """Keep the next sample, arrays by key; raises InputError if the disk is full."""
        parts = [INDEX.pack(self.count)]
        for tensor in self._binding.tensors:
            array = np.asarray(arrays[tensor.key])
            if array.shape != tensor.shape or array.dtype != np.dtype(tensor.dtype):
                raise RuntimeError(f"sample {self.count}: {tensor} came as {array.dtype} {array.shape}")
            parts.append(array.tobytes())
        content = b"".join(parts)
        self._write(content + checksum_of(content))
        self.count += 1

    def read(self, index: int) -> dict[str, np.ndarray]:
        """A finished sample: arrays by key."""
        record = os.pread(self._file, self._size, self._place(index))
        found, offset = dict[str, np.ndarray](), INDEX.size
        for tensor in self._binding.tensors:
            found[tensor.key] = np.frombuffer(record, tensor.dtype, prod(tensor.shape), offset).reshape(tensor.shape)
            offset += tensor.nbytes
        return found

    def finish(self) -> None:
        """All samples are there: write the output file in one step and remove the side file.

        Of tensors with one name the last is written.
        """
        if self.count != self._binding.samples:
            raise RuntimeError(f"{self.count} of {self._binding.samples} samples are there")
        offset, members = INDEX.size, dict[str, NpzMember]()
        for tensor in self._binding.tensors:
            shape = (self.count, *tensor.shape)
            column = self._column(offset, tensor.nbytes)
            members[tensor.name] = NpzMember(tensor.name, np.dtype(tensor.dtype), shape, column)
            offset += tensor.nbytes
        try:
            write_npz_members(self._temporary, members.values())
            _sync(self._temporary)
            self._temporary.replace(self.out)
            _sync(self.out.parent)
        except OSError as error:
            self._temporary.unlink(missing_ok=True)
            raise InputError(f"{self.out}: cannot be written: {error.strerror}; run again with --resume") from None
        self.side.unlink(missing_ok=True)

    def _open(self, resume: bool) -> int:
        if not self.side.exists():
            self._create()
        file = os.open(self.side, os.O_RDWR | os.O_CLOEXEC)
        try:
            self._lock(file)
            self._check(file)
            self.count = self._sound(file)
            if self.count and not resume:
                raise InputError(
                    f"{self.side} holds {counted(self.count, 'finished sample')} of a run that was interrupted: "
                    "continue it with --resume, or delete the file"
                )
            os.ftruncate(file, self._place(self.count))
            os.lseek(file, 0, os.SEEK_END)
        except BaseException:
            os.close(file)
            raise
        return file

    def _create(self) -> None:
        """A side file that has a whole header from the moment that it exists."""
        try:
            self._temporary.write_bytes(self._header)
            _sync(self._temporary)
            with contextlib.suppress(FileExistsError):  # another run was faster: its lock will tell
                self.side.hardlink_to(self._temporary)
            _sync(self.side.parent)
        finally:
            self._temporary.unlink(missing_ok=True)

    def _lock(self, file: int) -> None:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise InputError(f"{self.side} is in use by another run: wait for it, or save to another file") from None

    def _check(self, file: int) -> None:
        """Raise InputError unless the header is that of this run."""
        record = read_header(file)
        if record is None:
            raise InputError(f"{self.side} is no file of finished samples, or damaged: delete it to start over")
        different = self._binding.difference(record)
        if different:
            raise InputError(f"{self.side} was begun with {different}: use the same, or delete it to start over")

    def _sound(self, file: int) -> int:
        """How many records from the first one on are whole and in order."""
        for index in range(self._binding.samples):
            record = os.pread(file, self._size, self._place(index))
            content, checksum = record[:-CHECKSUM], record[-CHECKSUM:]
            if len(record) < self._size or INDEX.unpack_from(content)[0] != index or checksum_of(content) != checksum:
                return index
        return self._binding.samples

    def _place(self, index: int) -> int:
        return len(self._header) + index * self._size

    def _write(self, record: bytes) -> None:
        try:
            rest = memoryview(record)
            while rest:
                rest = rest[os.write(self._file, rest) :]
            if time.monotonic() - self._synced > SYNC_SECONDS:
                os.fdatasync(self._file)
                self._synced = time.monotonic()
        except OSError as error:
            raise InputError(f"{self.side}: cannot be written: {error.strerror}; run again with --resume") from None

    def _column(self, offset: int, size: int) -> Iterator[bytes]:
        """The bytes of one tensor, sample after sample."""
        for index in range(self.count):
            place = self._place(index) + offset
            for begin in range(0, size, BLOCK):
                yield os.pread(self._file, min(BLOCK, size - begin), place + begin)


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
