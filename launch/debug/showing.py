"""Commands about tensors and expressions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from emu.debug.accesses import GLOBAL
from emu.errors import InputError
from launch.debug.debugger import Debugger
from launch.debug.expression import evaluate
from launch.debug.looking import crossbar_of, memory_of
from launch.debug.values import array_lines, value_lines
from launch.debug.words import Words

LOOKUPS = ("tensor", "now", "golden", "mem", "reg", "crossbar", "counters")


def show(debugger: Debugger, words: Words) -> Iterator[str]:
    """`show TENSOR [now]`."""
    name = debugger.tensors.resolve(words.take("the tensor"))
    now = words.accept("now")
    words.end()
    value = debugger.tensors.now(name) if now else debugger.tensors.value(name)
    yield f"{name}, {'as it stands there now' if now else debugger.tensors.state(name)}"
    yield from array_lines(value)


def print_(debugger: Debugger, text: str) -> Iterator[str]:
    """`print EXPRESSION`."""
    if not text.strip():
        raise InputError('an expression is missing: it is written `print EXPRESSION`, as in print tensor("y") * 2')
    return value_lines(evaluate(text, lookups(debugger)))


def lookups(debugger: Debugger, focus: int | None = None) -> Mapping[str, Callable[..., Any]]:
    """The functions of expressions that look at the chip; `focus`: the core in focus, if not that of the session."""
    looked_at = debugger.session.focus if focus is None else focus
    found: dict[str, Callable[..., Any]] = {
        "tensor": lambda name: debugger.tensors.value(_text(name, "tensor")),
        "now": lambda name: debugger.tensors.now(_text(name, "now")),
        "golden": lambda name: _golden(debugger, _text(name, "golden")),
        "mem": lambda space, address, count, kind="u8": _memory(debugger, space, address, count, kind),
        "reg": lambda core, number: _register(debugger, core, number),
        "crossbar": lambda core, group: crossbar_of(debugger, _whole(core), _whole(group)),
        "counters": lambda core=looked_at: _counters(debugger, core),
    }
    assert tuple(found) == LOOKUPS
    return found


def _golden(debugger: Debugger, name: str) -> np.ndarray:
    try:
        name = debugger.tensors.resolve(name)
    except InputError:  # the evaluator may know tensors that no memory of the chip holds
        origins = debugger.image.manifest.tensors
        name = next((origin.tensor for origin in origins if name == origin.node), name)
    return debugger.golden.of(name, debugger.chip.sample)


def _memory(debugger: Debugger, space: Any, address: Any, count: Any, kind: Any) -> np.ndarray:
    place = GLOBAL if space == "global" else _core(debugger, space)
    values, known = memory_of(debugger, place, _whole(address), _whole(count), _text(kind, "mem"))
    if not known.all():
        first = int(np.argmin(known))
        raise InputError(f"element {first} of mem(...) is undefined: nobody has written it")
    return np.array(values)


def _register(debugger: Debugger, core: Any, number: Any) -> int:
    values = debugger.chip.cores[_core(debugger, core)].registers
    if not 0 <= _whole(number) < len(values):
        raise InputError(f"there is no register {number}: there are {len(values)}, counted from 0")
    return values[number]


def _counters(debugger: Debugger, core: Any) -> tuple[int, ...]:
    return debugger.chip.cores[_core(debugger, core)].position()[2]


def _core(debugger: Debugger, core: Any) -> int:
    if _whole(core) not in debugger.chip.cores:
        raise InputError(f"core {core} has no program")
    return core


def _whole(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise InputError(f"{value!r} is no whole number from 0 on")
    return value


def _text(value: Any, function: str) -> str:
    if not isinstance(value, str):
        raise InputError(f"{function}(...) takes a name in quotes, not {value!r}")
    return value
