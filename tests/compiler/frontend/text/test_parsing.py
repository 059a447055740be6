"""Reading: debug locations, constants in all their forms, generic form, what xDSL reads otherwise than upstream."""

import numpy as np
import pytest

from compiler.frontend.text.parsing import parse_text
from compiler.frontend.text.signature import signature_of
from compiler.frontend.text.sources import source_of
from compiler.interpreter.host.run import run_function
from emu.errors import CompileError


def run(text, *inputs):
    """The results of a text."""
    module = parse_text(text.encode(), "text")
    return run_function(signature_of(module).function, module.module, inputs, module.blobs)


def test_debug_locations_are_left_out_and_lines_stay():
    text = """#loc = loc(unknown)
func.func @main(%x: tensor<2xf32> loc("a (b".py":1:2)) -> tensor<2xf32> {
  %e = tensor.empty() : tensor<f32> loc(#loc2)
  %r = linalg.reduce { arith.addf } ins(%x : tensor<2xf32>) outs(%e : tensor<f32>) dimensions = [0] loc(#loc2)
  %s = linalg.nothing loc(fused<"x">[#loc, #loc2])
} loc(#loc)
#loc2 = loc("f"(#loc))
"""
    made = source_of(text.encode(), "text").text
    assert "loc" not in made and made.count("\n") == text.count("\n")
    assert [len(line) for line in made.splitlines()] == [len(line) for line in text.splitlines()]
    with pytest.raises(Exception, match=r"line 5, column .*: linalg.nothing is not understood"):
        parse_text(text.encode(), "text")


def test_a_reduction_with_locations_on_its_arguments():
    (made,) = run(
        """func.func @main(%x: tensor<2x3xf32>) -> tensor<2xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<2xf32>) -> tensor<2xf32>
  %r = linalg.reduce ins(%x : tensor<2x3xf32>) outs(%f : tensor<2xf32>) dimensions = [1]
    (%in: f32 loc("a"), %init: f32 loc("b")) {
      %s = arith.addf %in, %init : f32 loc("c")
      linalg.yield %s : f32
    }
  return %r : tensor<2xf32>
}""",
        np.arange(6, dtype=np.float32).reshape(2, 3),
    )
    np.testing.assert_array_equal(made, [3, 12])


CONSTANTS = {
    "dense<[[1, -2], [3, 4]]> : tensor<2x2xi8>": np.array([[1, -2], [3, 4]], np.int8),
    "dense<7> : tensor<3xi64>": np.full(3, 7),
    'dense<"0x0000803F00000040"> : tensor<2xf32>': np.array([1, 2], np.float32),
    "dense<0xFF800000> : tensor<f32>": np.float32(-np.inf),
    "dense<[0x7FC00000, 3.9E-4]> : tensor<2xf32>": np.array([np.nan, 3.9e-4], np.float32),
    'dense<"0x0201"> : tensor<10xi1>': np.array([False, True] + [False] * 6 + [True, False]),
    'dense<"0xFF"> : tensor<3xi8>': np.full(3, -1, np.int8),
    "dense<true> : tensor<2xi1>": np.array([True, True]),
    "dense<[true, false]> : tensor<2xi1>": np.array([True, False]),
    "dense<1.0e-05> : tensor<f64>": np.float64(1e-5),
    "dense<> : tensor<0xf32>": np.zeros(0, np.float32),
    "dense<0x3C00> : tensor<2xf16>": np.ones(2, np.float16),
    "dense_resource<w> : tensor<2x2xi16>": np.array([[1, 2], [3, -1]], np.int16),
    'dense_resource<"odd name"> : tensor<3xf32>': np.full(3, 2, np.float32),
}
RESOURCES = """
{-#
  dialect_resources: {
    builtin: {
      w: "0x02000000010002000300FFFF",
      "odd name": "0x0400000000000040"
    }
  }
#-}
"""


