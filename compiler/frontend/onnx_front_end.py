"""The front end of ONNX: files of any name, and models in memory."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from onnx import ModelProto

    from compiler.frontend.front_end import ImportedModel, Shape
    from compiler.frontend.importer import Rewrite
    from compiler.session.context import CompilerContext


class OnnxFrontEnd:
    """Imports `onnx`, which takes long, only when a model is read."""

    evaluators = Path(__file__).parents[1] / "evaluation"

    def __init__(self, rewrite: Rewrite | None = None) -> None:
        """`rewrite` is done with each model that was read; see `importer.import_model`."""
        self._rewrite = rewrite

    def recognises(self, source: object) -> bool:
        """Every path, for want of another front end, and every ModelProto."""
        if isinstance(source, Path):
            return True
        from onnx import ModelProto

        return isinstance(source, ModelProto)

    def read(self, source: object, context: CompilerContext, shapes: Mapping[str, Shape]) -> ImportedModel:
        """See `importer.import_model`."""
        from compiler.frontend.importer import import_model

        return import_model(cast("Path | ModelProto", source), context, shapes, self._rewrite)
