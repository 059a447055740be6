"""The file of answers of a sweep: a JSON line for each point that has ended, by a digest of all that it depends on."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from types import TracebackType
from typing import Any

from emu.errors import InputError, option
from emu.files import read_bytes
from emu.image.manifest_json import MANIFEST_FILE
from launch.images.cache_key import digest_of_file, model_digests, product_digests
from launch.sweeps.sweep import Configuration, Sweep
from launch.sweeps.values import value_text
from launch.sweeps.variations import Changes

LARGEST = 1 << 30  # bytes
KEY, VALUES, ANSWER = "point", "values", "answer"


class AnswersFile:
    """A context manager over such a file, made if it is missing: answers that it has, and new ones at its end.

    A last line that is not whole, as of a sweep that was killed, is dropped. Lines of other sweeps stay. Raises
    InputError for another kind of file, and for one that another sweep is writing.
    """

    def __init__(self, path: Path, sweep: Sweep) -> None:
        self.path = path
        self._subject = _digests_of(sweep)
        self._file = -1
        self._known: dict[str, Any] = {}

    def __enter__(self) -> AnswersFile:
        try:
            self._file = os.open(self.path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o666)
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self.__exit__(None, None, None)
            raise InputError(f"{self.path}: another sweep is writing this file: wait for it, or name another") from None
        except OSError as error:
            raise InputError(f"{self.path}: {error.strerror}: name another file by {option('resume')}") from None
        try:
            self._read()
        except BaseException:
            self.__exit__(None, None, None)
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._file >= 0:
            os.close(self._file)
            self._file = -1

    def known(self, made: Configuration) -> Mapping[str, Any] | None:
        """The answer for a point; None if the file has none."""
        return self._known.get(self._key(made))

    def keep(self, made: Configuration, changes: Changes, answer: Mapping[str, Any]) -> None:
        """Put an answer at the end. `changes` are for people who look into the file."""
        values = {key: value_text(value) for key, value in changes.items()}
        line = json.dumps({KEY: self._key(made), VALUES: values, ANSWER: dict(answer)})
        size = os.fstat(self._file).st_size
        with contextlib.suppress(OSError):  # a full disk: the sweep itself has the figures
            if os.write(self._file, f"{line}\n".encode()) <= len(line):
                os.ftruncate(self._file, size)

    def _read(self) -> None:
        content = read_bytes(self.path, LARGEST)
        whole = content.rfind(b"\n") + 1
        for number, line in enumerate(content[:whole].splitlines(), 1):
            found = _line(line)
            if found is None:
                raise InputError(
                    f"{self.path}, line {number}: no figures of a sweep: name a file that {option('resume')} has made,"
                    " or one that is not there yet"
                )
            self._known[found[0]] = found[1]
        if whole < len(content):
            if not content[whole:].startswith(b"{"):
                raise InputError(
                    f"{self.path}: no figures of a sweep: name a file that {option('resume')} has made, or one that is"
                    " not there yet"
                )
            os.ftruncate(self._file, whole)

    def _key(self, made: Configuration) -> str:
        parts = {
            **self._subject,
            "arch": made.arch.to_dict(),
            "compiling": made.compiling,
            "samples": made.samples,
            "flow": made.flow,
        }
        return sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def _digests_of(sweep: Sweep) -> dict[str, Any]:
    """The digests of the subject, the data and the product."""
    subject: list[str] = []
    if sweep.subject is not None:
        is_model = sweep.kind == "model"
        subject = model_digests(sweep.subject) if is_model else [digest_of_file(sweep.subject / MANIFEST_FILE)]
    data = {}
    if sweep.data is not None:
        data = {"data": sweep.data.to_dict() | {"path": digest_of_file(Path(sweep.data.path))}}
    return {"kind": sweep.kind, "subject": subject, **data, **product_digests()}


def _line(line: bytes) -> tuple[str, Any] | None:
    """Key and answer of a line; None if it is none of such a file."""
    with contextlib.suppress(ValueError, RecursionError):
        found = json.loads(line)
        if isinstance(found, dict) and found.keys() == {KEY, VALUES, ANSWER}:
            answer = found[ANSWER]
            if isinstance(answer, dict) and answer.keys() >= {"figures", "steady", "idle", "unpriced"}:
                return str(found[KEY]), answer
    return None
