"""Options of commands, made of the fields of classes of options: a kind of values is one row of `TYPES`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import is_dataclass
from typing import Any, TypeVar

import click

from compiler.basis.options import ShapesKind, StatesKind
from emu.options import (
    UNSET,
    ExistingFile,
    Flag,
    Form,
    Kind,
    NewFile,
    NewFolder,
    Number,
    OptionSpec,
    Text,
    Texts,
    Whole,
    Word,
    WordOrNumbers,
    default_of,
    specs,
)
from launch.cli.choices import GoldenType, OfKind, TableChoice
from launch.cli.numbers import Finite, LimitType
from launch.cli.numbers import WholeNumber as WholeType
from launch.cli.values import FILE, NEW_FILE, NEW_FOLDER, NamedShape, StatePairs, joined_states
from launch.runs.kinds import GoldenSource, Limit

Command = TypeVar("Command", bound=Callable[..., Any])
Decorator = Callable[[Command], Command]


def _choice(kind: Any) -> dict[str, Any]:
    return {"type": TableChoice(*([kind.table] if kind.table else []), more=kind.more)}


def _several(type: click.ParamType) -> dict[str, Any]:
    return {"type": type, "multiple": True}


TYPES: Mapping[type[Kind], Callable[[Any], dict[str, Any]]] = {
    Flag: lambda kind: {"is_flag": True},
    Whole: lambda kind: {"type": WholeType(min=kind.least)},
    Number: lambda kind: {"type": Finite(min=kind.least, max=kind.most)},
    Word: _choice,
    WordOrNumbers: lambda kind: {"type": OfKind(kind)},
    Form: lambda kind: {"type": OfKind(kind)},
    Text: lambda kind: {},
    Texts: lambda kind: {"multiple": True},
    ExistingFile: lambda kind: {"type": FILE},
    NewFile: lambda kind: {"type": NEW_FILE},
    NewFolder: lambda kind: {"type": NEW_FOLDER},
    ShapesKind: lambda kind: _several(NamedShape()),
    StatesKind: lambda kind: _several(StatePairs()) | {"callback": joined_states},
    GoldenSource: lambda kind: {"type": GoldenType()},
    Limit: lambda kind: {"type": LimitType(kind.metavar, kind.ratio_only)},
}


def options_of(
    options: type,
    *names: str,
    without: tuple[str, ...] = (),
    own: bool = False,
    texts: Mapping[str, str] | str = "",
    defaults: bool = True,
    cls: type[click.Option] = click.Option,
    **more: Mapping[str, Any],
) -> Decorator[Any]:
    """The options of a class of options, all or those called so, as one decorator, the first one on top of --help.

    `texts` are other sentences of help, by name or for all, with {} for the field's own; without `defaults` an option
    that is not given is None.
    `own` are those that the class does not have from others. `cls` is what click makes of each, `more` are further
    settings of an option, by its name.
    """
    others = [name for base in options.__bases__ if is_dataclass(base) for name in specs(base)] if own else []
    known = {name: spec for name, spec in specs(options).items() if name not in (*without, *others)}
    chosen = {name: known[name] for name in names or known}

    def wrap(function: Command) -> Command:
        for name, spec in reversed(chosen.items()):
            text = texts if isinstance(texts, str) else texts.get(name, "")
            settings = _settings(options, name, spec, defaults) | dict(more.get(name, {}))
            settings = {"help": text.format(spec.help) if text else spec.help} | settings
            words = filter(None, (spec.short, spec.spelled(name)))
            function = click.option(*words, name, cls=cls, **settings)(function)
        return function

    return wrap


def _settings(options: type, name: str, spec: OptionSpec, defaults: bool) -> dict[str, Any]:
    settings = TYPES[type(spec.kind)](spec.kind)
    metavar = {"metavar": spec.kind.metavar} if spec.kind.metavar else {}
    if settings.get("is_flag") or settings.get("multiple") or not defaults:
        return settings | metavar
    default = default_of(options, name) if spec.typed is UNSET else spec.typed
    shown = spec.shown and default not in (None, "")
    return settings | metavar | {"default": default, **({"show_default": True} if shown else {})}
