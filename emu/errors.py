"""Errors that a user can act on: one sentence each, with the exit code that the command line returns."""

from __future__ import annotations


class EmuError(Exception):
    """Base of every error that is told to the user as one sentence, without a traceback."""

    exit_code = 2


class InputError(EmuError):
    """Bad usage or input: a file, option, network or program that cannot be accepted (exit code 2)."""


class ArchError(InputError):
    """An architecture description that is malformed or impossible."""


class ProgramError(InputError):
    """A program, crossbar image, assembly text or manifest that is malformed or breaks a limit."""


class CompileError(InputError):
    """A network that cannot be compiled: an unsupported operator, or one that does not fit."""
