"""The digest of all that a compiled image depends on: the name of its entry in a cache."""

from __future__ import annotations

import contextlib
import hashlib
import importlib
import json
import platform
import re
import sys
from functools import cache
from importlib import metadata, util
from pathlib import Path
from typing import Any

import emu
from compiler.basis.options import CompileOptions
from emu import __version__
from emu.arch import Arch
from emu.arch.read import load_arch
from emu.errors import CompileError, InputError
from emu.image.digest import digest
from emu.image.version import VERSION
from emu.options import checked

PACKAGES = ("numpy", "onnx", "onnxruntime", "xdsl", "protobuf")
HOUSES = ("emu", "compiler", "launch")
_SKIPPED = "__pycache__"
_OWN_PASS = re.compile(r"([\w.]+):\w")


def cache_key(
    model: Path,
    *,
    arch: str | Arch = "default",
    golden: str = "onnxruntime",
    seed: int = 0,
    samples: int = 1,
    no_check: bool = False,
    pipeline: str | None = None,
    **options: Any,
) -> str:
    """The SHA-256 of the model, its options as in `compile_image`, and the versions of all that takes part.

    `options` are fields of `CompileOptions`. Raises EmuErrors for a model or an architecture that cannot be read.
    """
    description = load_arch(arch) if isinstance(arch, str) else arch
    chosen = checked(CompileOptions(**options)).items()
    parts = {
        "model": model_digests(model),
        "name": model.stem,  # of a network that has none of its own
        "arch": description.to_dict(),
        "options": {name: value for name, value in chosen if value not in ((), {})},  # none of several, either way
        "golden": golden,
        "seed": seed,
        "samples": samples,
        "no_check": no_check,
        "pipeline": pipeline,
        "own passes": own_passes(pipeline or ""),
        **product_digests(),
    }
    return hashlib.sha256(json.dumps(parts, sort_keys=True, default=str).encode()).hexdigest()


def product_digests() -> dict[str, Any]:
    """What tells this version of the product, and of what it is made with, from all others, as plain values."""
    return {
        "emu": __version__,
        "sources": source_digest(),
        "image format": VERSION,
        "machine": platform.machine(),
        "packages": {name: _version(name) for name in PACKAGES},
    }


def model_digests(model: Path) -> list[str]:
    """The SHA-256 of a model's file and of the files of its external data; raises InputError, CompileError."""
    from compiler.frontend.external_files import external_files

    return [digest_of_file(path) for path in (model, *external_files(model))]


def digest_of_file(path: Path) -> str:
    """The SHA-256 of a file; raises CompileError if it cannot be read."""
    try:
        return digest(path).sha256
    except InputError as error:  # it is no part of an image: as the compiler says it
        raise CompileError(str(error)) from None


@cache
def source_digest() -> str:
    """The SHA-256 of all files of the three packages, so that no edit of a checkout finds what was compiled before."""
    total = hashlib.sha256()
    home = Path(emu.__file__).resolve().parents[1]
    for house in HOUSES:
        for path in sorted((home / house).rglob("*")):
            if _SKIPPED not in path.parts and path.is_file():
                content = path.read_bytes()
                total.update(f"{path.relative_to(home)}\0{len(content)}\0".encode())
                total.update(content)
    return total.hexdigest()


def own_passes(pipeline: str) -> dict[str, str]:
    """The SHA-256 of the file of every module that a pipeline names passes of, as `module:Class`, where it is found.

    What such a module imports is not looked at.
    """
    found: dict[str, str] = {}
    sys.path.append("")  # where the compiler looks for them, too
    try:
        importlib.invalidate_caches()
        for name in sorted(set(_OWN_PASS.findall(pipeline))):
            with contextlib.suppress(Exception):  # whatever a package of the user's does; the compiler tells
                spec = util.find_spec(name)
                if spec is not None and spec.origin:
                    found[name] = hashlib.sha256(Path(spec.origin).read_bytes()).hexdigest()
    finally:
        sys.path.remove("")
    return found


def _version(name: str) -> str:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return "missing"
