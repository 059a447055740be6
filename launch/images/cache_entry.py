"""One entry of a cache of images: a folder with the image and the report of its compilation."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from emu.errors import EmuError
from emu.files import read_text
from emu.image.digest import digest, digests
from emu.image.manifest_json import MANIFEST_FILE
from emu.image.reader import read_manifest
from emu.output.whole_folder import WholeFolder
from launch.images.cache_directory import IMAGE, REPORT_FILE
from launch.images.compiled import Compiled, restored

MAX_REPORT = 64 << 20  # bytes of the JSON file


class DamagedEntry(Exception):
    """An entry whose files have changed; the text says how."""


def write_entry(folder: WholeFolder, key: str, compiled: Compiled) -> None:
    """Complete the entry `key`, whose image stands in the hidden `folder` already; raises InputError."""
    values = {
        "key": key,
        "manifest": digest(folder.hidden / IMAGE / MANIFEST_FILE).sha256,
        "compiled": compiled.stored(),
    }
    with folder.file(REPORT_FILE) as file:
        file.write(json.dumps({**values, "sha256": _seal(values)}, indent=1).encode())


def read_entry(path: Path, key: str, model: Path) -> Compiled:
    """The report of the entry at `path`, after a check of every file; raises DamagedEntry."""
    image = path / IMAGE
    try:
        values = json.loads(read_text(path / REPORT_FILE, MAX_REPORT))
        if values.pop("sha256") != _seal(values) or values["key"] != key:
            raise DamagedEntry(f"{REPORT_FILE} has changed")
        if digest(image / MANIFEST_FILE).sha256 != values["manifest"]:
            raise DamagedEntry(f"{IMAGE}/{MANIFEST_FILE} has changed")
        listed = read_manifest(image).files
        for name, found in digests(image, list(listed)).items():
            if found != listed[name]:
                raise DamagedEntry(f"{IMAGE}/{name} has changed")
        return restored(values["compiled"], model, image)
    except (EmuError, OSError) as error:
        raise DamagedEntry(" ".join(str(error).split())) from error
    except (ValueError, RecursionError, TypeError, AttributeError, LookupError) as error:  # JSON of another form
        raise DamagedEntry(f"{REPORT_FILE} is none of an entry") from error


def _seal(values: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(values, sort_keys=True).encode()).hexdigest()
