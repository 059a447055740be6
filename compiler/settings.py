"""The options of a compilation as manifests and texts list them, enough to compile in the same way again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import sha256

from compiler.request import CompileRequest
from compiler.session.context import CompilerContext
from compiler.text import is_as_written
from emu import __version__
from emu.errors import InputError, option

ARCH = "architecture"  # its digest among the settings of a text; the manifest of an image has all of it
MAX_LENGTH = "max_length"  # the option as manifests list it


def settings_of(request: CompileRequest) -> dict[str, str]:
    """The options of a request for a model, as its manifest lists them; those of states are not among them."""
    return _settings(request, request.shapes)


def _settings(request: CompileRequest, shapes: Mapping[str, Sequence[int]]) -> dict[str, str]:
    """The options as manifests and texts list them, enough to compile in the same way again."""
    return {
        "compiler": __version__,
        "cores": str(request.options.cores),
        "packing": request.options.packing,
        "placement": request.options.placement,
        "granularity": request.options.granularity,
        ARCH: sha256(repr(request.arch).encode()).hexdigest(),
        **{f"shape {name}": ",".join(map(str, sizes)) for name, sizes in sorted(shapes.items())},
        **({"passes": request.pipeline} if request.pipeline is not None else {}),
        **({"segments": "yes"} if request.options.segments else {}),
        **request.settings,
    }


def settings_of_states(request: CompileRequest, context: CompilerContext) -> dict[str, str]:
    """What options of states and caches are listed as; only where there are some."""
    length = request.options.max_length
    return {
        **{f"state {state.input}": state.output for state in context.states},
        **({MAX_LENGTH: str(length)} if length is not None else {}),
    }


def settings_of_text(request: CompileRequest, context: CompilerContext) -> dict[str, str]:
    """The settings of a request that goes on from text, with the text's digest if that was edited or made otherwise."""
    assert context.source is not None
    before, text = context.settings, context.source.text
    for name, given in (("states", request.states), (MAX_LENGTH, request.options.max_length)):
        if given:
            raise InputError(f"{option(name)} is for reading a model, and {request.start} is a text: leave it out")
    of_model = ("shape ", "state ", MAX_LENGTH)
    settings = _settings(request, {}) | {name: text for name, text in before.items() if name.startswith(of_model)}
    for name, sizes in _settings(request, request.shapes).items():
        if settings.get(name) != sizes:
            raise InputError(f"{option('shapes', request.shapes)}: {request.start} was not made for these shapes")
    if before == settings and is_as_written(text):
        return settings
    return settings | {"from": f"text of a stage, sha256 {sha256(text.encode()).hexdigest()}"}
