"""Finished samples in a side file next to the output file, so that a crash loses only unfinished samples.

`out.npz.partial` is a header (what run it belongs to) and one record per finished sample, in order: number, tensors,
checksum. Records are appended as samples finish. A later run uses the records before the first torn or damaged one.
When all samples are there, they are copied to a temporary file that is renamed to `out.npz`.
"""

from __future__ import annotations

import contextlib
import struct
from collections.abc import Iterator, Mapping
from math import prod
from pathlib import Path
from types import TracebackType

import numpy as np

from emu.errors import InputError
from emu.image.npz import NpzMember, write_npz_members
from emu.output.failures import cannot_write
from emu.output.folder import make_folder
from emu.output.target import find_target
from emu.output.temporary import beside, clean
from emu.output.whole_file import WholeFile
from emu.wording import counted
from launch.samples.binding import CHECKSUM, Binding, StoredTensor, checksum_of, header_size, output_key, read_header
from launch.samples.side_file import SideFile

INDEX = struct.Struct("<Q")
BLOCK = 1 << 24  # bytes copied at once


class SampleStore:
    """A context manager: `append` samples in order, then `finish`. Left early, the side file stays for `resume`.

    With `partial`, the output file then has the samples that are finished, and no side file stays.
    """

    def __init__(self, out: Path, binding: Binding, resume: bool = False, partial: bool = False) -> None:
        """Open the side file of `out`; raises InputError if it belongs to another run or must not be overwritten."""
        real = find_target(out).real
        make_folder(real.parent, out)
        self.out, self.side = out, real.with_name(f"{real.name}.partial")
        self._partial = partial
        self._binding = binding
        self._header = binding.encode()
        self._size = INDEX.size + sum(tensor.nbytes for tensor in binding.tensors) + CHECKSUM
        self.count = 0  # finished samples
        clean(beside(real))  # what an interrupted `finish` left, before its room is needed
        self._file = SideFile(self.side)
        try:
            self._check()
            self.count = self._sound()
            if self.count and not resume:
                raise InputError(
                    f"{self.side} holds {counted(self.count, 'finished sample')} of a run that was interrupted: "
                    "continue it with --resume, or delete the file"
                )
            self._file.worthless = not self.count
            self._file.cut(self._place(self.count))
        except OSError as error:
            self._file.close()
            raise cannot_write(self.side, error) from None
        except BaseException:
            self._file.close()
            raise

    def __enter__(self) -> SampleStore:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.worthless = self._file.worthless or not self.count
        if value is not None and self._partial and not self._file.worthless:
            with contextlib.suppress(InputError):  # the error that ended the run says more
                self._write()
        elif value is not None and not self._file.worthless:
            kept = counted(self.count, "finished sample is", "finished samples are")
            value.add_note(f"{kept} kept in {self.side}: continue with --resume")
        self._file.close()

    @property
    def outputs(self) -> list[StoredTensor]:
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
        self._file.worthless = False  # before any sample could be lost
        try:
            self._file.append(content + checksum_of(content))
        except InputError as error:
            raise InputError(f"{error}; run again with --resume") from None
        self.count += 1

    def read(self, index: int) -> dict[str, np.ndarray]:
        """A finished sample: arrays by key."""
        record = self._read(self._size, self._place(index))
        arrays, offset = dict[str, np.ndarray](), INDEX.size
        for tensor in self._binding.tensors:
            arrays[tensor.key] = np.frombuffer(record, tensor.dtype, prod(tensor.shape), offset).reshape(tensor.shape)
            offset += tensor.nbytes
        return arrays

    def finish(self) -> None:
        """After the last sample: write the output file atomically and remove the side file.

        Of tensors with one name the last is written.
        """
        if self.count != self._binding.samples:
            raise RuntimeError(f"{self.count} of {self._binding.samples} samples are there")
        try:
            self._write()
        except InputError as error:
            raise InputError(f"{error}; run again with --resume") from None

    def _write(self) -> None:
        """Write the output file with the finished samples; then remove the side file."""
        offset, members = INDEX.size, dict[str, NpzMember]()
        for tensor in self._binding.tensors:
            shape = (self.count, *tensor.shape)
            column = self._column(offset, tensor.nbytes)
            members[tensor.name] = NpzMember(tensor.name, np.dtype(tensor.dtype), shape, column)
            offset += tensor.nbytes
        with WholeFile(self.out, durable=True) as file:
            write_npz_members(file, members.values())
        self._file.remove()

    def _check(self) -> None:
        """Write the header if the file holds no sample; raise InputError if it belongs to another run."""
        header = self._file.read(len(self._header), 0)
        if header == self._header:
            return
        record = read_header(self._file.descriptor)
        if not (self._header.startswith(header) or (record and header_size(header) == self._file.size)):
            if record is None:
                raise InputError(f"{self.side} is no file of finished samples, or damaged: delete it to start over")
            different = self._binding.difference(record) or "another version of this program"
            raise InputError(f"{self.side} was begun with {different}: use the same, or delete it to start over")
        self._file.worthless = True
        self._file.cut(0)
        self._file.append(self._header)

    def _sound(self) -> int:
        """How many records from the first one on are complete and in order."""
        for index in range(self._binding.samples):
            record = self._file.read(self._size, self._place(index))
            content, checksum = record[:-CHECKSUM], record[-CHECKSUM:]
            if len(record) < self._size or INDEX.unpack_from(content)[0] != index or checksum_of(content) != checksum:
                return index
        return self._binding.samples

    def _place(self, index: int) -> int:
        return len(self._header) + index * self._size

    def _column(self, offset: int, size: int) -> Iterator[bytes]:
        """The bytes of one tensor, sample after sample."""
        for index in range(self.count):
            place = self._place(index) + offset
            for begin in range(0, size, BLOCK):
                yield self._read(min(BLOCK, size - begin), place + begin)

    def _read(self, size: int, place: int) -> bytes:
        """Bytes of finished samples."""
        record = self._file.read(size, place)
        if len(record) < size:
            raise InputError(f"{self.side} was truncated by somebody during the run")
        return record
