"""Transform scripts from files: that of a user, and that of the product."""

from __future__ import annotations

from pathlib import Path

from compiler.dialects.origins import in_file, note_lines
from compiler.frontend.text.parsing import parse_text
from compiler.offload.context import OffloadContext
from compiler.offload.script import Script, script_of
from compiler.session.source_text import MAX_TEXT
from emu.errors import CompileError
from emu.files import read_bytes

_OWN = Path(__file__).with_name("neuroboard.mlir")


def read_script(path: Path, context: OffloadContext, insists: bool = True) -> Script:
    """The script in a file, of which every operation is understood; raises CompileError with file and line."""
    text = parse_text(read_bytes(path, MAX_TEXT), str(path), context)
    note_lines(text.module, text.lines)
    with in_file(str(path)):
        found = script_of(text.module)
        if found is None:
            raise CompileError("holds no transform script: write transform.named_sequence @__transform_main")
        found.check()
    return Script(found.sequence, insists, str(path))


def own_script(context: OffloadContext) -> Script:
    """The script of the product, for any program."""
    return read_script(_OWN, context, insists=False)
