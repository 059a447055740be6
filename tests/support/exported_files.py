"""The files of an exported program, read as any other tool could, and run by the second opinion."""

import gzip
import json
from pathlib import Path

import numpy as np
from second_opinion import TYPES, run


def run_program(folder, memory=None):
    """Global memory (uint8) after the export in `folder` has run, and its config; `memory`: what it begins with.

    Local memory holds 0xFF bytes at first (not a number, as floats), so that reading what nothing has written shows.
    """
    folder = Path(folder)
    program, weights = _read(folder), {}
    config = program["config"]
    said = config["reram_emu"]
    for name, sizes in config["array_group_map"].items():
        core = int(name.removeprefix("core"))
        packed = folder / f"core_{core}_weights.json"
        if packed.exists():
            kinds = said["weights"].get(name, [])
            cells = zip(json.loads(packed.read_text()), kinds, strict=True)
            weights |= {(core, k): np.array(rows, TYPES[kind]) for k, (rows, kind) in enumerate(cells)}
        else:
            weights |= {(core, k): np.load(folder / f"core_{core}_{k}.npy") for k in range(len(sizes))}
    changes = {int(name.removeprefix("core")): np.load(folder / file) for name, file in said["changes"].items()}
    memory = np.fromfile(folder / "memory.bin", np.uint8) if memory is None else memory
    return run(program, weights, memory, changes=changes, unwritten=0xFF), config


def tensor(memory, spec):
    """A tensor that `config` describes, in the order of memory (channels last), if it is one piece."""
    (tile,) = spec["tiles"]
    sizes, kind = [high - low for low, high in tile["box"]], TYPES[spec["dtype"]]
    return memory[tile["address"] :][: int(np.prod(sizes)) * kind.itemsize].view(kind).reshape(sizes)


def _read(folder):
    if (folder / "config.json").exists():
        config = json.loads((folder / "config.json").read_text())
        files = {f"core{core}": folder / f"core_{core}.json" for core in range(config["core_cnt"])}
        cores = {name: json.loads(file.read_text()) for name, file in files.items() if file.exists()}
        return {"config": config, **cores}
    packed = folder / "program.json.gz"
    return json.loads(
        gzip.decompress(packed.read_bytes()) if packed.exists() else (folder / "program.json").read_text()
    )
