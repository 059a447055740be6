"""Mistakes in assembly text name file, line, column and what was expected; nothing else is ever raised."""

import pytest
from asm_texts import parse_program
from draws import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies_programs import programs

from emu.asm.set_parser import parse_program_set
from emu.asm.set_printer import print_program
from emu.errors import InputError, ProgramError

HEAD = "arch tiny\n"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("vvad.f32 l[0], l[0], l[0], 4", r"f.asm:3:1: unknown instruction 'vvad'; did you mean 'vvand'"),
        ("vvadd l[0], l[0], l[0], 4", r"f.asm:3:1: expected vvadd.<type> and at most .sat or .trap .*, got vvadd"),
        ("vvadd.f64 l[0], l[0], l[0], 4", r"3:1: expected vvadd.<type>"),
        ("vvdiv.i8.sat l[0], l[0], l[0], 4", r"3:1: expected vvdiv.<type> \(types are"),
        ("vvadd.i8.sat.sat l[0], l[0], l[0], 4", r"3:1: expected vvadd.<type>"),
        ("nop nop", r"3:5: expected the end of the line, got nop"),
        ("lldi l[0], 0", r"3:13: expected ',', got end of line"),
        ("lldi l[0] 0, 4", r"3:11: expected ',', got 0"),
        ("lldi g[0], 0, 4", r"3:6: expected 'l', got g"),
        ("lldi l[0], -1, 4", r"3:12: expected the byte to fill with from 0 to \d+, got -1"),
        ("lldi l[0], 1.5, 4", r"3:12: expected the byte to fill with, got 1.5"),
        ("lldi l[0] stride 2, 0, 4", r"3:11: expected ',', got stride"),
        ("lldi l[x], 0, 4", r"3:8: expected a number, a register or a loop counter \(here are none\), got x"),
        ("loop y 3 { lldi l[x], 0, 4 }", r"3:19: expected a number, a register or a loop counter \(y\), got x"),
        ("loop y 3 { loop y 3 { } }", r"3:17: 'y' cannot name a loop counter"),
        ("loop mod 3 { }", r"3:6: 'mod' cannot name a loop counter"),
        ("loop r3 3 { }", r"3:6: 'r3' cannot name a loop counter"),
        ("loop y -3 { }", r"3:8: expected the number of iterations from 0 to 2147483647, got -3"),
        ("loop y { }", r"3:8: expected the number of iterations, got {"),
        (
            "loop y 3 { lldi l[(y + 2 mod 3)], 0, 4 }",
            r"3:26: expected '\)' \(a shifted counter with modulus is written",
        ),
        ("loop y 3 { lldi l[y mod 3], 0, 4 }", r"3:21: expected '\+', '-' or '\]', got mod"),
        ("loop y 3 { lldi l[(y mod 0)], 0, 4 }", r"3:26: expected a modulus from 1 to \d+, got 0"),
        ("lldi l[r1 + r2], 0, 4", r"3:13: an address adds at most one register"),
        ("lldi l[0 - r1], 0, 4", r"3:12: an address adds at most one register, and subtracts none"),
        ("lldi l[0x7fffffffffffffff], 0, 4", r"3:6: address 9223372036854775807 is beyond any memory"),
        ("sadd r1, r2, 3", r"3:14: expected a register r0 to r127, got 3"),
        ("sadd r1, r2, r200", r"3:14: expected a register r0 to r127, got r200"),
        ("sldi r1, x", r"3:10: expected an immediate, got x"),
        ("mvmul.i8.i32 l[0], l[0], 0", r"3:26: expected 'group', got 0"),
        ("mvmul.i8.i32 l[0], l[0], group 0 acc acc", r"3:38: flag acc occurs twice"),
        ("send 3, l[0], 4", r"3:6: expected 'core', got 3"),
        ("@ conv", r"3:3: expected a node in quotes, got conv"),
        ("@ 3", r"3:3: source 3 is not declared: the core has 0"),
        ("lldi l[0], 0, 4 $", r"3:17: '\$' is not part of the language"),
        ('@ "open', r"3:3: text without a closing quote is not part of the language"),
        (r'@ "\x"', r"3:3: .* is not a valid string"),
        (r'@ "\ud800"', r"3:3: .* is not a valid string"),
        ("lldi l[" + "9" * 5000 + "], 0, 4", r"3:8: expected a number, got 999"),
        ("loop 2 {" * 65 + "}" * 65, r"3:\d+: more than 64 nested loops"),
    ],
)
def test_instructions(line, message):
    with pytest.raises(ProgramError, match=message):
        parse_program(f"core 1 {{\nmain {{\n{line}\n}}\n}}", "f.asm")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", r"f.asm:1:1: expected an arch statement"),
        ("arch huge", r"f.asm:1:6: expected a preset \(.*default, .*, tiny\), a file name in quotes or '{', got huge"),
        ("arch pimsim-slow", r"f.asm:1:6: expected a preset .*, got pimsim-slow"),
        ("arch pimsim-", r"f.asm:1:13: expected a preset .*, got end of file"),
        ('arch "x.toml"', r"file 'x.toml' cannot be read: the text has no directory"),
        ('arch "../x.toml"', r"1:6: \"../x.toml\" is not the name of a file in the same directory"),
        ("arch {\n chip.cores = 0\n}", r"f.asm, line 2: chip.cores must be from 1 to 65536, not 0"),
        ("arch {\n chip.cores = 2\nchip.cores = 3\n}", r"f.asm:3:15: chip.cores occurs twice"),
        ("arch {\n crossbar.row = 2\n}", r"f.asm, line 2: unknown key crossbar.row; did you mean 'rows'"),
        ("arch {\n cores = 2\n}", r"f.asm, line 2: key cores stands in no table: write it below \[chip\]"),
        ("arch {\n chip.cores 2\n}", r"2:13: expected '=', got 2"),
        (HEAD + "arch tiny", r"2:1: arch occurs twice"),
        (HEAD + "cores 3 { }", r"2:1: expected a statement \(arch, .*core\), got cores"),
        (HEAD + "}", r"2:1: expected a statement, got }"),
        (HEAD + "core 1 {", r"2:9: expected '}', got end of file"),
        (HEAD + "core -1 { }", r"2:6: expected a core number from 0 to \d+, got -1"),
        (HEAD + "core 1 { }\ncore 1 { }", r"3:6: core 1 occurs twice"),
        (
            HEAD + "core 1 { start { } }",
            r"2:10: expected group, data, state, source, buffer, init, main or '}', got start",
        ),
        (HEAD + "core 1 { main { }\nmain { } }", r"3:6: main occurs twice"),
        (
            HEAD + 'core 1 { group 1 i8.i8.i32 rows 1 cols 1 weights "a" }',
            r"2:16: expected the next group number 0, got 1",
        ),
        (HEAD + "core 1 { group 0 i8.i32 rows 1 cols 1 }", r"2:18: expected input.weight.output types such as"),
        (HEAD + "core 1 { group 0 i8.i8.i32 rows cols 1 }", r"2:33: expected the rows of a row tile, got cols"),
        (
            HEAD + "core 1 { group 0 i8.i8.i32 rows 1 cols 1 weights x }",
            r"2:50: expected a file name in quotes or a matrix",
        ),
        (
            HEAD + "core 1 { group 0 i8.i8.i32 rows 2 cols 1 weights [[1]] }",
            r"2:50: expected a matrix of 2 rows and 1 column, got 1 row of",
        ),
        (HEAD + "core 1 { group 0 i8.i8.i32 rows 1 cols 1 weights [[300]] }", r"2:52: 300 is not of type i8"),
        (HEAD + "core 1 { group 0 f16.f16.f16 rows 1 cols 1 weights [[1e9]] }", r"2:54: .* is too large for f16"),
        (HEAD + 'core 1 { data 0 hex "abc" }', r"2:21: expected pairs of hexadecimal digits"),
        (HEAD + 'core 1 { data 0 bin "abc" }', r"2:17: expected 'hex', 'file' or an element type, got bin"),
        (HEAD + 'input "x" f32[1,3] extent 3 1 1 { channels 0:2 at 0 }', r"2:7: tensor 'x': its tiles .* must cover"),
        (HEAD + 'input "x" f32[1,3] { channels 0-2 at 0 }', r"2:32: expected ':', got -"),
        (HEAD + 'input "x" f64[1,3] at 0', r"2:11: expected an element type \(f32, .*\), got f64"),
        (HEAD + 'input "x" f32[3] at 0\ninput "x" f32[3] at 0', r"3:7: input 'x' occurs twice"),
        (HEAD + 'input "x" f32[2,3] at 0', r"2:7: tensor 'x': layout"),
        (HEAD + 'readonly "w" f64[3] at 0 from "w"', r"2:14: expected an element type \(f32, .*\), got f64"),
        (HEAD + 'readonly "w" f32 at 0 from "w"', r"2:18: expected '\[', got at"),
        (HEAD + 'readonly "w" f32[3 4] at 0 from "w"', r"2:20: expected ',', got 4"),
        (HEAD + 'readonly "w" f32[-3] at 0 from "w"', r"2:18: expected a dimension from 0 to \d+, got -3"),
        (HEAD + 'readonly "w" f32[' + "9, " * 64 + '9] at 0 from "w"', r"2:17: 65 dimensions, more than 64"),
        (HEAD + 'readonly "w" f32[3] from "w"', r"2:21: expected 'at', got from"),
        (HEAD + 'readonly "w" f32[3] at -4 from "w"', r"2:24: expected a global address from 0 to \d+, got -4"),
        (HEAD + 'readonly "w" f32[3] at 0 "w"', r"2:26: expected 'from', got \"w\""),
        (HEAD + 'readonly "w" f32[3] at 0 from w', r"2:31: expected a file name in quotes, got w"),
        (HEAD + 'readonly "w" f32[3] at 0 from "../w"', r'2:31: "../w" is not the name of a file in the same'),
        (HEAD + 'readonly "w" f32[3] at 0 from "w"\n' * 2, r"3:10: readonly 'w' occurs twice"),
        (HEAD + 'input "x" f32[3]', r"2:17: expected 'at' or '{', got end of file"),
    ],
)
def test_program_sets(text, message):
    with pytest.raises(InputError, match=message):
        parse_program_set(text, "f.asm")


@given(programs(), st.data())
@settings(max_examples=examples(30, 100))
def test_mutated_text_gives_nothing_but_program_errors(program, data):
    text = print_program(program)
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(text) - 1))
        letter = data.draw(st.sampled_from('{}[](),:=@*+-"9xr \n;.\u00e9'))
        text = text[:at] + letter + text[at + data.draw(st.integers(0, 2)) :]
    try:
        parse_program(text, "f.asm")
    except ProgramError as error:
        assert str(error).startswith("f.asm:")


@given(st.text(max_size=60))
def test_any_text_gives_nothing_but_input_errors(text):
    with pytest.raises(InputError, match=r"f\.asm"):
        parse_program_set(text, "f.asm")
