"""What IR carries beside its operations, as attributes of its module: all that later stages and the manifest need.

Each attribute is a list of rows, each row a list of texts: names of a network may hold any letter.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

from xdsl.dialects.builtin import ArrayAttr, ModuleOp, StringAttr
from xdsl.ir import Attribute

from compiler.basis.origin import ElementOrigin
from compiler.dialects import attributes as attr
from compiler.dialects.weight_keys import weight_keys
from compiler.session.context import CompilerContext, NetworkIdentity
from compiler.session.provenance import Provenance
from emu.errors import CompileError
from emu.image.manifest import StateSpec

GRANULARITY = "granularity in use"  # where the option says `auto`, what was chosen
Rows = list[tuple[str, ...]]


def carry(module: ModuleOp, context: CompilerContext) -> None:
    """Set the attributes of `module` to what `context` knows, with the digests of the weights that the module names."""
    network, provenance = context.network, context.provenance
    known: dict[str, Iterable[Sequence[str]]] = {
        "network": [(network.name, network.sha256)] if network != NetworkIdentity() else [],
        "nodes": [(name, *outputs) for name, outputs in network.nodes],
        "fused": provenance.fusions.items(),
        "views": provenance.views.items(),
        "lost": provenance.losses.items(),
        "warnings": [(warning,) for warning in context.warnings],
        "states": [(state.input, state.output) for state in context.states],
        "options": [*context.settings.items(), (GRANULARITY, granularity_of(context))] if context.settings else [],
        "origins": [
            (key, *origin.texts())
            for key in sorted(_named(module))
            if (origin := context.weights.origin(key)) is not None and origin.moves
        ],
        "weights": [
            (key, context.weights.digest(key)) for key in sorted(_named(module)) if context.weights.is_known(key)
        ],
    }
    for name, rows in known.items():
        module.attributes.pop(f"emu.{name}", None)
        if encoded := [attr.strings(row) for row in rows]:
            module.attributes[f"emu.{name}"] = ArrayAttr(encoded)


def granularity_of(context: CompilerContext) -> str:
    """What was chosen, or is asked for as long as nothing is."""
    return context.granularity or context.options.granularity


def restore(module: ModuleOp, context: CompilerContext) -> None:
    """Make `context` know what the attributes of `module` say; raises CompileError if they are malformed.

    Of the weights it knows the digests only, until their file is read.
    """
    ((name, sha256),) = _rows(module, "network", 2)[:1] or [("", "")]
    nodes = tuple((node, tuple(outputs)) for node, *outputs in _rows(module, "nodes"))
    context.network = NetworkIdentity(name, sha256, nodes)
    context.provenance = Provenance(*(dict(_pairs(module, name)) for name in ("fused", "views", "lost")))
    context.warnings[:] = [warning for (warning,) in _rows(module, "warnings", 1)]
    context.states = tuple(StateSpec(*pair) for pair in _pairs(module, "states"))
    context.settings = dict(_pairs(module, "options"))
    context.weights.promise(digests_of(module))
    context.weights.remember(dict(_origin(row) for row in _rows(module, "origins")))
    chosen = context.settings.pop(GRANULARITY, "")
    if chosen and context.settings.get("granularity") == context.options.granularity:
        context.granularity = chosen


def _origin(row: Sequence[str]) -> tuple[str, ElementOrigin]:
    """A row of key, tensor, shape, first element, and what each axis adds; CompileError for anything else."""
    key, *texts = row
    try:
        return key, ElementOrigin.from_texts(*texts)
    except (TypeError, ValueError):
        raise CompileError(
            f"emu.origins of the module does not say where the weights {key[:60]!r} are from: compare with the text"
            " before the edit"
        ) from None


def digests_of(module: ModuleOp) -> dict[str, str]:
    """The digest of each array of weights, by key, that `carry` noted; raises CompileError if they are malformed."""
    return dict(_pairs(module, "weights"))


def _named(module: ModuleOp) -> set[str]:
    return {key for _, _, key in weight_keys(module)}


def _pairs(
    module: ModuleOp, name: Literal["fused", "views", "lost", "options", "states", "weights"]
) -> list[tuple[str, str]]:
    return [(first, second) for first, second in _rows(module, name, 2)]


def _rows(module: ModuleOp, name: str, width: int = 0) -> Rows:
    """The rows of an attribute, each of `width` texts (0: of one or more)."""
    attribute = module.attributes.get(f"emu.{name}")
    rows = [_texts(row) for row in _items(attribute)]
    wrong = [row for row in rows if not row or any(text is None for text in row) or (width and len(row) != width)]
    if wrong or not (attribute is None or isinstance(attribute, ArrayAttr)):
        raise CompileError(
            f"emu.{name} of the module must be a list of lists of {width or 'one or more'} texts: "
            "compare with the text before the edit"
        )
    return [tuple(text for text in row if text is not None) for row in rows]


def _texts(row: Attribute) -> list[str | None]:
    return [item.data if isinstance(item, StringAttr) else None for item in _items(row)]


def _items(attribute: Attribute | None) -> Iterable[Attribute]:
    return attribute.data if isinstance(attribute, ArrayAttr) else ()
