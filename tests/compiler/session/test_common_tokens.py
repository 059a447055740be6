"""The lexer of texts finds common tokens by one expression: the same ones as xDSL, which looks at each letter."""

from __future__ import annotations

from draws import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from xdsl.utils.exceptions import ParseError
from xdsl.utils.lexer import Input
from xdsl.utils.mlir_lexer import MLIRLexer, MLIRTokenKind

from compiler.session.guarded_parser import GuardedLexer


class _Slow(GuardedLexer):
    """The same without the short way."""

    lex = MLIRLexer.lex


def _tokens(kind: type[MLIRLexer], text: str) -> list[tuple[object, int, int]]:
    """Kind and place of each token, and of the fault at the end if there is one."""
    lexer, found = kind(Input(text, "text")), list[tuple[object, int, int]]()
    try:
        while not found or found[-1][0] is not MLIRTokenKind.EOF:
            token = lexer.lex()
            found.append((token.kind, token.span.start, token.span.end))
    except ParseError as error:
        found.append((error.msg, error.span.start, error.span.end))
    return found


_PIECES = (
    *'%#^!@"\\ \n\t/->{}()<>[]=:,.+*?|azi128f80usxe_$é²\0\x0b\x1c\x85',
    "//",
    "->",
    "{-#",
    "#-}",
    "f128",
    "si64",
)


@given(st.lists(st.sampled_from(_PIECES), max_size=14).map("".join))
@settings(max_examples=examples(150, 5000))
def test_the_same_tokens_and_faults(text: str) -> None:
    assert _tokens(GuardedLexer, text) == _tokens(_Slow, text)
