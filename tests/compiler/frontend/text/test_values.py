"""What programs of cores make of single operations: functions of numbers, moves, calls, loops, dynamic shapes."""

import re

import numpy as np
import pytest
from in_process import compile_in_memory, run_in_process

from compiler.dialects.onnx import ConstantOp
from compiler.frontend.text.importer import import_text
from compiler.frontend.text.parsing import parse_text
from compiler.frontend.text.signature import signature_of
from compiler.interpreter.host.run import run_function
from compiler.session.context import make_context
from emu.arch import Arch, Core, Crossbar

SMALL = Arch(name="small", cores=64, core=Core(crossbars=64), crossbar=Crossbar(8, 8))
KINDS = {"i1": bool, "i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64, "f32": np.float32}


def both(text, inputs, path, shapes=None):
    """What cores make and what the interpreter makes."""
    path.write_text(text)
    module = parse_text(text.encode(), "text")
    signature = signature_of(module)
    wanted = run_function(signature.function, module.module, inputs, module.blobs)
    compiled = compile_in_memory(path, SMALL, shapes=shapes or {})
    (found,) = run_in_process(compiled, [dict(zip(signature.inputs, inputs, strict=True))])
    return [found[name] for name in signature.outputs], wanted


def check(text, inputs, path, shapes=None):
    for found, wanted in zip(*both(text, inputs, path, shapes), strict=True):
        assert (found.dtype, found.shape) == (wanted.dtype, wanted.shape)
        if wanted.dtype.kind == "f":
            np.testing.assert_allclose(found, wanted, rtol=2e-5, atol=1e-6)
        else:
            np.testing.assert_array_equal(found, wanted)


VALUES = {
    "f32": np.array([-3.5, -2.5, -1, -0.5, -0.25, 0, 0.25, 0.5, 0.75, 1.5, 2, 2.5], np.float32),
    "i8": np.array([-128, -127, -100, -7, -2, -1, 0, 1, 2, 5, 100, 127], np.int8),
    "i16": np.array([-32768, -300, -7, -2, -1, 0, 1, 2, 5, 100, 300, 32767], np.int16),
    "i32": np.array([-(2**31), -70000, -300, -7, -1, 0, 1, 3, 5, 300, 70000, 2**31 - 1], np.int32),
    "i64": np.array([-(2**40), -70000, -300, -7, -1, 0, 1, 3, 5, 300, 70000, 2**40], np.int64),
    "i1": np.array([True, False] * 6),
}
INTEGERS = ("i8", "i16", "i32", "i64")
WIDER = (("i1", "i8"), ("i8", "i16"), ("i8", "i64"), ("i16", "i32"), ("i32", "i64"))
UNARY = [
    *((f"math.{name}", "f32", "f32") for name in (
        "absf", "ceil", "floor", "round", "roundeven", "trunc", "exp", "exp2", "expm1", "tanh", "erf", "sin", "cos",
        "atan", "sinh", "cosh", "cbrt",
    )),
    ("arith.negf", "f32", "f32"),
    *((f"math.{name}", "f32", "i1") for name in ("isnan", "isinf", "isfinite")),
    *(("math.absi", kind, kind) for kind in INTEGERS),
    *(("arith.trunci", a, b) for place, a in enumerate(INTEGERS) for b in ("i1", *INTEGERS[:place])),
    *((f"arith.{op}", a, b) for op in ("extsi", "extui") for a, b in WIDER),
    *((f"arith.{op}", a, "f32") for op in ("sitofp", "uitofp") for a in ("i1", "i8", "i16", "i32")),
    *(("arith.fptosi", "f32", b) for b in INTEGERS),
]  # fmt: skip
BINARY = [
    *((f"arith.{name}", "f32") for name in ("addf", "subf", "mulf", "divf", "maximumf", "minimumf", "maxnumf", "remf")),
    ("math.copysign", "f32"),
    *((f"arith.{name}", kind) for kind in ("i8", "i32") for name in (
        "addi", "subi", "muli", "maxsi", "minsi", "maxui", "minui", "andi", "ori", "xori", "divsi", "remsi", "divui",
        "remui", "floordivsi", "ceildivsi", "shli", "shrsi", "shrui",
    )),
    *((f"arith.{name}", "i1") for name in ("addi", "subi", "muli", "maxsi", "minui", "andi", "ori", "xori")),
    *((f"arith.cmpi {how},", kind) for kind in ("i8", "i1") for how in (
        "eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge",
    )),
    *((f"arith.cmpf {how},", "f32") for how in (
        "oeq", "ogt", "oge", "olt", "ole", "one", "ord", "ueq", "ugt", "uge", "ult", "ule", "une", "uno",
    )),
]  # fmt: skip


def by_kind(rows):
    """The rows of a table by the type of their operands."""
    found = {}
    for row in rows:
        found.setdefault(row[1], []).append(row)
    return [pytest.param(kind, same, id=kind) for kind, same in found.items()]


def program(steps):
    """A function that makes a result of each step: what makes `%r`, of what type, and its arguments by name."""
    args = ", ".join(f"%{name}_{n}: {kind}" for n, (_, _, given) in enumerate(steps) for name, kind in given.items())
    types = ", ".join(made for _, made, _ in steps)
    lines = [re.sub(r"%(\w+)", rf"%\1_{n}", text) for n, (text, _, _) in enumerate(steps)]
    results = ", ".join(f"%r_{n}" for n in range(len(steps)))
    return "\n".join([f"func.func @main({args}) -> ({types}) {{", *lines, f"return {results} : {types}", "}"])


def elementwise(op, kind, made, count):
    """The step that applies one operation to elements of `count` tensors."""
    maps = ", ".join(["affine_map<(d0) -> (d0)>"] * (count + 1))
    whole = f"tensor<12x{kind}>"
    block = ", ".join([*(f"%e{k}: {kind}" for k in range(count)), f"%o: {made}"])
    text = (
        f"%t = tensor.empty() : tensor<12x{made}>\n"
        f'%r = linalg.generic {{indexing_maps = [{maps}], iterator_types = ["parallel"]}}'
        f" ins({', '.join(f'%x{k}' for k in range(count))} : {', '.join([whole] * count)})"
        f" outs(%t : tensor<12x{made}>) {{\n^bb0({block}):\n%v = {op}\nlinalg.yield %v : {made}\n}}"
        f" -> tensor<12x{made}>"
    )
    return text, f"tensor<12x{made}>", {f"x{k}": whole for k in range(count)}


@pytest.mark.parametrize(("kind", "rows"), by_kind(UNARY))
def test_functions_of_one_number(kind, rows, tmp_path):
    steps = []
    for op, _, made in rows:
        to = f" to {made}" if op.startswith("arith.") and kind != made else ""
        steps.append(elementwise(f"{op} %e0 : {kind}{to}", kind, made, 1))
    check(program(steps), [VALUES[kind]] * len(rows), tmp_path / "one.mlir")


def operands(op, kind):
    """Numbers for an operation of two: divisors are no zeros, shifts are legal, some elements that are compared NaN."""
    left, right = VALUES[kind], np.roll(VALUES[kind], 5)
    if kind == "f32" and "cmpf" in op:
        left = np.where(left == 0, np.float32(np.nan), left)
    if any(word in op for word in ("div", "rem")):
        right = np.where((right == 0) | (right == -1), KINDS[kind](3), right).astype(right.dtype)
    if "sh" in op and kind != "f32":
        right = np.abs(np.arange(12) % (8 * right.dtype.itemsize)).astype(right.dtype)
    return [left, right]


@pytest.mark.parametrize(("kind", "rows"), by_kind(BINARY))
def test_functions_of_two_numbers(kind, rows, tmp_path):
    steps = [elementwise(f"{op} %e0, %e1 : {kind}", kind, "i1" if "cmp" in op else kind, 2) for op, _ in rows]
    check(program(steps), [array for op, _ in rows for array in operands(op, kind)], tmp_path / "two.mlir")


CASTS = [row for row in UNARY if row[0].startswith("arith.") and row[0] != "arith.negf"]


@pytest.mark.parametrize(("kind", "rows"), by_kind([*CASTS, ("math.isnan", "f32", "i1")]))
def test_casts_of_whole_tensors(kind, rows, tmp_path):
    steps = []
    for op, _, made in rows:
        to = f" to tensor<12x{made}>" if op.startswith("arith.") else ""
        steps.append((f"%r = {op} %x : tensor<12x{kind}>{to}", f"tensor<12x{made}>", {"x": f"tensor<12x{kind}>"}))
    check(program(steps), [VALUES[kind]] * len(rows), tmp_path / "tensor.mlir")


@pytest.mark.parametrize("chosen", ["tensor<12xi1>", "i1"])
@pytest.mark.parametrize("kind", ["f32", "i8"])
def test_elements_are_chosen_by_truth_values(chosen, kind, tmp_path):
    by = "tensor<12xi1>, " if chosen != "i1" else ""
    value = "%c" if by else "%one"
    text = (
        f"func.func @main(%c: tensor<12xi1>, %a: tensor<12x{kind}>, %b: tensor<12x{kind}>) -> tensor<12x{kind}> {{\n"
        f"%z = arith.constant 3 : index\n%one = tensor.extract %c[%z] : tensor<12xi1>\n"
        f"%r = arith.select {value}, %a, %b : {by}tensor<12x{kind}>\nreturn %r : tensor<12x{kind}>\n}}"
    )
    left, right = VALUES[kind], np.roll(VALUES[kind], 5)
    check(text, [VALUES["i1"], left, right], tmp_path / "select.mlir")
    module = parse_text(text.encode(), "text").module
    assert str(parse_text(str(module).encode(), "text").module) == str(module)  # printed as it is read


ROWS = np.arange(12, dtype=np.float32).reshape(3, 4)
PROGRAMS = {
    "part in constants": """func.func @main(%x: tensor<3x4xf32>) -> tensor<5x6xf32> {
  %c = arith.constant dense<7.0> : tensor<5x6xf32>
  %r = tensor.insert_slice %x into %c[1, 1] [3, 4] [1, 1] : tensor<3x4xf32> into tensor<5x6xf32>
  return %r : tensor<5x6xf32>
}""",
    "elements apart": """func.func @main(%x: tensor<3x4xf32>) -> tensor<6x9xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<6x9xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<6x9xf32>) -> tensor<6x9xf32>
  %r = tensor.insert_slice %x into %f[1, 1] [3, 4] [2, 2] : tensor<3x4xf32> into tensor<6x9xf32>
  return %r : tensor<6x9xf32>
}""",
    "a part of itself": """func.func @main(%x: tensor<3x4xf32>) -> tensor<3x4xf32> {
  %s = tensor.extract_slice %x[0, 2] [3, 2] [1, 1] : tensor<3x4xf32> to tensor<3x2xf32>
  %r = tensor.insert_slice %s into %x[0, 0] [3, 2] [1, 1] : tensor<3x2xf32> into tensor<3x4xf32>
  return %r : tensor<3x4xf32>
}""",
    "a loop and a function": """func.func @main(%x: tensor<3x4xf32>) -> tensor<3x4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%y = %x) -> (tensor<3x4xf32>) {
    %z = func.call @twice(%y) : (tensor<3x4xf32>) -> tensor<3x4xf32>
    scf.yield %z : tensor<3x4xf32>
  }
  return %r : tensor<3x4xf32>
}
func.func private @twice(%x: tensor<3x4xf32>) -> tensor<3x4xf32> {
  %r = arith.addf %x, %x : tensor<3x4xf32>
  return %r : tensor<3x4xf32>
}""",
    "a number that a core makes": """func.func @main(%x: tensor<3x4xf32>) -> (tensor<3x4xf32>, tensor<2xf32>) {
  %c1 = arith.constant 1 : index
  %v = tensor.extract %x[%c1, %c1] : tensor<3x4xf32>
  %w = arith.negf %v : f32
  %e = tensor.empty() : tensor<3x4xf32>
  %f = linalg.fill ins(%w : f32) outs(%e : tensor<3x4xf32>) -> tensor<3x4xf32>
  %t = tensor.from_elements %v, %w : tensor<2xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>],
      iterator_types = ["parallel", "parallel"]} ins(%f : tensor<3x4xf32>) outs(%x : tensor<3x4xf32>) {
  ^bb0(%a: f32, %o: f32):
    %p = arith.mulf %a, %v : f32
    %s = arith.addf %p, %o : f32
    linalg.yield %s : f32
  } -> tensor<3x4xf32>
  return %r, %t : tensor<3x4xf32>, tensor<2xf32>
}""",
    "inputs and constants returned": """func.func @main(%x: tensor<3x4xf32>)
    -> (tensor<3x4xf32>, tensor<2xi32>, tensor<3x4xf32>) {
  %c = arith.constant dense<[4, 5]> : tensor<2xi32>
  return %x, %c, %x : tensor<3x4xf32>, tensor<2xi32>, tensor<3x4xf32>
}""",
    "two results of one operation": """func.func @main(%x: tensor<3x4xf32>) -> (tensor<3xf32>, tensor<3xf32>) {
  %z = arith.constant dense<1.0> : tensor<3xf32>
  %r:2 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>,
      affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<3x4xf32>) outs(%z, %z : tensor<3xf32>, tensor<3xf32>) {
  ^bb0(%a: f32, %o: f32, %p: f32):
    %s = arith.addf %o, %a : f32
    %q = arith.mulf %a, %a : f32
    %t = arith.addf %q, %p : f32
    linalg.yield %s, %t : f32, f32
  } -> (tensor<3xf32>, tensor<3xf32>)
  return %r#0, %r#1 : tensor<3xf32>, tensor<3xf32>
}""",
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs(name, tmp_path):
    check(PROGRAMS[name], [ROWS], tmp_path / "program.mlir")


def test_turns_of_a_loop_share_their_weights(tmp_path):
    path = tmp_path / "turns.mlir"
    path.write_text("""func.func @main(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %w = arith.constant dense<[[1.0, 2.0, 0.5, 0.0], [0.5, 1.0, 0.0, 2.0], [0.0, 1.0, 1.0, 0.5], [2.0, 0.0, 1.0, 1.0]]>
    : tensor<4x4xf32>
  %z = arith.constant dense<0.0> : tensor<4x4xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %r = scf.for %i = %c0 to %c5 step %c1 iter_args(%y = %x) -> (tensor<4x4xf32>) {
    %e = tensor.empty() : tensor<4x4xf32>
    %t = linalg.transpose ins(%w : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) permutation = [1, 0]
    %m = linalg.matmul ins(%y, %t : tensor<4x4xf32>, tensor<4x4xf32>) outs(%z : tensor<4x4xf32>) -> tensor<4x4xf32>
    scf.yield %m : tensor<4x4xf32>
  }
  return %r : tensor<4x4xf32>
}""")
    module = import_text(path, make_context(), {}).module
    assert sum(isinstance(op, ConstantOp) for op in module.walk()) == 1
    check(path.read_text(), [ROWS.repeat(2, 0)[:4]], path)


@pytest.mark.parametrize("kind", ["i8", "i32", "f32"])
def test_a_product_of_vectors_begins_with_a_number(kind, tmp_path):
    sums, three = ("f32", "3.0") if kind == "f32" else ("i32", "3")
    text = f"""func.func @main(%x: tensor<3x{kind}>) -> tensor<{sums}> {{
  %w = arith.constant dense<[{"2.0, 0.0, 3.0" if kind == "f32" else "2, 0, 3"}]> : tensor<3x{kind}>
  %c = arith.constant dense<{three}> : tensor<{sums}>
  %r = linalg.dot ins(%x, %w : tensor<3x{kind}>, tensor<3x{kind}>) outs(%c : tensor<{sums}>) -> tensor<{sums}>
  return %r : tensor<{sums}>
}}"""
    check(text, [VALUES[kind][:3]], tmp_path / "dot.mlir")


def test_dynamic_shapes(tmp_path):
    text = """func.func @main(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %n = tensor.dim %y, %c1 : tensor<?x?xf32>
  %z = arith.constant 0.0 : f32
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %r = linalg.matmul ins(%x, %y : tensor<?x?xf32>, tensor<?x?xf32>) outs(%f : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}"""
    check(text, [ROWS, ROWS.T.copy()], tmp_path / "mm.mlir", {"x": (3, 4), "y": (4, 3)})
