"""What a kernel does with its results in the end, as an attribute: `<relu, clip(0.0, 6.0)>`."""

from __future__ import annotations

import math

from xdsl.dialects.builtin import StringAttr
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.utils.exceptions import VerifyException

from compiler.dialects.activations import ACTIVATIONS
from compiler.dialects.typed import ListAttribute
from compiler.dialects.verifying import verify_name

Activation = tuple[str, tuple[float, ...]]  # a name with its parameters
Epilogue = tuple[Activation, ...]  # in order


@irdl_attr_definition
class EpilogueAttr(ListAttribute[Activation]):
    """Activations, applied in place and in order."""

    name = "kernel.epilogue"

    @staticmethod
    def item_text(item: Activation) -> str:
        """A name, and its parameters in parentheses if there are any."""
        name, args = item
        return f"{name}({', '.join(map(_real_text, args))})" if args else name

    @classmethod
    def read_item(cls, parser: AttrParser) -> Activation:
        """An activation; raises ParseError."""
        name = parser.parse_identifier(" as the name of an activation")
        args = parser.parse_optional_comma_separated_list(parser.Delimiter.PAREN, lambda: _read_real(parser))
        return name, tuple(args or ())

    def verify_activations(self) -> None:
        """Raise VerifyException for an activation that does not exist, or takes other numbers."""
        for name, args in self.data:
            verify_name("activation", StringAttr(name), ACTIVATIONS)
            if len(args) != (count := len(ACTIVATIONS[name].parameters)):
                raise VerifyException(f"activation {name} takes {count} numbers, not {len(args)}")


def epilogue_of(attribute: EpilogueAttr | None) -> Epilogue:
    """The activations; none for None."""
    return () if attribute is None else attribute.data


def _real_text(value: float) -> str:
    """A double, exactly, with a point; `inf` and `nan` are words."""
    text = repr(value)
    return text if "." in text or not math.isfinite(value) else text.replace("e", ".0e")


def _read_real(parser: AttrParser) -> float:
    negative = parser.parse_optional_punctuation("-") is not None
    word = parser.parse_optional_keyword_in(("inf", "nan"))
    value = float(word) if word else float(parser.parse_number())
    return -value if negative else value
