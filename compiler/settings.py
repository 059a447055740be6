"""The options of a compilation as manifests and texts list them, enough to compile in the same way again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from hashlib import sha256

from compiler.basis.chips import ARCH, digest_of
from compiler.basis.options import CompileOptions
from compiler.request import CompileRequest
from compiler.session.context import CompilerContext
from compiler.text import is_as_written
from emu import __version__
from emu.errors import InputError, option
from emu.image.manifest import StateSpec
from emu.options import found, listed

OF_MODELS = ("shapes", "states", "max_length")  # options of reading one


def settings_of(request: CompileRequest, states: Sequence[StateSpec] = ()) -> dict[str, str]:
    """The options as manifests and texts list them, enough to compile in the same way again; `states` are resolved."""
    options = replace(request.options, states={state.input: state.output for state in states})
    return {
        "compiler": __version__,
        ARCH: digest_of(request.arch),
        **({"passes": request.pipeline} if request.pipeline is not None else {}),
        **listed(options),
    }


def settings_of_text(request: CompileRequest, context: CompilerContext) -> dict[str, str]:
    """The settings of a request that goes on from text, with the text's digest if that was edited or made otherwise."""
    assert context.source is not None
    before, text = context.settings, context.source.text
    own = request.options
    try:
        of_text = found(CompileOptions, before)
    except InputError as error:
        raise InputError(f"{request.start}: {error}") from None
    for name in ("states", "max_length"):
        if getattr(own, name):
            raise InputError(f"{option(name)} is for reading a model, and {request.start} is a text: leave it out")
    shapes = of_text.get("shapes", {})
    if any(shapes.get(name) != sizes for name, sizes in own.shapes.items()):
        raise InputError(f"{option('shapes', own.shapes)}: {request.start} was not made for these shapes")
    kept = {name: of_text[name] for name in OF_MODELS if name in of_text}
    states = [StateSpec(*pair) for pair in kept.pop("states", {}).items()]
    settings = settings_of(replace(request, options=replace(own, **kept)), states)
    if before == settings and is_as_written(text):
        return settings
    return settings | {"from": f"text of a stage, sha256 {sha256(text.encode()).hexdigest()}"}
