"""A parser of IR text whose time and memory grow with the text: no short one can make it build a huge module."""

from __future__ import annotations

import contextlib
import re
from typing import Any, NoReturn

from xdsl.context import Context
from xdsl.parser import Parser
from xdsl.parser.generic_parser import ParserState
from xdsl.utils.exceptions import ParseError
from xdsl.utils.lexer import Input, Span, Token
from xdsl.utils.mlir_lexer import KIND_BY_PUNCTUATION_SPELLING, MLIRLexer, MLIRToken, MLIRTokenKind, StringLiteral

_WIDE_INTEGER = re.compile("[su]?i[0-9]{3,}")
# Blanks and comments, then one of the tokens of which most of a text consists; types that may be too wide are none.
_COMMON = re.compile(
    r"(?:\s+|//[^\n]*)*+(?:"
    r"(?P<punctuation>[,:()=<>\[\]}]|->|\{(?!-#))|"
    r"(?P<value>%(?:[0-9]+|[a-zA-Z$._-][a-zA-Z0-9$._-]*))|"
    r"(?P<word>(?!f80|f128|[su]?i[0-9]{3})[a-zA-Z_][a-zA-Z0-9_$.]*))",
    re.ASCII,
)
_KINDS = {"value": MLIRTokenKind.PERCENT_IDENT, "word": MLIRTokenKind.BARE_IDENT}


class GuardedLexer(MLIRLexer):
    """Linear in time and memory, whatever the text.

    A string without a closing quote is not tried again as a shorter one, and no integer of 2^32 bits is made.
    """

    _unescaped_characters_regex = re.compile(r'"(?:[^"\\\n\v\f]++|\\(?:["nt\\]|[0-9A-Fa-f]{2}))*+"')

    def lex(self) -> MLIRToken:
        """The next token; common ones are found by one expression, as xDSL looks at a text letter by letter."""
        found = _COMMON.match(self.input.content, self.pos)
        if found is None or (group := found.lastgroup) is None:
            return super().lex()
        begin, self.pos = found.span(group)
        kind = _KINDS.get(group) or KIND_BY_PUNCTUATION_SPELLING[found[group]]
        return Token(kind, Span(begin, self.pos, self.input))

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
        self._parser_state = ParserState(GuardedLexer(Input(text, name)))

    def parse_dense_int_or_fp_elements_attr(self, type: Any) -> NoReturn:
        """Refused: weights stand outside of the text, and here one number could stand for billions."""
        self.raise_error("dense constants are not part of these dialects: weights come from the model")

    def _parse_alias_def(self) -> None:
        """An alias does not see the others: aliases of aliases could double what they stand for with each line."""
        known, self.attribute_aliases = self.attribute_aliases, {}
        super()._parse_alias_def()
        self.attribute_aliases = known | self.attribute_aliases
