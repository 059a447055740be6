"""Assembly texts as tests want them: of one program, and of a whole set of programs."""

from emu.asm.core_parser import CoreParser
from emu.asm.core_printer import core_lines
from emu.asm.cursor import Cursor
from emu.asm.lexer import TokenKind
from emu.asm.set_printer import header_lines


def no_files(name):
    raise AssertionError(f"{name} is asked for by a text without files")


def parse_program(text, file_name):
    """The program of a text with one `core` block; raises ProgramError with file, line and column."""
    cursor = Cursor(text, file_name)
    cursor.skip_lines()
    cursor.expect("core")
    core = CoreParser(cursor, no_files).parse()
    cursor.skip_lines()
    if cursor.token.kind is not TokenKind.END:
        cursor.expected("the end of the file")
    return core.program


def print_program_set(programs):
    """The text of a program set; parsing it gives the set back, and printing that gives the text back."""
    lines = list(header_lines(programs))
    for core in programs.cores:
        lines += ["", *core_lines(core.program, core.weights)]
    return "".join(f"{line}\n" for line in lines)
