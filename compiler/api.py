"""Compiles a network to an `out/` directory: what Python programs call."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from compiler.compiling import CompileResult, Finish, compile_model
from compiler.frontend.states import States, checked_states
from compiler.request import CompileRequest, checked_shapes, compile_options
from emu.arch import Arch
from emu.arch_file import load_arch


def compile(
    model: str | Path | object,
    arch: str | Arch = "default",
    *,
    cores: int | None = None,
    out: str | Path = "out",
    packing: str = "dense",
    placement: str = "frugal",
    granularity: str = "image",
    shapes: Mapping[str, tuple[int, ...]] | None = None,
    states: States | None = None,
    max_length: int | None = None,
    host_fallback: bool = False,
    lowering: str = "channel",
    duplicate: str | None = None,
    pipelined: bool = False,
    stagger: bool = False,
    remap_rows: bool = False,
    arrange: str | None = None,
    segments: bool = False,
    finish: Finish | None = None,
) -> CompileResult:
    """Compile an ONNX network for up to `cores` cores of `arch` into directory `out`.

    `cores` None means all cores of a chip with a table [timing], and at most 64 of one without. `model` is a file or an
    `onnx.ModelProto`; `arch` a preset, a TOML file or an `Arch`; `packing` "dense" or "kernel"; `placement` "frugal",
    "scatter" or "pack"; `granularity` "image" (whole tensors), "rows:N" (N rows at a time) or "auto"; `shapes` fixes
    dynamic inputs, such as {"data": (1, 3, 224, 224)}. `states` are inputs that a chip may keep between steps, such as
    {"past": "present"}, or
    "auto" by usual names; `max_length` makes key-value caches that grow hold so many tokens;
    with `host_fallback` the host does what is refused of a network. `lowering` "pixel" makes a product of every
    output pixel, the older scheme, to compare with. `duplicate` gives layers copies of their weights on the cores
    that are left, for the least "latency", the most "throughput", "greedy" one by one, or as many for each as in
    "8,2,1"; `pipelined` lets layers overlap within one image. `stagger` multiplies each row tile as soon as its slice
    of the input is there, so that fewer crossbars work at a time; `remap_rows` spreads rows that are driven one after
    another over free crossbars. `arrange` "traffic" numbers the cores so that those that send much to each other stand
    close on the mesh, "3,0,1" as it says. With `segments` a network that is larger than the cores runs in parts, whose
    weights are written to the crossbars one after the other. `finish` may add files to `out` before it is put in place.
    Raises CompileError, ArchError or InputError, each with one sentence.
    """
    description = arch if isinstance(arch, Arch) else load_arch(arch)
    source = Path(model) if isinstance(model, str) else model
    options = compile_options(cores, packing, placement, description, granularity, max_length, segments)
    request = CompileRequest(
        model=source,
        arch=description,
        options=options,
        shapes=checked_shapes(shapes),
        states=checked_states(states),
        host_fallback=host_fallback,
        lowering=lowering,
        duplicate=duplicate,
        pipelined=pipelined,
        stagger=stagger,
        remap_rows=remap_rows,
        arrange=arrange,
    )
    return compile_request(request, Path(out), finish)


def compile_request(request: CompileRequest, out: Path | None, finish: Finish | None = None) -> CompileResult:
    """`compile_model`, with host nodes if `request` allows them and writes programs of a model."""
    if not request.host_fallback or out is None or request.start is not None:
        return compile_model(request, out, finish)
    from compiler.host_fallback import compile_with_host

    return compile_with_host(request, out, finish)