@pytest.mark.parametrize("text", CONSTANTS)
def test_constants(text):
    wanted = CONSTANTS[text]
    kind = text.rpartition(" : ")[2]
    program = f"func.func @main() -> {kind} {{\n%r = arith.constant {text}\nreturn %r : {kind}\n}}\n{RESOURCES}"
    for _ in range(2):  # names of resources are no state of the process
        (made,) = run(program)
        assert made.dtype == wanted.dtype
        np.testing.assert_array_equal(made, wanted)


def test_digits_are_left_out_and_places_stay_those_of_the_file():
    kind = "tensor<2xf32>"
    line = f'  %a = arith.constant dense<"0x0000803F00000040"> : {kind} linalg.oops'
    text = f'// dense<"0x00"> é\nfunc.func @main() -> {kind} attributes {{note = "0x12"}} {{\n{line}\n}}\n'
    source = source_of(text.encode(), "text")
    assert list(source.elements.values()) == [b"\0", b"\0\0\x80?\0\0\0@"]
    assert '"0x12"' in source.text and "803F" not in source.text
    with pytest.raises(CompileError, match=f"line 3, column {line.index('linalg') + 1}: "):
        parse_text(text.encode(), "text")


WRONG_DIGITS = {
    'dense<"0x0000803G"> : tensor<1xf32>': "has digits that are not hexadecimal",
    'dense<"0x0000803"> : tensor<1xf32>': "has digits that are not hexadecimal",
    'dense<"0000803F"> : tensor<1xf32>': "has digits that are not hexadecimal",
    'dense<"0x0000803F00"> : tensor<2xf32>': "has 5 bytes, where 8 are needed",
    'dense<"0x0000803F"> : tensor<?xf32>': "has a static shape, not tensor<\\?xf32>",
    'dense<"0x0000803F"> : f32': "is a tensor or vector of numbers, not f32",
    "dense_resource<short> : tensor<1xf32>": "the resource short is no whole number of bytes",
}


@pytest.mark.parametrize("text", WRONG_DIGITS)
def test_digits_that_are_wrong(text):
    broken = RESOURCES.replace('"odd name"', 'short: "0x040", "odd name"') if "short" in text else RESOURCES
    with pytest.raises(CompileError, match=WRONG_DIGITS[text]):
        run(f"func.func @main() {{\n%r = arith.constant {text}\nreturn\n}}\n{broken}")


def test_generic_form():
    text = """"builtin.module"() ({
  "func.func"() <{function_type = (tensor<2x3xf32>, tensor<3x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>,
                  sym_name = "main"}> ({
  ^bb0(%a: tensor<2x3xf32>, %b: tensor<3x2xf32>, %c: tensor<2x2xf32>):
    %0 = "linalg.matmul"(%a, %b, %c) <{operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%x: f32, %y: f32, %z: f32):
      %1 = "arith.mulf"(%x, %y) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %2 = "arith.addf"(%z, %1) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%2) : (f32) -> ()
    }) : (tensor<2x3xf32>, tensor<3x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
    "func.return"(%0) : (tensor<2x2xf32>) -> ()
  }) : () -> ()
}) : () -> ()
"""
    a, b = np.arange(6, dtype=np.float32).reshape(2, 3), np.arange(6, dtype=np.float32).reshape(3, 2)
    (made,) = run(text, a, b, np.ones((2, 2), np.float32))
    np.testing.assert_array_equal(made, a @ b + 1)


ELEMENTWISE = {
    "linalg.add": lambda a, b: a + b,
    "linalg.elementwise kind=#linalg.elementwise_kind<sub>": lambda a, b: a - b,
    "linalg.elementwise <mul>": lambda a, b: a * b,
    "linalg.div": lambda a, b: a / b,
    "linalg.powf": lambda a, b: a**b,
    "linalg.max": np.maximum,
}


