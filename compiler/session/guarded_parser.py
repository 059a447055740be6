"""A parser of IR text that no short text can keep busy, or make build a huge module."""

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

    Without a closing quote, what stands in quotes is not tried again, shorter; and no numbers of 2^32 bits are made.
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
        """Names of a network may hold any letter: what is UTF-8 is text, where xDSL makes bytes of all but ASCII."""
        token = super()._lex_string_literal(start_pos)
        with contextlib.suppress(UnicodeDecodeError):
            if token.kind is MLIRTokenKind.BYTES_LIT and StringLiteral.from_span(token.span).string_contents:
                return MLIRToken(MLIRTokenKind.STRING_LIT, token.span)
        return token


class GuardedParser(Parser):
    """Reads what the printer writes; not what lets a short text stand for a huge module."""

    def __init__(self, context: Context, text: str, name: str) -> None:
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
