"""IR text in, passes over it, IR text out: xDSL's own driver with our dialects, passes, weights and errors."""

from __future__ import annotations

import io
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from xdsl.dialects.builtin import ModuleOp
from xdsl.xdsl_opt_main import xDSLOptMain

from compiler.codegen.generate import generate
from compiler.dialects.weight_keys import weight_keys
from compiler.mapping.tiling.given import core_numbers
from compiler.module_metadata import carry, digests_of
from compiler.passes import parse_pipeline, run_pipeline
from compiler.session.context import CompilerContext
from compiler.session.refusal import refusals
from compiler.session.source_text import MAX_TEXT
from compiler.text import attach_weights, parse_module, print_module
from compiler.weight_file import WEIGHTS_FILE, named_arrays, write_weights
from emu.errors import CompileError, InputError
from emu.files import read_bytes
from emu.program.program import Program

STDIN = Path("/dev/stdin")  # as errors name it; nothing stands beside it


class OptDriver(xDSLOptMain):
    """Runs the passes of `pipeline` over a text; each method raises CompileError or InputError, with one sentence.

    `tell`, if there is one, is given the name of each pass, the module after it, and the seconds that it took.
    """

    def __init__(
        self,
        context: CompilerContext,
        pipeline: str,
        text: Path | IO[bytes],
        weights: Path | None = None,
        tell: Callable[[str, ModuleOp, float], None] | None = None,
        program_text: Callable[[Program], str] | None = None,
        generic: bool = False,
    ) -> None:
        """`text` is a file or an open stream, `weights` the file of its weights (None: the one beside it, if any).

        With `program_text`, which makes text of a program, the programs are printed instead of the IR; with `generic`
        the IR is printed in MLIR's generic form.
        """
        self._compiler_context, self._pipeline, self._tell = context, pipeline, tell
        self._text, self._weights = text, weights
        self._module, self._keys = ModuleOp([]), set[str]()
        self._path = text if isinstance(text, Path) else STDIN
        self.output = io.StringIO()
        self._program_text = program_text
        self._generic = generic
        super().__init__(args=("-t", "mlir" if program_text is None else "programs"))

    def register_all_dialects(self) -> None:
        """Register our dialects, which the context has already."""
        self.ctx = self._compiler_context

    def register_all_passes(self) -> None:
        """Register none by name: `setup_pipeline` knows ours, and those of the user by import path."""

    def register_all_frontends(self) -> None:
        """Register our guarded reader of MLIR text."""
        self.available_frontends["mlir"] = self._read

    def register_all_targets(self) -> None:
        """Register `mlir`, text with all that the next command needs but weights, and `programs`."""
        self.available_targets |= {"mlir": self._print, "programs": self._print_programs}

    def setup_pipeline(self) -> None:
        """Read the entries, each of which must be a pass."""
        self._entries = parse_pipeline(self._pipeline)

    def get_input_stream(self) -> tuple[IO[bytes], str]:
        """The text as a stream; raises InputError if it is larger than that of a stage may be."""
        if isinstance(self._text, Path):
            return io.BytesIO(read_bytes(self._text, MAX_TEXT)), "mlir"
        content = self._text.read(MAX_TEXT + 1)
        if len(content) > MAX_TEXT:
            raise InputError(f"{STDIN} has more than the {MAX_TEXT} bytes that the text of a stage may have")
        return io.BytesIO(content), "mlir"

    def prepare_output(self) -> IO[str]:
        """Kept in memory: nothing is written unless all of it is right."""
        self.output.close = lambda: None
        return self.output

    def apply_passes(self, prog: ModuleOp) -> None:
        """Run the passes, and verify the module before and after each; every error is one sentence."""
        context = self._compiler_context

        @contextmanager
        def around(name: str) -> Generator[None]:
            began = time.perf_counter()
            yield
            prog.verify()
            if self._tell is not None:
                self._tell(name, prog, time.perf_counter() - began)

        with refusals(str(self._path), context):
            prog.verify()
            run_pipeline(self._entries, context, prog, around)

    def made(self) -> list[str]:
        """The keys of those weights of the result that the passes have made."""
        return sorted(set(digests_of(self._module)) - self._keys)

    def save_weights(self, path: Path) -> None:
        """Write the weights that the result names to a file; raises InputError."""
        write_weights(path, named_arrays(self._module, self._compiler_context.weights))

    def _read(self, stream: IO[bytes]) -> ModuleOp:
        try:
            text = stream.read().decode()
        except UnicodeDecodeError:
            raise InputError(f"{self._path} is not UTF-8 text") from None
        module = self._module = parse_module(text, self._path, self._compiler_context)
        self._keys = set(digests_of(module)) | {key for _, _, key in weight_keys(module)}
        if self._weights is not None or self._path.with_name(WEIGHTS_FILE).exists():
            attach_weights(module, self._compiler_context, self._weights)
        return module

    def _print(self, module: ModuleOp, stream: IO[str]) -> None:
        carry(module, self._compiler_context)
        stream.write(print_module(module, self._generic))

    def _print_programs(self, module: ModuleOp, stream: IO[str]) -> None:
        assert self._program_text is not None
        with refusals(str(self._path), self._compiler_context):
            if not core_numbers(module, self._compiler_context):
                raise CompileError("there is no pim.core, so no program: end the pipeline with allocate-buffers")
            carry(module, self._compiler_context)
            for core in generate(module, self._compiler_context.weights):
                stream.write(self._program_text(core.program))
