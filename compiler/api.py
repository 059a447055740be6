"""Compiles a network to an `out/` directory: what Python programs call."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

from compiler.basis.options import OF_ONE_CHIP, CompileOptions
from compiler.compiling import CompileResult, Finish, compile_model
from compiler.request import CompileRequest, make_request
from emu.arch import Arch
from emu.errors import CompileError, option
from emu.options import takes


@takes(CompileOptions)
def compile(
    model: str | Path | object,
    arch: str | Arch = "default",
    *,
    out: str | Path = "out",
    finish: Finish | None = None,
    **options: Any,
) -> CompileResult:
    """Compile an ONNX network for `arch` into directory `out`; `options` are the fields of `CompileOptions`.

    `model` is a file or an `onnx.ModelProto`, `arch` a preset, a TOML file or an `Arch`. `finish` may add files to
    `out` before it is put in place. Raises CompileError, ArchError or InputError, each with one sentence.
    """
    return compile_request(make_request(model, arch, **options), Path(out), finish)


def compile_request(request: CompileRequest, out: Path | None, finish: Finish | None = None) -> CompileResult:
    """`compile_model`, with host nodes if `request` allows them and writes programs of a model."""
    if out is None or request.start is not None:
        return compile_model(request, out, finish)
    if not request.options.host_fallback:
        several_chips = not any(getattr(request.options, name) for name in OF_ONE_CHIP)
        with _pointing_to_the_host() if several_chips else nullcontext():
            return compile_model(request, out, finish)
    from compiler.host_fallback import compile_with_host

    return compile_with_host(request, out, finish)


@contextmanager
def _pointing_to_the_host() -> Generator[None]:
    """The refusal of a single node tells what would leave it to the host."""
    try:
        yield
    except CompileError as error:
        if error.node:
            error.args = (f"{error}; if the model is right, {option('host_fallback', True)} leaves it to the host",)
        raise
