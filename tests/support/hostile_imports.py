"""What `emu import` reads, and what it keeps, as targets for damage: programs in all forms, chip, crossbars, memory."""

from __future__ import annotations

import gzip
import json
import shutil
from pathlib import Path

import pim_data_programs
from hostile_targets import Target
from mutations import BINARY, JSON, TEXT
from pim_binary import binary
from pimsim_files import EXAMPLES

from emu.image.reader import open_image
from emu.interop.pim_isa.importing.import_program import ImportRequest, import_program
from emu.interop.pim_isa.importing.raw_program import kept_chip, read_raw

WIDE = {"op": "setbw", "ibiw": 8, "obiw": 8}


def import_targets(directory: Path) -> list[Target]:
    """Targets in a new directory."""
    program = _program()
    weights, memory = pim_data_programs.contents(2, 0)
    path = pim_data_programs.write(directory, program, weights, memory)
    matrices = [weights[0, group].tolist() for group in range(2)]
    apart, cores = directory / "apart", directory / "cores"
    for folder in (apart, cores):
        folder.mkdir()
    (apart / "core_0_weights.json").write_text(json.dumps(matrices))
    (apart / "core_1_weights.json").write_text(json.dumps({f"group{k}": rows for k, rows in enumerate(matrices)}))
    packed = directory / "packed.json.gz"
    packed.write_bytes(gzip.compress(path.read_bytes(), mtime=0))
    (cores / "config.json").write_text(json.dumps(program["config"]))
    (cores / "core_0.pim").write_bytes(binary(program["core0"]))
    (cores / "core_1.json").write_text(json.dumps(program["core1"]))
    for name in ("latency_config.json", "network.json"):
        shutil.copy(EXAMPLES / name, directory)
    kept, out = directory / "kept", directory / "out"
    example, chip = EXAMPLES / "two_cores.json", directory / "latency_config.json"
    import_program(ImportRequest(path=example, arch=chip), kept)

    def target(file: Path, how: tuple, **request: object) -> Target:
        def load() -> None:
            import_program(ImportRequest(**request), out)
            shutil.rmtree(out)

        return Target(file, file.read_bytes(), how, load)

    return [
        target(path, JSON, path=path),
        target(path, TEXT, path=path),
        target(packed, BINARY, path=packed),
        target(cores / "config.json", JSON, path=cores),
        target(cores / "core_0.pim", BINARY, path=cores),
        target(cores / "core_1.json", JSON, path=cores),
        target(chip, JSON, path=example, arch=chip),
        target(directory / "network.json", JSON, path=example, arch=chip),
        target(directory / "core_0_1.npy", BINARY, path=path, weights=directory),
        target(directory / "memory.bin", BINARY, path=path, weights=directory),
        *(target(file, JSON, path=path, weights=apart) for file in sorted(apart.glob("*.json"))),
        *(
            Target(kept / name, (kept / name).read_bytes(), how, lambda: _kept(kept))
            for name, how in (("pimsim.npz", BINARY), ("pimsim_config.json", JSON), ("pimsim_network.json", JSON))
        ),
    ]


def _kept(image: Path) -> None:
    """What `emu time` reads of an image whose digests nobody compares."""
    open_image(image, verify=False)
    read_raw(image)
    kept_chip(image)


def _program() -> dict:
    """Two cores with an instruction of every kind."""
    place = {"offset": {"offset_select": 7, "offset_value": 1}}
    vectors = [
        {"op": op, "rd": 1, "rs1": 2, "rs2": 3, "len": 5, **place}
        for op in ("vvadd", "vvmul", "vvdmul", "vvmax", "vvsra", "vavg", "vrsu", "vrelu", "vtanh")
    ]
    first = [
        WIDE,
        *({"op": "sldi", "rd": k, "imm": 40 * k} for k in range(1, 8)),
        {"op": "saddi", "rd": 4, "rs1": 4, "imm": 3},
        {"op": "sldi", "rd": 3, "imm": 2},
        {"op": "mvmul", "rd": 1, "rs1": 2, "mbiw": 8, "group": 0},
        {"op": "mvmul", "rd": 1, "rs1": 2, "mbiw": 8, "group": 1, "relu": 1},
        {"op": "vmv", "rd": 1, "rs1": 2, "rs2": 3, "len": 4},
        *vectors,
        {"op": "sync", "core": 1, "event_register": 2},
        {"op": "send", "rd": 1, "core": 1, "size": 8},
        *pim_data_programs.stores(0),
    ]
    second = [
        WIDE,
        {"op": "sldi", "rd": 1, "imm": 64},
        {"op": "wait", "event_register": 2, "wait_value": 1},
        {"op": "recv", "rd": 1, "core": 0, "size": 8},
        {"op": "sld", "rd": 5, "rs1": 8, "offset_value": 0},
        {"op": "lldi", "rd": 5, "imm": 7, "len": 3},
        *pim_data_programs.stores(1),
    ]
    shape = {"xbar_size": list(pim_data_programs.SHAPE), "cell_precision": pim_data_programs.CELL_BITS}
    groups = {f"core{core}": pim_data_programs.SIZES for core in range(2)}
    return {"config": {"core_cnt": 2, "array_group_map": groups, **shape}, "core0": first, "core1": second}
