"""Errors that a user can act on: one sentence each, with the exit code that the command line returns."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from types import MappingProxyType

_LONGEST, _TAIL = 900, 200  # characters of a sentence, and of its end if it must be shortened


Wording = Callable[[str, object], str]  # a parameter's name and value (None: no value) in the words of the reader


def _as_parameter(name: str, value: object) -> str:
    """The words of a caller in Python."""
    return name if value is None else f"{name}={value!r}"


_wording: list[Wording] = [_as_parameter]  # the last one counts


def option(name: str, value: object = None) -> str:
    """How the reader of an error writes the parameter `name`, with a value if there is one.

    `cores=4` for a caller in Python, `--cores 4` on the command line, which says so by `worded`.
    """
    return _wording[-1](name, value)


@contextmanager
def worded(wording: Wording) -> Generator[None, None, None]:
    """Inside of it, errors call parameters as `wording` does; it holds for all threads of the process."""
    _wording.append(wording)
    try:
        yield
    finally:
        _wording.remove(wording)


def shown(value: object, longest: int = 60) -> str:
    """A value of a file as sentences quote it: short, whatever it holds."""
    try:
        text = repr(value)
    except (ValueError, RecursionError, MemoryError):  # integers of thousands of digits, endless nesting
        text = f"a huge {type(value).__name__}"
    return text if len(text) <= longest else f"{text[: longest - 3]}..."


class EmuError(Exception):
    """Base of every error that is told to the user as one sentence, without a traceback."""

    exit_code = 2
    details: Mapping[str, object] = MappingProxyType({})  # what else is known, by name: plain values for --json


class InputError(EmuError):
    """Bad usage or input: a file, option, network or program that cannot be accepted (exit code 2).

    What it quotes may come from a damaged file: its text is one line of bounded length.
    """

    def __str__(self) -> str:
        """The sentence."""
        text = " ".join(super().__str__().splitlines())
        return text if len(text) <= _LONGEST else f"{text[: _LONGEST - _TAIL]} [...] {text[-_TAIL:]}"


class ArchError(InputError):
    """An architecture description that is malformed or impossible."""


class ProgramError(InputError):
    """A program, crossbar image, assembly text or manifest that is malformed or breaks a limit."""


class CompileError(InputError):
    """A network that cannot be compiled: an unsupported operator, or one that does not fit.

    `node` is the node of the network that it is about, or a part of it; empty if it is about no single one.
    """

    def __init__(self, sentence: str = "", node: str = "") -> None:
        super().__init__(sentence)
        self.node = node
