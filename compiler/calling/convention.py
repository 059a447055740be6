"""How a compiled model is called: which argument is which input, and in what its outputs are returned."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import numpy as np

from compiler.calling.tree import Leaf, Tree, built, from_json, names, sequence, taken_apart, to_json
from emu.errors import InputError, ProgramError
from emu.files import read_text
from emu.image.json_fields import parse_json
from emu.image.manifest import Manifest
from emu.wording import counted

CALLING_FILE = "calling.json"
_FORMAT = "reram-emu calling convention 1"
_LONGEST = 1 << 24  # characters of the file


@dataclass(frozen=True, slots=True)
class Calling:
    """`positional` and `keywords` are the arguments, by name, each with its tree; `result` is what is returned.

    Positional arguments may also be given by name.
    """

    positional: tuple[tuple[str, Tree], ...]
    keywords: tuple[tuple[str, Tree], ...]
    result: Tree

    @property
    def inputs(self) -> list[str]:
        """The names of the inputs, in order."""
        return [name for _, tree in (*self.positional, *self.keywords) for name in names(tree)]

    def bound(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> dict[str, Any]:
        """What is given for each input, by its name; raises InputError for other arguments."""
        if len(args) > len(self.positional):
            raise InputError(f"{counted(len(args), 'argument')} given, and the model takes {self.takes()}")
        given = {name: value for (name, _), value in zip(self.positional, args, strict=False)}
        if twice := [name for name in kwargs if name in given]:
            raise InputError(f"argument {twice[0]!r} is given twice: the model takes {self.takes()}")
        given |= kwargs
        trees = dict((*self.positional, *self.keywords))
        if unknown := [name for name in given if name not in trees]:
            raise InputError(f"there is no argument {unknown[0]!r}: the model takes {self.takes()}")
        if missing := [name for name in trees if name not in given]:
            raise InputError(f"argument {missing[0]!r} is missing: the model takes {self.takes()}")
        return {
            tensor: value
            for name, tree in trees.items()
            for tensor, value in taken_apart(tree, given[name], f"argument {name!r}")
        }

    def takes(self) -> str:
        """The arguments, for sentences."""
        by_name = [name for name, _ in self.keywords]
        words = [name for name, _ in self.positional] + [f"{name}=" for name in by_name]
        return ", ".join(words) or "no arguments"

    def returned(self, outputs: Mapping[str, np.ndarray], as_torch: bool) -> Any:
        """What a call returns, of outputs by name."""
        return built(self.result, lambda name: to_torch(outputs[name]) if as_torch else outputs[name])

    def text(self) -> str:
        """As JSON, for `read`."""
        sides = {"positional": self.positional, "keywords": self.keywords}
        arguments = {
            side: [{"name": name, "tree": to_json(tree)} for name, tree in trees] for side, trees in sides.items()
        }
        return json.dumps({"format": _FORMAT, **arguments, "result": to_json(self.result)}, indent=1) + "\n"


def read_calling(path: Path, inputs: Sequence[str], outputs: Sequence[str]) -> Calling:
    """The convention in a file, of a model with these inputs and outputs; raises ProgramError."""
    fields = parse_json(read_text(path, _LONGEST, ProgramError), str(path)).object(
        ("format", "positional", "keywords", "result")
    )
    if fields["format"].value != _FORMAT:
        fields["format"].refuse(f"is not {_FORMAT!r}: save the model again with this version")
    known = frozenset(inputs)
    sides = list[tuple[tuple[str, Tree], ...]]()
    for side in ("positional", "keywords"):
        entries = [entry.object(("name", "tree")) for entry in fields[side].items()]
        sides.append(tuple((entry["name"].text(), from_json(entry["tree"], known)) for entry in entries))
    result = from_json(fields["result"], frozenset(outputs))
    calling = Calling(sides[0], sides[1], result)
    arguments = [name for name, _ in (*sides[0], *sides[1])]
    if len(set(arguments)) != len(arguments) or sorted(calling.inputs) != sorted(known):
        raise ProgramError(f"{path}: has other arguments than the model has inputs: save the model again")
    return calling


def calling_of(manifest: Manifest) -> Calling:
    """That of an image which nobody has written one for: inputs in order, one output by itself, several as a tuple."""
    results: list[Tree] = [Leaf(spec.name) for spec in manifest.outputs]
    return Calling(
        tuple((spec.name, Leaf(spec.name)) for spec in manifest.inputs),
        (),
        results[0] if len(results) == 1 else sequence("tuple", results),
    )


def is_tensor(value: object) -> bool:
    """Whether it is a tensor of torch, which whoever has one has imported."""
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(value, torch.Tensor)


def to_array(value: Any, name: str) -> np.ndarray:
    """A tensor or array-like as an array; raises InputError for what is none."""
    try:
        return cast(np.ndarray, value.detach().cpu().numpy()) if is_tensor(value) else np.asarray(value)
    except (TypeError, ValueError, RuntimeError) as error:  # types that NumPy lacks, tensors without data
        raise InputError(f"input {name!r} cannot be made an array: {str(error).partition(chr(10))[0]}") from None


def to_torch(array: np.ndarray) -> Any:
    """A tensor of its own memory."""
    return sys.modules["torch"].from_numpy(np.array(array, order="C"))