@pytest.mark.parametrize("name", ELEMENTWISE)
def test_functions_of_elements(name):
    kind = "tensor<3xf32>"
    text = (
        f"func.func @main(%a: {kind}, %b: {kind}) -> {kind} {{\n%e = tensor.empty() : {kind}\n"
        f"%r = {name} ins(%a, %b : {kind}, {kind}) outs(%e : {kind}) -> {kind}\nreturn %r : {kind}\n}}"
    )
    arrays = np.array([1, 2, 3], np.float32), np.array([2, 0.5, 2], np.float32)
    for form in (text, str(parse_text(text.encode(), "text").module)):
        (made,) = run(form, *arrays)
        np.testing.assert_allclose(made, ELEMENTWISE[name](*arrays), rtol=1e-6)


def test_map_contract_and_softmax():
    kind = "tensor<2x2xf32>"
    x = np.array([[1, 2], [3, 4]], np.float32)
    maps = "affine_map<(m, n, k) -> (k, m)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>"
    made = run(
        f"""func.func @main(%x: {kind}) -> ({kind}, {kind}, {kind}, {kind}) {{
  %z = arith.constant dense<0.0> : {kind}
  %0 = linalg.map {{ arith.mulf }} ins(%x, %x : {kind}, {kind}) outs(%z : {kind})
  %1 = linalg.map ins(%x : {kind}) outs(%z : {kind}) (%in: f32) {{
    %n = arith.negf %in : f32
    linalg.yield %n : f32
  }}
  %2 = linalg.contract indexing_maps = [{maps}] ins(%x, %x : {kind}, {kind}) outs(%z : {kind}) -> {kind}
  %3 = linalg.softmax dimension(1) ins(%x : {kind}) outs(%z : {kind}) -> {kind}
  return %0, %1, %2, %3 : {kind}, {kind}, {kind}, {kind}
}}""",
        x,
    )
    powers = np.exp(x)
    for found, wanted in zip(made, (x * x, -x, x.T @ x, powers / powers.sum(1, keepdims=True)), strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-6)


def test_dictionaries_that_are_spelt_alike_are_kept_apart_where_they_differ():
    one, two = ('dense<"0x0000803F">', 'dense<"0x00000040">')  # attributes whose elements are cut out of the text
    text = f"""func.func @main(%x: tensor<1xf32>) -> tensor<1xf32> {{
  %a = "tensor.empty"() {{k = {one} : tensor<1xf32>}} : () -> tensor<1xf32>
  %b = "tensor.empty"() {{k = {two} : tensor<1xf32>}} : () -> tensor<1xf32>
  %c = "tensor.empty"() {{k = "}}", l = 1 : i32}} : () -> tensor<1xf32>
  %d = "tensor.empty"() {{k = "}}", l = 2 : i32}} : () -> tensor<1xf32>
  %e = "tensor.empty"() {{k = 1 : i32}} : () -> tensor<1xf32>
  %f = "tensor.empty"() {{k = 1 : i32}} : () -> tensor<1xf32>
  return %x : tensor<1xf32>
}}"""
    (function,) = parse_text(text.encode(), "text").module.ops
    a, b, c, d, e, f = [op.attributes for op in function.regions[0].block.ops][:-1]
    assert a["k"] != b["k"] and (c["l"], d["l"]) != (d["l"], c["l"])
    assert e == f and e is not f


@pytest.mark.parametrize("count", [1, 510, 511, 512, 513, 2558, 2559, 2560, 2561, 45000])
def test_elements_of_any_number_end_at_their_quote(count):
    """Quotes are looked for in parts of growing size; one that is missing is a fault."""
    text = f'func.func @main() {{ %c = arith.constant dense<"0x{"A7" * count}"> : tensor<{count}xi8> return }}'
    source = source_of(text.encode(), "text")
    assert list(source.elements.values()) == [b"\xa7" * count] and len(source.text) == len(text) - 2 - 2 * count
    with pytest.raises(CompileError, match="line 1"):
        parse_text(text.replace('">', ">").encode(), "text")
