"""The IR after each pass as files: only where the pass changed something."""

from __future__ import annotations

from pathlib import Path

from xdsl.dialects.builtin import ModuleOp

from compiler.text import print_module
from emu.output.whole_file import write_whole
from emu.output.whole_folder import make_folder


class Dump:
    """Writes `NN-pass.mlir` into `folder` (None: nothing); `unchanged` are the passes that got no file."""

    def __init__(self, folder: Path | None) -> None:
        self.unchanged: list[str] = []
        self._folder, self._last = folder, ""

    def write(self, number: int, name: str, module: ModuleOp) -> None:
        """The module after pass `name`, the `number`-th; a file of an earlier dump that says otherwise goes."""
        if self._folder is None:
            return
        path, text = self._folder / f"{number:02d}-{name}.mlir", print_module(module)
        make_folder(self._folder)
        if text == self._last:
            self.unchanged.append(name)
            path.unlink(missing_ok=True)
        else:
            write_whole(path, text.encode())
        self._last = text
