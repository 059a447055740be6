"""A parser of IR text whose time and memory grow with the text: no short one can make it build a huge module."""

from __future__ import annotations

import contextlib
import re
from typing import Any, NoReturn

from xdsl.context import Context
from xdsl.parser import Parser
from xdsl.parser.generic_parser import ParserState
from xdsl.utils.exceptions import ParseError
from xdsl.utils.lexer import Input
from xdsl.utils.mlir_lexer import MLIRLexer, MLIRToken, MLIRTokenKind, StringLiteral

_WIDE_INTEGER = re.compile("[su]?i[0-9]{3,}")


class _Lexer(MLIRLexer):
    """Linear in time and memory, whatever the text.

    A string without a closing quote is not tried again as a shorter one, and no integer of 2^32 bits is made.
    """

    _unescaped_characters_regex = re.compile(r'"(?:[^"\\\n\v\f]++|\\(?:["nt\\]|[0-9A-Fa-f]{2}))*+"')

    def _lex_bare_identifier(self, start_pos: int) -> MLIRToken:
        token = super()._lex_bare_identifier(start_pos)
        if _WIDE_INTEGER.fullmatch(token.text):
            raise ParseError(token.span, f"{token.text} is too wide: integers have at most 64 bits")
        if token.text in ("f80", "f128"):  # which xDSL reads, but cannot print
            raise ParseError(token.span, f"{token.text} is too wide: floating-point numbers have at most 64 bits")
        return token

    def _lex_string_literal(self, start_pos: int) -> MLIRToken:
        """Names of a network may hold any letter: a literal in UTF-8 is text, not bytes as in xDSL."""
        token = super()._lex_string_literal(start_pos)
        with contextlib.suppress(UnicodeDecodeError):
            if token.kind is MLIRTokenKind.BYTES_LIT and StringLiteral.from_span(token.span).string_contents:
                return MLIRToken(MLIRTokenKind.STRING_LIT, token.span)
        return token


class GuardedParser(Parser):
    """Reads what the printer writes, but nothing with which a short text can stand for a huge module."""

    def __init__(self, context: Context, text: str, name: str) -> None:
        super().__init__(context, "", name)
        self._parser_state = ParserState(_Lexer(Input(text, name)))

    def parse_dense_int_or_fp_elements_attr(self, type: Any) -> NoReturn:
        """Refused: weights stand outside of the text, and here one number could stand for billions."""
        self.raise_error("dense constants are not part of these dialects: weights come from the model")

    def _parse_alias_def(self) -> None:
        """An alias does not see the others: aliases of aliases could double what they stand for with each line."""
        known, self.attribute_aliases = self.attribute_aliases, {}
        super()._parse_alias_def()
        self.attribute_aliases = known | self.attribute_aliases
