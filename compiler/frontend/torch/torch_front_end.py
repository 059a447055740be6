"""The front end of torch: files called `.pt2`, and programs of `torch.export` in memory."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from compiler.frontend.front_end import ImportedModel, Shape
    from compiler.frontend.importer import Rewrite
    from compiler.session.context import CompilerContext

SUFFIX = ".pt2"


class TorchFrontEnd:
    """Exports to ONNX, in memory, and reads that; imports torch only then."""

    evaluators = Path(__file__).with_name("evaluation.py")

    def __init__(self, rewrite: Rewrite | None = None) -> None:
        """`rewrite` is done with each model that was read; see `importer.import_model`."""
        self._rewrite = rewrite

    def recognises(self, source: object) -> bool:
        """A path by its suffix, a program by its class, neither by importing torch."""
        if isinstance(source, Path):
            return source.suffix.lower() == SUFFIX
        kind = type(source)
        return kind.__name__ == "ExportedProgram" and kind.__module__.startswith("torch.")

    def tensors(self, path: Path) -> frozenset[str]:
        """What the nodes of the exported graph make."""
        from compiler.frontend.torch.reading import onnx_of

        return frozenset(name for node in onnx_of(path).graph.node for name in node.output)

    def read(self, source: Any, context: CompilerContext, shapes: Mapping[str, Shape]) -> ImportedModel:
        """See `importer.import_model`."""
        from hashlib import sha256

        from compiler.frontend.importer import import_model
        from compiler.frontend.torch.reading import onnx_of
        from emu.errors import CompileError
        from emu.files import map_file, shown

        imported = import_model(onnx_of(source), context, shapes, self._rewrite)
        if not isinstance(source, Path):
            return imported
        return replace(imported, sha256=sha256(map_file(source, CompileError)).hexdigest(), where=shown(source))
