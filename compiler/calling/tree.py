"""Arguments and results as trees: tuples, lists, dictionaries and named tuples of tensors and constants."""

from __future__ import annotations

import keyword
from collections import namedtuple
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias, cast

from emu.errors import InputError, shown
from emu.image.json_fields import Field


@dataclass(frozen=True, slots=True)
class Leaf:
    """A tensor, by the name of an input or output."""

    tensor: str


@dataclass(frozen=True, slots=True)
class FixedArgument:
    """What is no tensor: it was compiled in."""

    value: bool | int | float | str | None


@dataclass(frozen=True, slots=True)
class Branch:
    """A container of `kind` "tuple", "list", "dict" or "named"; `keys` of the latter two, `name` of the last."""

    kind: str
    members: tuple[Tree, ...]
    keys: tuple[str, ...] = ()
    name: str = ""


Tree: TypeAlias = "Leaf | FixedArgument | Branch"
_PLAIN = (type(None), bool, int, float, str)


def sequence(kind: str, members: Iterator[Tree] | list[Tree]) -> Branch:
    """A tuple or a list."""
    return Branch(kind, tuple(members))


def names(tree: Tree) -> list[str]:
    """The tensors of a tree, in order."""
    if isinstance(tree, Branch):
        return [name for member in tree.members for name in names(member)]
    return [tree.tensor] if isinstance(tree, Leaf) else []


def built(tree: Tree, leaf: Callable[[str], Any]) -> Any:
    """The containers of a tree around what `leaf` gives for each tensor."""
    if isinstance(tree, Leaf):
        return leaf(tree.tensor)
    if isinstance(tree, FixedArgument):
        return tree.value
    members = [built(member, leaf) for member in tree.members]
    if tree.kind == "dict":
        return dict(zip(tree.keys, members, strict=True))
    if tree.kind == "named":
        return namedtuple(tree.name, tree.keys)(*members)  # pyright: ignore[reportUntypedNamedTuple]
    return members if tree.kind == "list" else tuple(members)


def taken_apart(tree: Tree, value: Any, where: str) -> Iterator[tuple[str, Any]]:
    """Each tensor of a tree with what stands there in `value`; raises InputError where that has another structure.

    `where` is what errors call the value.
    """
    if isinstance(tree, Leaf):
        if value is None or isinstance(value, str | dict):
            raise InputError(f"{where} is a tensor or an array, not {shown(value)}")
        yield tree.tensor, value
    elif isinstance(tree, FixedArgument):
        if isinstance(value, _PLAIN) and value == tree.value and type(value) is type(tree.value):
            return
        raise InputError(f"{where} was compiled as {tree.value!r}: it cannot be {shown(value)} now; compile again")
    elif tree.kind == "dict":
        given = cast("Mapping[Any, Any]", value) if isinstance(value, Mapping) else None
        if given is None or set(given) != set(tree.keys):
            raise InputError(f"{where} is a dictionary of {', '.join(map(repr, tree.keys)) or 'nothing'}")
        for key, member in zip(tree.keys, tree.members, strict=True):
            yield from taken_apart(member, given[key], f"{where}[{key!r}]")
    else:
        given_members = list(cast("list[Any]", value)) if isinstance(value, tuple | list) else None
        if given_members is None or len(given_members) != len(tree.members):
            raise InputError(f"{where} is a {'list' if tree.kind == 'list' else 'tuple'} of {len(tree.members)}")
        for place, (member, part) in enumerate(zip(tree.members, given_members, strict=True)):
            yield from taken_apart(member, part, f"{where}[{place}]")


def to_json(tree: Tree) -> dict[str, Any]:
    """Plain values, for `from_json`."""
    if isinstance(tree, Leaf):
        return {"tensor": tree.tensor}
    if isinstance(tree, FixedArgument):
        return {"fixed": tree.value}
    members = {"kind": tree.kind, "members": [to_json(member) for member in tree.members]}
    keys = {"keys": list(tree.keys)} if tree.kind in ("dict", "named") else {}
    return members | keys | ({"name": tree.name} if tree.kind == "named" else {})


def from_json(field: Field, known: frozenset[str], depth: int = 0) -> Tree:
    """The tree of plain values that somebody may have edited, of tensors that are `known`; raises ProgramError."""
    members = field.mapping()
    if depth > _DEEPEST:
        field.refuse("is nested too deeply")
    if set(members) == {"tensor"}:
        name = members["tensor"].text()
        if name not in known:
            members["tensor"].refuse(f"there is no tensor {shown(name)}")
        return Leaf(name)
    if set(members) == {"fixed"}:
        if not isinstance(members["fixed"].value, _PLAIN):
            members["fixed"].refuse("is no constant")
        return FixedArgument(members["fixed"].value)
    kind = field.object(("kind", "members"), ("keys", "name"))["kind"].text()
    parts = tuple(from_json(member, known, depth + 1) for member in members["members"].items())
    keys = tuple(key.text() for key in members["keys"].items()) if "keys" in members else ()
    name = members["name"].text() if "name" in members else ""
    if kind not in ("tuple", "list", "dict", "named"):
        members["kind"].refuse(f"{shown(kind)} is no kind of container")
    if kind in ("dict", "named") and (len(set(keys)) != len(parts) or len(keys) != len(parts)):
        field.refuse("has other keys than members")
    if kind == "named" and not all(map(is_name, (name, *keys))):
        field.refuse("has a name that is no name of Python")
    return Branch(kind, parts, keys, name)


_DEEPEST = 50


def is_name(text: str) -> bool:
    """Whether a named tuple, or a field of one, may be called so."""
    return text.isidentifier() and not keyword.iskeyword(text) and not text.startswith("_")
