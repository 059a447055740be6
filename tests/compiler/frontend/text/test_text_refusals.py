"""Texts that are refused: one sentence with the line, the operation and what to do, before anything runs."""

import pytest

from compiler.frontend.text import program
from compiler.frontend.text.importer import import_text
from compiler.session.context import make_context
from emu.errors import CompileError

MAP = "affine_map<(d0) -> (d0)>"


def function(body, args="%x: tensor<4xf32>", made="tensor<4xf32>", value="%r"):
    return f"func.func @main({args}) -> {made} {{\n{body}\nreturn {value} : {made}\n}}\n"


def generic(body, maps=f"{MAP}, {MAP}", kinds='"parallel"', made="tensor<4xf32>", empty="tensor<4xf32>"):
    return (
        f"%e = tensor.empty() : {empty}\n"
        f"%r = linalg.generic {{indexing_maps = [{maps}], iterator_types = [{kinds}]}}"
        f" ins(%x : tensor<4xf32>) outs(%e : {empty}) {{\n^bb0(%a: f32, %o: f32):\n{body}\n}} -> {made}"
    )


TEXTS = {
    "bytecode": (b"ML\xefR\x01", "is MLIR bytecode: print it as text"),
    "no text": (b"func.func @m\xff", "is no text: byte 12 is not UTF-8"),
    "unsigned constant": (
        function("%r = arith.constant dense<1> : tensor<4xui8>", "", "tensor<4xui8>"),
        "line 2: arith.constant has elements of type ui8: use i1, i8",
    ),
    "map of another rank": (
        function(generic("linalg.yield %a : f32", "affine_map<(d0, d1) -> (d0)>, affine_map<(d0) -> (d0)>")),
        "line 3: linalg.generic is not valid: ",
    ),
    "map beyond the operand": (
        function(generic("linalg.yield %a : f32", "affine_map<(d0) -> (d0 + 1)>, affine_map<(d0) -> (d0)>")),
        "line 3: linalg.generic is not valid: ",
    ),
    "stablehlo": (
        "func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {\n"
        "%r = stablehlo.add %x, %x : tensor<4xf32>\nreturn %r : tensor<4xf32>\n}",
        "line 2, column 6: stablehlo.add is not understood: "
        "lower it first, by the pass stablehlo-legalize-to-linalg of torch-mlir-opt",
    ),
    "a wrong name": (
        function("%r = linalg.mutmal ins(%x : tensor<4xf32>) outs(%x : tensor<4xf32>) -> tensor<4xf32>"),
        "line 2, column 6: linalg.mutmal is not understood; did you mean 'linalg.mul'?",
    ),
    "a number that its type lacks": (
        function("%k = arith.constant 1.0e39 : f32\n%r = arith.addf %x, %x : tensor<4xf32>"),
        "line 2: cannot be read (float too large",
    ),
    "less than nothing around a tensor": (
        function(
            "%k = arith.constant 0.0 : f32\n%r = tensor.pad %x low[-1] high[0] {\n^bb0(%i: index):\n"
            "tensor.yield %k : f32\n} : tensor<4xf32> to tensor<3xf32>",
            made="tensor<3xf32>",
        ),
        "line 3: tensor.pad puts [-1] elements before and [0] behind: a number is 0 or more",
    ),
    "a value before its operation": (
        function("%r = arith.addf %x, %q : tensor<4xf32>\n%q = arith.addf %x, %x : tensor<4xf32>"),
        "line 2, column 21: %q is used where it is not defined: make it before, in this block or around it",
    ),
    "a value of nobody": (
        function("%r = arith.addf %x, %q : tensor<4xf32>"),
        "line 2, column 21: %q is used where it is not defined",
    ),
    "a value of itself": (
        function("%r = arith.addf %x, %r : tensor<4xf32>"),
        "line 2, column 21: %r is used where it is not defined",
    ),
    "groups of dimensions that are not next to each other": (
        function(
            "%k = tensor.empty() : tensor<2x2x2xf32>\n"
            "%c = tensor.collapse_shape %k [[0, 2], [1]] : tensor<2x2x2xf32> into tensor<4x2xf32>\n"
            "%r = arith.addf %x, %x : tensor<4xf32>"
        ),
        "line 3: cannot be read (All inner arrays must be contiguous",
    ),
    "doubles as an input": (
        function("%r = tensor.empty() : tensor<4xf32>", "%x: tensor<4xf64>"),
        "func.func has an argument %x of f64, which cores do not have: convert it to f32",
    ),
    "doubles as a result": (
        function("%r = arith.extf %x : tensor<4xf32> to tensor<4xf64>", made="tensor<4xf64>"),
        "line 3: func.return returns %r of f64, which cores do not have: truncate it to f32",
    ),
    "a part that nobody wrote": (
        function(
            "%e = tensor.empty() : tensor<6xf32>\n"
            "%p = tensor.insert_slice %x into %e[1] [4] [1] : tensor<4xf32> into tensor<6xf32>\n"
            "%r = arith.negf %p : tensor<6xf32>",
            made="tensor<6xf32>",
        ),
        "line 4: arith.negf reads %p, some elements of which nobody has written: fill it first",
    ),
    "bfloat": (
        function("", "%x: tensor<4xbf16>", "tensor<4xbf16>", "%x"),
        "func.func has an argument %x that has elements of type bf16: use",
    ),
    "a number as an argument": (
        function("", "%x: f32", "f32", "%x"),
        "has an argument %x of type f32: give tensors of a known rank",
    ),
    "dynamic": (
        function("", "%x: tensor<?xf32>", "tensor<?xf32>", "%x"),
        "has dynamic shapes: input 'x' is tensor<?xf32>; give its shape",
    ),
    "nobody wrote": (
        function("%r = tensor.empty() : tensor<4xf32>"),
        "func.return returns %r, whose elements nobody has written",
    ),
    "sum without a beginning": (
        function(
            generic(
                "%s = arith.addf %a, %o : f32\nlinalg.yield %s : f32",
                "affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>",
                '"reduction"',
                "tensor<f32>",
                "tensor<f32>",
            ),
            made="tensor<f32>",
        ),
        "line 3: linalg.generic adds to operand 1, whose elements nobody has written: fill it first",
    ),
    "no reduction": (
        function(
            generic(
                "%s = arith.divf %o, %a : f32\nlinalg.yield %s : f32",
                "affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>",
                '"reduction"',
                "tensor<f32>",
                "tensor<f32>",
            ),
            made="tensor<f32>",
        ),
        "line 3: linalg.generic has a body that is no reduction",
    ),
    "a branch": (
        function(
            "%i = arith.constant 0 : index\n%v = tensor.extract %x[%i] : tensor<4xf32>\n"
            "%z = arith.constant 0.0 : f32\n%c = arith.cmpf ogt, %v, %z : f32\n"
            "%r = scf.if %c -> (tensor<4xf32>) {\nscf.yield %x : tensor<4xf32>\n} else {\n"
            "scf.yield %x : tensor<4xf32>\n}"
        ),
        "line 6: scf.if chooses by a value that is computed at run time",
    ),
    "an element of nothing": (
        function(
            "%t = tensor.empty() : tensor<4xf32>\n"
            + generic("%k = linalg.index 0 : index\n%v = tensor.extract %t[%k] : tensor<4xf32>\nlinalg.yield %v : f32")
        ),
        "line 7: tensor.extract takes an element of a tensor that nobody has written: fill it first",
    ),
    "an element by what was there": (
        function(
            generic(
                "%k = arith.index_cast %o : i32 to index\n%v = tensor.extract %x[%k] : tensor<4xf32>\n"
                "%i = arith.fptosi %v : f32 to i32\n%s = arith.addi %o, %i : i32\nlinalg.yield %s : i32",
                "affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>",
                '"reduction"',
                "tensor<i32>",
                "tensor<i32>",
            ).replace("%o: f32", "%o: i32"),
            made="tensor<i32>",
        ),
        "line 6: tensor.extract has an index that depends on what the result held before",
    ),
    "a reduction of bits": (
        function(
            "%z = arith.constant dense<0> : tensor<i8>\n"
            "%r = linalg.reduce { arith.xori } ins(%x : tensor<4xi8>) outs(%z : tensor<i8>) dimensions = [0]",
            "%x: tensor<4xi8>",
            "tensor<i8>",
        ),
        "line 3: linalg.reduce has a body that is no reduction: the old element of the result must meet a new one",
    ),
    "no function": ("module {\n}", "has no function: call the network @main"),
    "private functions alone": (
        "func.func private @a(%x: tensor<1xf32>) -> tensor<1xf32> {\nreturn %x : tensor<1xf32>\n}",
        "has no function @main, and all of its functions are private: call the network @main",
    ),
    "a cast that narrows": (
        function("%r = arith.extsi %x : tensor<4xi8> to tensor<4xi8>", "%x: tensor<4xi8>", "tensor<4xi8>"),
        "line 2: arith.extsi is not valid: tensor<4xi8> cannot be cast to tensor<4xi8>",
    ),
    "a cast of another size": (
        function("%r = arith.extsi %x : tensor<4xi8> to tensor<5xi16>", "%x: tensor<4xi8>", "tensor<5xi16>"),
        "line 2: arith.extsi is not valid: tensor<4xi8> cannot be cast to tensor<5xi16>",
    ),
    "two functions": (
        "func.func @a(%x: tensor<1xf32>) -> tensor<1xf32> {\nreturn %x : tensor<1xf32>\n}\n"
        "func.func @b(%x: tensor<1xf32>) -> tensor<1xf32> {\nreturn %x : tensor<1xf32>\n}",
        "its functions that are not private are @a, @b: call the network @main",
    ),
    "a missing resource": (
        function("%r = arith.constant dense_resource<w> : tensor<4xf32>", ""),
        "line 2: arith.constant needs the resource 'w', which the text does not hold: print it without eliding",
    ),
    "memrefs": (
        "func.func @main(%x: memref<4xf32>) {\n%r = memref.alloc() : memref<4xf32>\nreturn\n}",
        "memref.alloc is not understood: give the text before bufferisation, on tensors",
    ),
    "a slice beyond": (
        function("%r = tensor.extract_slice %x[2] [4] [1] : tensor<4xf32> to tensor<4xf32>"),
        "line 2: tensor.extract_slice takes 4 elements from 2 by steps of 1 of 4",
    ),
    "calls itself": (
        "func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {\n"
        "%r = call @main(%x) : (tensor<4xf32>) -> tensor<4xf32>\nreturn %r : tensor<4xf32>\n}",
        "line 2: func.call calls itself, or functions too deep in each other",
    ),
    "a huge constant": (
        function("%r = arith.constant dense<1.0> : tensor<99999x99999xf32>", "", "tensor<99999x99999xf32>"),
        "line 3: func.return needs a constant of 99999 x 99999 elements: a tensor may have",
    ),
    "a sum of a huge constant": (
        function(
            "%c = arith.constant dense<1.0> : tensor<99999x99999xf32>\n"
            "%z = arith.constant dense<0.0> : tensor<99999xf32>\n"
            "%r = linalg.reduce { arith.addf } ins(%c : tensor<99999x99999xf32>) outs(%z : tensor<99999xf32>)"
            " dimensions = [1]",
            "",
            "tensor<99999xf32>",
        ),
        "line 4: linalg.reduce has an operand of 99999 x 99999 elements: a tensor may have",
    ),
    "an end too early": ("func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {\n", "line 2, column 1: "),
    "nothing": ("", "is empty: give the text of a module"),
    "comments alone": ("// no module\n\n", "is empty: give the text of a module"),
}


