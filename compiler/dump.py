"""The IR after each pass as files, only where the pass changed something, and the weights that they name."""

from __future__ import annotations

from pathlib import Path
from types import TracebackType

from xdsl.dialects.builtin import ModuleOp

from compiler.basis.weights import Array
from compiler.session.context import CompilerContext
from compiler.text import self_contained
from compiler.weight_file import WEIGHTS_FILE, named_arrays, write_weights
from emu.output.folder import make_folder
from emu.output.whole_file import write_whole


class Dump:
    """Writes `NN-pass.mlir` into `folder` (None: nothing), and at the end of its context the weights of all of them.

    `unchanged` are the passes that got no file.
    """

    def __init__(self, folder: Path | None) -> None:
        self.unchanged: list[str] = []
        self._folder, self._last = folder, ""
        self._weights: dict[str, Array] = {}  # by digest

    def __enter__(self) -> Dump:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._folder is not None and self._last and (value is None or isinstance(value, Exception)):
            write_weights(self._folder / WEIGHTS_FILE, self._weights)

    def write(self, number: int, name: str, module: ModuleOp, context: CompilerContext) -> None:
        """Write the module after pass `name`, the `number`-th, if it has changed; raises InputError.

        If it has not, a file of that name from an earlier dump is removed.
        """
        if self._folder is None:
            return
        path, text = self._folder / f"{number:02d}-{name}.mlir", self_contained(module, context)
        self._weights |= named_arrays(module, context.weights)
        make_folder(self._folder)
        if text == self._last:
            self.unchanged.append(name)
            path.unlink(missing_ok=True)
        else:
            write_whole(path, text.encode())
        self._last = text
