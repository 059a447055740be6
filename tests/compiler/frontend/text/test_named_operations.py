"""Named operations: maps as upstream has them, meanings as loops over all points, and on crossbars alike."""

import itertools
from pathlib import Path

import numpy as np
import pytest
from in_process import compile_in_memory, run_in_process
from xdsl.ir.affine import AffineDimExpr

from compiler.dialects.linalg.named import NAMED_OPS, TableOp
from compiler.dialects.linalg.named_table import ROWS
from compiler.dialects.linalg.structure import Structure
from compiler.frontend.text.parsing import parse_text
from compiler.frontend.text.signature import signature_of
from compiler.interpreter.host.run import run_function
from emu.arch import Arch, Core, Crossbar

UPSTREAM = (Path(__file__).with_name("printed") / "named_maps.txt").read_text().splitlines()
SMALL = Arch(name="small", cores=64, core=Core(crossbars=64), crossbar=Crossbar(8, 8))
LETTERS = "abcdefghijklmnopqrstuvwxyz"


def text_of(row, strides=2, dilations=3, least=1):
    """(text, shapes, types) of one operation; f32, or i8 to i32 where the body is quantised."""
    sizes = {letter: least + place % 3 for place, letter in enumerate(LETTERS)}
    kind, wide = ("i8", "i32") if row.body == "quantised" else ("i32", "i32") if "uns" in row.body else ("f32", "f32")

    def size(index):
        if ":" not in index:
            return sizes[index]
        out, tap = index.split(":")
        return (sizes[out] - 1) * strides + (sizes[tap] - 1) * dilations + 1

    shapes = [tuple(map(size, operand)) for operand in row.operands]
    kinds = [kind] * (len(shapes) - 1) + [wide]
    types = [f"tensor<{''.join(f'{d}x' for d in shape)}{k}>" for shape, k in zip(shapes, kinds, strict=True)]
    scalars = ["%z0", "%z1"][: row.scalars]
    tensors = [f"%a{k}" for k in range(len(shapes) - 1 - row.scalars)]
    window = f"tensor<{len(row.windows)}xi64>"
    front = (
        f" {{strides = dense<{strides}> : {window}, dilations = dense<{dilations}> : {window}}}" if row.windows else ""
    )
    inner = [*types[: len(tensors)], *["i32"] * row.scalars]
    args = ", ".join(
        f"{name}: {kind}" for name, kind in zip([*tensors, "%c"], [*types[: len(tensors)], types[-1]], strict=True)
    )
    return (
        f"func.func @main({args}) -> {types[-1]} {{\n%z0 = arith.constant 3 : i32\n%z1 = arith.constant -2 : i32\n"
        f"%0 = linalg.{row.name}{front} ins({', '.join([*tensors, *scalars])} : {', '.join(inner)})"
        f" outs(%c : {types[-1]}) -> {types[-1]}\nreturn %0 : {types[-1]}\n}}\n",
        [*shapes[: len(tensors)], shapes[-1]],
        [*kinds[: len(tensors)], wide],
    )


@pytest.mark.parametrize("line", UPSTREAM, ids=lambda line: line.split()[0])
def test_maps_are_those_of_upstream(line):
    name, iterators, rest = line.split(" ", 2)
    row = next(row for row in ROWS if row.name == name)
    bare = name in ("conv_1d", "conv_2d", "conv_3d")  # which have no strides upstream
    text, _, _ = text_of(row, *((1, 1) if bare else (2, 3)))
    maps = ", ".join(f"affine_map<{part}>" for part in rest.split(" ; "))
    given = parse_text(f"module attributes {{maps = [{maps}]}} {{}}".encode(), "maps").module.attributes["maps"]
    module = parse_text(text.encode(), name).module
    structure = Structure.of(next(op for op in module.walk() if isinstance(op, TableOp)))
    loops = {}
    for ours, theirs in zip(structure.maps, given, strict=True):
        for a, b in zip(ours.results, theirs.data.results, strict=True):
            if isinstance(a, AffineDimExpr) and isinstance(b, AffineDimExpr):
                assert loops.setdefault(a.position, b.position) == b.position
    for point in ([3, 1, 4, 1, 5, 9, 2, 6, 5, 3], [2, 7, 1, 8, 2, 8, 1, 8, 2, 8]):
        own = [point[loops[dim]] for dim in range(len(loops))]
        for ours, theirs in zip(structure.maps, given, strict=True):
            assert ours.eval(own, []) == theirs.data.eval(point[: len(loops)], [])
    assert "".join("rp"[structure.parallel[dim]] for dim in sorted(loops, key=loops.get)) == iterators


def by_points(row, arrays, before):
    """What an operation makes, point by point."""
    sizes, made = {}, before.astype(np.float64 if before.dtype.kind == "f" else np.int64)
    for operand, array in zip(row.operands, [*arrays, *[np.zeros(())] * row.scalars, before], strict=True):
        sizes |= {index: size for index, size in zip(operand, array.shape, strict=True) if ":" not in index}
    for values in itertools.product(*(range(sizes[letter]) for letter in row.dims)):
        at = dict(zip(row.dims, values, strict=True))
        at |= {index: 2 * at[index[0]] + 3 * at[index[2]] for index in row.windows}
        places = [tuple(at[index] for index in operand) for operand in row.operands]
        a, *rest = (array[place] for array, place in zip(arrays, places, strict=False))
        target = places[-1]
        if row.body == "quantised":
            made[target] += (int(a) - 3) * (int(rest[0]) + 2)
        elif row.body == "multiply":
            made[target] += float(a) * float(rest[0])
        elif row.body == "sum":
            made[target] += a
        else:
            function = max if "max" in row.body else min
            made[target] = function(made[target], a, key=lambda v: int(v) % (1 << 32) if "uns" in row.body else v)
    return made.astype(before.dtype)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_meaning_and_programs(row, tmp_path):
    text, shapes, kinds = text_of(row)
    rng = np.random.default_rng(len(row.name))
    types = {"f32": np.float32, "i8": np.int8, "i32": np.int32}
    arrays = [rng.integers(-9, 10, shape).astype(types[kind]) for shape, kind in zip(shapes, kinds, strict=True)]
    wanted = by_points(row, arrays[:-1], arrays[-1])
    module = parse_text(text.encode(), row.name)
    signature = signature_of(module)
    (made,) = run_function(signature.function, module.module, arrays, module.blobs)
    np.testing.assert_array_equal(made, wanted)
    path = tmp_path / "one.mlir"
    path.write_text(text)
    (found,) = run_in_process(compile_in_memory(path, SMALL), [dict(zip(signature.inputs, arrays, strict=True))])
    np.testing.assert_array_equal(found["output"], wanted)


def test_each_name_is_one_class():
    names = [op.name for op in NAMED_OPS]
    assert len(names) == len(set(names))