@pytest.mark.parametrize("name", TEXTS)
def test_refused(name, tmp_path):
    text, sentence = TEXTS[name]
    path = tmp_path / "wrong.mlir"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(CompileError) as refused:
        import_text(path, make_context(), {})
    told = str(refused.value)
    assert sentence in told
    assert told.startswith(str(path)) and "\n" not in told
    assert refused.value.exit_code == 2


def test_shapes_that_do_not_fit(tmp_path):
    path = tmp_path / "open.mlir"
    path.write_text(function("", "%x: tensor<?x3xf32>", "tensor<?x3xf32>", "%x"))
    for shapes, sentence in (({"y": (1,)}, "has no input 'y'"), ({"x": (2, 4)}, "which the shape [2, 4] does not fit")):
        with pytest.raises(CompileError, match=sentence.replace("[", r"\[")):
            import_text(path, make_context(), shapes)
    assert import_text(path, make_context(), {"x": (2, 3)}).inputs[0].shape == (2, 3)


def test_operations_are_counted_as_often_as_they_are_read(tmp_path, monkeypatch):
    """Three constants, a loop of two turns, whose body has two operations, and what is returned."""
    path = tmp_path / "turns.mlir"
    constants = "".join(f"%c{count} = arith.constant {count} : index\n" for count in range(3))
    turns = "%r = scf.for %i = %c0 to %c2 step %c1 iter_args(%p = %x) -> (tensor<4xf32>) {\n"
    body = "%q = arith.addf %p, %p : tensor<4xf32>\nscf.yield %q : tensor<4xf32>\n}"
    path.write_text(function(constants + turns + body))
    count = 3 + 1 + 2 * 2 + 1
    monkeypatch.setattr(program, "MAX_NODES", count)
    import_text(path, make_context(), {})
    monkeypatch.setattr(program, "MAX_NODES", count - 1)
    with pytest.raises(CompileError, match=f"line 9: func.return is one operation more than the {count - 1} of any"):
        import_text(path, make_context(), {})
