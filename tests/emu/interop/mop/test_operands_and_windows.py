"""Operands of meta-operators and the windows that their params describe: what they mean, and what is refused."""

import pytest

from emu.interop.mop.operands import parse_operand, print_operand
from emu.interop.mop.window import window_of


@pytest.mark.parametrize(
    ("kind", "text", "said"),
    [
        ("source", "9" * 100_000, "an operand of 100000 characters is longer than any can be"),
        ("destination", "xb", "expected a crossbar, such as xb0"),
        ("row", "core1", "expected a crossbar, such as xb0"),
        ("row", "xb0+x", "expected an offset, got 'x'"),
        ("crossbar", "xb1+4", "expected a whole crossbar, such as xb1"),
        ("core", "xb0", "expected a core, such as core0"),
        ("matrix", "conv1[0:4,]", "expected a named array"),
        ("matrix", "conv1[4:4]", "has a range without elements"),
        ("number", "much", "expected a number, got 'much'"),
        ("number", "9" * 39, "expected a number of at most"),
        ("length", "0", "expected a length from 1 to"),
        ("params", "in=8x8", "expected params"),
        ("params", "[in=8xb]", "expected sizes, such as 17x32x3"),
        ("params", "[channels=4]", "expected a range, such as 0:16"),
        ("params", "[fill=0.5]", "expected an integer"),
        ("params", "[in=8x8x3 in=8x8x3]", "params give in= twice"),
    ],
)
def test_what_is_no_operand_is_refused(kind: str, text: str, said: str) -> None:
    with pytest.raises(ValueError, match=said.replace("[", r"\[").replace("+", r"\+")):
        parse_operand(kind, text)


WHOLE = "in=8x8x3 out=8x8x4"


@pytest.mark.parametrize(
    ("params", "said"),
    [
        ("out=8x8x4", "params lack in=, the sizes of what is read"),
        ("in=8x8x3", "params lack out=, the sizes of what is made"),
        (f"in={'1x' * 31}1 out=1", "in= has 32 axes: at most"),
        (f"{WHOLE} kernel=3", "kernel= must hold 2 sizes"),
        (f"{WHOLE} stride=0x1", "stride= must hold 2 sizes"),
        ("in=8x8x3 out=8x4", "out= must have as many axes as in=, 3"),
        ("in=8x0x3 out=8x8x4", "in= and out= must hold sizes from 1 on"),
        (f"{WHOLE} channels=0:4", "channels=0:4 is no part of the 3 channels there"),
        (f"{WHOLE} filters=2:2", "filters=2:2 is no part of the 4 channels there"),
    ],
)
def test_params_that_describe_no_window_are_refused(params: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        window_of(parse_operand("params", f"[{params}]"))


@pytest.mark.parametrize(
    "given",
    ["", " stride=2x2 dilation=1x2 pad=1x1 channels=1:3 filters=0:2 fill=-3 count_pads=1", " kernel=3x3 stride=1x2"],
)
def test_windows_are_written_without_what_is_usual(given: str) -> None:
    text = f"[{WHOLE}{given}]"
    assert print_operand(window_of(parse_operand("params", text)).params()) == text
