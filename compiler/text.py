"""IR as text: printed in generic MLIR form, read back from an edited dump."""

from __future__ import annotations

import re
from collections.abc import Generator
from contextlib import contextmanager
from io import StringIO
from pathlib import Path
from typing import Any, NoReturn

from xdsl.dialects.builtin import ModuleOp
from xdsl.parser import Parser
from xdsl.parser.generic_parser import ParserState
from xdsl.printer import Printer
from xdsl.utils.exceptions import ParseError, VerifyException
from xdsl.utils.lexer import Input
from xdsl.utils.mlir_lexer import MLIRLexer, MLIRToken

from compiler.context import CompilerContext
from compiler.passes import STAGES
from emu.errors import CompileError
from emu.files import read_text

MAX_TEXT = 1 << 26  # bytes of a stage's text; that of a large network has a tenth

_WIDE_INTEGER = re.compile("[su]?i[0-9]{3,}")


def print_module(module: ModuleOp) -> str:
    """The module in MLIR's generic form, which upstream tools read."""
    stream = StringIO()
    Printer(stream, print_generic_format=True).print_op(module)
    return stream.getvalue() + "\n"


class _Lexer(MLIRLexer):
    """Linear in time and memory, whatever the text.

    Without a closing quote, what stands in quotes is not tried again, shorter; and no numbers of 2^32 bits are made.
    """

    _unescaped_characters_regex = re.compile(r'"(?:[^"\\\n\v\f]++|\\(?:["nt\\]|[0-9A-Fa-f]{2}))*+"')

    def _lex_bare_identifier(self, start_pos: int) -> MLIRToken:
        token = super()._lex_bare_identifier(start_pos)
        if _WIDE_INTEGER.fullmatch(token.text):
            raise ParseError(token.span, f"{token.text} is too wide: integers have at most 64 bits")
        return token


class _Parser(Parser):
    """Reads what the printer writes; not what lets a short text stand for a huge module."""

    def __init__(self, context: CompilerContext, text: str, name: str) -> None:
        super().__init__(context, "", name)
        self._parser_state = ParserState(_Lexer(Input(text, name)))

    def parse_dense_int_or_fp_elements_attr(self, type: Any) -> NoReturn:
        """Weights stand outside of the text; one number can stand for billions here."""
        self.raise_error("dense constants are not part of these dialects: weights come from the model")

    def _parse_alias_def(self) -> None:
        """Aliases of aliases can double with each line: they do not see each other."""
        known, self.attribute_aliases = self.attribute_aliases, {}
        super()._parse_alias_def()
        self.attribute_aliases = known | self.attribute_aliases


def read_module(path: Path, context: CompilerContext) -> ModuleOp:
    """A module from text; raises InputError (unreadable) or CompileError (malformed), naming the file."""
    text = read_text(path, MAX_TEXT)
    try:
        module = _Parser(context, text, str(path)).parse_module()
        module.verify()
    except ParseError as error:
        line = text.count("\n", 0, error.span.start) + 1
        raise CompileError(f"{path}, line {line}: {error.msg}") from error
    except VerifyException as error:
        raise CompileError(f"{path}: the module is not valid: {str(error).splitlines()[0]}") from error
    except MemoryError:
        raise
    except Exception as error:  # the parser has no single error type for what it cannot build
        raise CompileError(f"{path}: is not IR that can be read ({_short(error)})") from error
    return module


# What passes raise on IR that verifies but that they would never be given by the default pipeline.
BROKEN = (KeyError, IndexError, ValueError, TypeError, AttributeError, AssertionError, StopIteration)


@contextmanager
def edited_text(path: Path | None) -> Generator[None]:
    """What well-formed but inconsistent text from `path` breaks further on is the text's error: one sentence."""
    try:
        yield
    except BROKEN as error:
        if path is None:
            raise
        raise CompileError(f"{path}: the edited text does not fit together ({_short(error)})") from error


@contextmanager
def own_pipeline(passes: str | None) -> Generator[None]:
    """What a pipeline of the user's breaks is the pipeline's error: one sentence."""
    try:
        yield
    except BROKEN as error:
        if passes is None:
            raise
        raise CompileError(f"pipeline {passes}: the passes do not fit together ({_short(error)})") from error


def _short(error: Exception) -> str:
    text = " ".join(f"{type(error).__name__}: {error}".split())
    return text if len(text) < 200 else f"{text[:200]}..."


def stage_of(module: ModuleOp, where: str) -> str:
    """The stage ("onnx", "spat" or "pim") that a module is at, told by its operations."""
    dialects = {op.name.split(".")[0] for op in module.walk()}
    for stage in reversed(tuple(STAGES)):
        if stage in dialects:
            return stage
    raise CompileError(f"{where}: the module has no operation of the dialects {', '.join(STAGES)}")
