"""The front end of MLIR text: files called `.mlir`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from compiler.frontend.front_end import ImportedModel, Shape
    from compiler.session.context import CompilerContext

SUFFIXES = (".mlir", ".mlirbc")


class TextFrontEnd:
    """Reads `func`, `linalg` on tensors, `arith`, `math` and `tensor`."""

    evaluators = Path(__file__).with_name("evaluation.py")
    golden_names = ("reference", "numpy")  # of the interpreter, the only evaluator of a text

    def recognises(self, source: object) -> bool:
        """A path by its suffix."""
        return isinstance(source, Path) and source.suffix.lower() in SUFFIXES

    def tensors(self, path: Path) -> frozenset[str]:
        """What the operations of the network make."""
        from compiler.frontend.text.parsing import parse_text
        from compiler.frontend.text.signature import signature_of
        from emu.errors import CompileError
        from emu.files import map_file, shown

        text = parse_text(map_file(path, CompileError), shown(path))
        return frozenset(signature_of(text).tensors(text).values())

    def read(self, source: object, context: CompilerContext, shapes: Mapping[str, Shape]) -> ImportedModel:
        """See `importer.import_text`."""
        from compiler.frontend.text.importer import import_text

        return import_text(cast(Path, source), context, shapes)
