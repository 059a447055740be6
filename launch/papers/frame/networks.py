"""Standard networks as files, which measurements of a run share."""

from __future__ import annotations

import fcntl
from collections.abc import Iterable, Sequence
from pathlib import Path

from emu.errors import InputError, option

SEED = 0


def check_names(what: str, names: Iterable[str], known: Sequence[str]) -> None:
    """Raise InputError for one of the names, given by the option `what`, that is not among those of a figure."""
    if strange := [each for each in names if each not in known]:
        raise InputError(f"{option(what)} {strange[0]}: those of this figure are {', '.join(known)}")


def network_names() -> Sequence[str]:
    """The networks of `emu export`."""
    from launch.zoo import NAMES

    return NAMES


def network_file(name: str, form: str | None, folder: Path) -> Path:
    """The file of a network of `emu export`, quantised in this form, written once; raises InputError for none."""
    path = folder / f"{name}-{form or 'float32'}.onnx"
    with path.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not path.exists():
            from launch.zoo import build
            from launch.zoo.quantised import quantised

            model = build(name, SEED)
            model = model if form is None else quantised(model, form, SEED)
            path.write_bytes(model.SerializeToString(deterministic=True))
    return path
