"""Compiles a network to an `out/` directory: what Python programs call."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from compiler.basis.options import CompileOptions
from compiler.compiling import CompileResult, Finish, compile_model
from compiler.request import CompileRequest, make_request
from emu.arch import Arch
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
    may_have_hosts = out is not None and request.start is None
    if out is None or request.start is not None or not request.options.host_fallback:
        with _pointing_to_the_host() if may_have_hosts and not is_of_one_chip(request) else nullcontext():
            return compile_model(request, out, finish)
    from compiler.host_fallback import compile_with_host

    return compile_with_host(request, out, finish)


@contextmanager
def _pointing_to_the_host() -> Generator[None]:
    """Refusals of single nodes tell what would leave these to the host."""
    try:
        yield
    except CompileError as error:
        if error.node:
            error.args = (f"{error}; if the model is right, {option('host_fallback', True)} leaves this to the host",)
        raise
