"""Transform scripts: what is wrong with one is a sentence with its line; what they make is right, on a board, too."""

import json
import re
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from draws import examples
from hypothesis import given, settings
from hypothesis import strategies as st

from compiler.interpreter.host.crossbars import NumpyCrossbars
from compiler.offload.context import OffloadContext
from compiler.offload.pipeline import with_script
from compiler.offload.program import HostProgram
from emu.arch import Arch, Core, Crossbar
from launch.cli import cli
from launch.offload.comparing import compare

ROOT = Path(__file__).resolve().parents[3]
EXAMPLE = ROOT / "examples" / "kernels" / "neuro_matmul.mlir"
SHAPES = ["--shape=a=5,40", "--shape=b=40,37", "--shape=c=5,37"]
SMALL = Arch(name="small", cores=4, core=Core(crossbars=4096), crossbar=Crossbar(4, 4))
PAYLOAD = """func.func @main(%a: tensor<6x5xf32>, %b: tensor<5x4xf32>, %c: tensor<6x4xf32>) -> tensor<6x4xf32> {
  %y = linalg.matmul ins(%a, %b : tensor<6x5xf32>, tensor<5x4xf32>) outs(%c : tensor<6x4xf32>) -> tensor<6x4xf32>
  return %y : tensor<6x4xf32>
}
"""
ANY = "!transform.any_op"
ONE = f": ({ANY}) -> {ANY}"
MATCH = f'%mm = transform.structured.match ops{{["linalg.matmul"]}} in %root {ONE}'
TILE = f"%tile, %m = transform.structured.tile_using_for %mm tile_sizes [2] : ({ANY}) -> ({ANY}, {ANY})"
# NeuroBoard's flow, line by line.
NEURO = [
    MATCH,
    f"%w = transform.get_operand %mm[1] : ({ANY}) -> !transform.any_value",
    f"%h = transform.neuro.create.alloc %w : (!transform.any_value) -> {ANY}",
    f"%x = transform.neuro.create.write_matrix %h, %mm : ({ANY}, {ANY}) -> {ANY}",
    f"%row, %m = transform.structured.tile_using_for %mm tile_sizes [1] : ({ANY}) -> ({ANY}, {ANY})",
    f"%in = transform.get_producer_of_operand %row[0] {ONE}",
    f"%out = transform.get_producer_of_operand %row[2] {ONE}",
    f"%mv = transform.neuro.create.matvec %x, %in, %out : ({ANY}, {ANY}, {ANY}) -> {ANY}",
    f"transform.neuro.replace %row with %mv : {ANY}, {ANY}",
]


def script(*lines, failures="propagate"):
    body = "\n".join(lines)
    return f"transform.sequence failures({failures}) {{\n^bb0(%root: {ANY}):\n{body}\n}}\n"


def emu(*words):
    return CliRunner().invoke(cli, ["offload", *map(str, words)])


RETURN = f'%x = transform.structured.match ops{{["func.return"]}} in %root {ONE}'
FOUR = f"({ANY}) -> ({', '.join([ANY] * 5)})"


def run(name, before, after):
    """Runs a pass on what a handle stands for."""
    return f'%{after} = transform.apply_registered_pass "{name}" to %{before} {ONE}'


# Lines of a script, the one of them that is at fault (from 0), and what is said of it.
FAULTS = {
    "consumed": ([MATCH, TILE, f'transform.annotate %mm "x" : {ANY}'], 2, "transform.annotate names %mm, which line"),
    "twice": ([MATCH, TILE, TILE.replace("%tile, %m", "%t2, %m2")], 2, "names %mm, which line"),
    "nested": (
        [MATCH, f'%f = transform.get_parent_op %mm {{op_name = "func.func"}} {ONE}', run("ttgt", "f", "p"), TILE],
        3,
        "names %mm, which line 9: transform.apply_registered_pass has consumed",
    ),
    "root": (
        [run("linalg-generalize", "root", "p"), MATCH],
        1,
        "names %root, which line 7: transform.apply_registered_pass has consumed",
    ),
    "no such operation": ([MATCH.replace("matmul", "matmull")], 0, "there is none; did you mean 'linalg.matmul'?"),
    "no such attribute": (
        [f"%x = transform.structured.match attributes {{tile}} in %root {ONE}"],
        0,
        "matches nothing: of what it asks for there is none: there are",
    ),
    "unknown": ([f"%x = transform.structured.vectorize %root {ONE}"], 0, "transform.structured.vectorize is not"),
    "an older form": (
        [f'%x = transform.structured.match_ops ["linalg.matmul"] in %root {ONE}'],
        0,
        'is not understood: write transform.structured.match ops{["linalg.matmul"]} in %module, with types',
    ),
    "a loop of threads": (
        [MATCH, TILE.replace("using_for", "using_forall")],
        1,
        "is not understood: write transform.structured.tile_using_for: the host has one thread",
    ),
    "a sequence called": (
        [f"transform.include @rows failures(propagate) (%root) {ONE}"],
        0,
        "transform.include is not understood: write what the sequence does in its place",
    ),
    "not carried out": (
        [NEURO[0], NEURO[1], '%k = "transform.get_type"(%w) : (!transform.any_value) -> !transform.type'],
        2,
        "transform.get_type is not understood",
    ),
    "not in a script": (
        [MATCH, "%k = arith.constant 1 : index"],
        1,
        "arith.constant is not understood in a script: use",
    ),
    "argument": (
        [MATCH, f"%p = transform.get_producer_of_operand %mm[1] {ONE}"],
        1,
        "asks for what makes %b, an argument: no operation does; name it as a value, by transform.get_operand",
    ),
    "no operand": (
        [MATCH, f"%p = transform.get_producer_of_operand %mm[3] {ONE}"],
        1,
        "asks for operand 3 of line 2: linalg.matmul, which has 3",
    ),
    "no result": ([MATCH, f"%p = transform.get_consumers_of_result %mm[1] {ONE}"], 1, "asks for result 1"),
    "too many sizes": (
        [MATCH, f"%t, %l:4 = transform.structured.tile_using_for %mm tile_sizes [1, 1, 1, 1] : {FOUR}"],
        1,
        "gives 4 tile sizes to line 2: linalg.matmul, which has 3 loops",
    ),
    "negative size": ([MATCH, TILE.replace("[2]", "[-2]")], 1, "has a tile size below 0"),
    "interchange": (
        [MATCH, TILE.replace("[2]", "[2, 0] interchange = [1, 1]")],
        1,
        "has interchange = [1, 1]: give each of the numbers 0 to 1 once, one for each size",
    ),
    "scalable": ([MATCH, TILE.replace("[2]", "[[2]]")], 1, "for vectors of unknown length"),
    "not linalg": ([RETURN, TILE.replace("%mm", "%x")], 1, "cannot tile line 3: func.return: give operations of"),
    "pass": ([run("tilt", "root", "p")], 0, "cannot run 'tilt': passes: there is no pass 'tilt'; did you mean 'tile'?"),
    "pass on operations": ([MATCH, run("ttgt", "mm", "p")], 1, "give a module or functions"),
    "pass out of order": (
        [
            run("linalg-generalize", "root", "p"),
            run("detect-contractions", "p", "q"),
            run("linalg-to-cim", "q", "r"),
        ],
        2,
        "cannot run 'linalg-to-cim': line 2: linalg.matmul is not tiled yet",
    ),
    "split": ([MATCH, f"%x, %y = transform.split_handle %mm : ({ANY}) -> ({ANY}, {ANY})"], 1, "makes 2 handles of 1"),
    "numbers": (
        [MATCH, TILE.replace("[2]", "[%mm]").replace(f"({ANY}) ->", f"({ANY}, {ANY}) ->")],
        1,
        "takes numbers, and %mm stands for operations or values",
    ),
    "other allocation": (
        [*NEURO[:1], NEURO[1].replace("[1]", "[0]"), *NEURO[2:4]],
        3,
        "writes what is no part of what the allocation was made for",
    ),
    "no write": ([*NEURO[:7], NEURO[7].replace("%x,", "%h,")], 7, "multiplies by what neuro.write_matrix has written"),
    "no product": (
        [RETURN, NEURO[3].replace("%h, %mm", "%x, %x").replace("%x =", "%y =")],
        1,
        "cannot put line 3: func.return on crossbars: it is no product by a matrix",
    ),
    "other type": (
        [*NEURO[:8], f"transform.neuro.replace %row with %in : {ANY}, {ANY}"],
        8,
        "cannot make a tensor<1x4xf32> of a tensor<1x5xf32>",
    ),
}


@pytest.mark.parametrize("name", FAULTS)
def test_what_is_wrong_with_a_script_is_a_sentence_with_its_line(tmp_path, name):
    lines, fault, said = FAULTS[name]
    path = tmp_path / "model.mlir"
    path.write_text(PAYLOAD + script(*lines))
    made = emu(path, "--recipe", "neuroboard", "--backend", "sequential")
    at = PAYLOAD.count("\n") + 3 + fault
    assert (made.exit_code, made.stderr.count("\n")) == (2, 1), made.output
    assert f"model.mlir: line {at}" in made.stderr and said in made.stderr, made.stderr


def test_a_matrix_that_is_written_behind_a_loop_is_not_there_in_it(tmp_path):
    """Of two products the matrix of the second one is written before that, and so behind the loop of the first one."""
    product = PAYLOAD.splitlines()[1]
    payload = PAYLOAD.replace("return %y", f"{product.replace('%y =', '%z =').strip()}\n  return %z")
    two = f"%one, %two = transform.split_handle %mm : ({ANY}) -> ({ANY}, {ANY})"
    for name, said in (("one", None), ("two", "multiplies where line 3: linalg.matmul has written nothing")):
        matrix = NEURO[3].replace("%mm", f"%{name}")
        flow = [MATCH, two, *NEURO[1:3], matrix, NEURO[4].replace("%mm", "%one"), *NEURO[5:]]
        path = tmp_path / f"{name}.mlir"
        path.write_text(payload + script(*flow))
        made = emu(path, "--recipe", "neuroboard", "--backend", "sequential")
        assert made.exit_code == (0 if said is None else 2) and (said or "") in made.stderr, made.output


def test_faults_of_a_script_in_a_file_of_its_own_are_told_with_that_file(tmp_path):
    (tmp_path / "model.mlir").write_text(PAYLOAD)
    (tmp_path / "script.mlir").write_text(script(MATCH, TILE, TILE.replace("%tile, %m", "%t2, %m2")))
    words = (tmp_path / "model.mlir", "--backend", "sequential")
    path = tmp_path / "script.mlir"
    for how in (["--recipe", "neuroboard", "--script", path], ["-p", f'transform-interpreter{{script="{path}"}}']):
        made = emu(*words, *how)
        assert made.exit_code == 2
        assert "script.mlir: line 5" in made.stderr
    (tmp_path / "script.mlir").write_text(script(*NEURO))
    told = json.loads(emu(*words, *how, "--json").stdout)
    assert (told["call_sites"], told["contractions"], told["counters"]["products"]) == (1, 1, 6)
    assert emu(*words, "--script", tmp_path / "script.mlir").stderr.startswith("error: --script")
    assert "holds no transform script" in emu(*words, "--recipe", "neuroboard", "--script", words[0]).stderr


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (script(MATCH, failures="suppress"), "write failures(propagate)"),
        (script(MATCH) * 2, "is a second script"),
        (
            f"transform.named_sequence @other(%root: {ANY}) {{\ntransform.yield\n}}",
            "is never run: call it @__transform_main",
        ),
    ],
)
def test_scripts_that_are_not_run_are_refused(tmp_path, content, said):
    (tmp_path / "model.mlir").write_text(PAYLOAD + content)
    made = emu(tmp_path / "model.mlir", "--recipe", "neuroboard")
    assert (made.exit_code, made.stderr.count("\n")) == (2, 1), made.output
    assert said in made.stderr


def test_sizes_that_nobody_gives_are_asked_for():
    for more in ([], ["--until", "neuro"]):
        made = emu(EXAMPLE, "--recipe", "neuroboard", *more)
        assert made.exit_code == 2
        assert "give it by --input, or its sizes by --shape a=..." in made.stderr
    for shape, said in (("d=1", "the inputs are 'a', 'b', 'c'"), ("a=1", "the program takes ? x ?")):
        assert said in emu(EXAMPLE, "--recipe", "neuroboard", "--shape", shape).stderr


@pytest.mark.parametrize("level", ["neuro", "calls"])
def test_its_levels_are_text_that_can_be_executed(tmp_path, level):
    file = tmp_path / "level.mlir"
    assert emu(EXAMPLE, "--recipe", "neuroboard", *SHAPES, "--until", level, "-o", file).exit_code == 0
    assert "transform" not in file.read_text()
    made = emu(file, "--backend", "sequential", "--json")
    assert made.exit_code == 0, made.stderr
    counters = json.loads(made.stdout)["counters"]
    assert (counters["writes"], counters["products"]) == (9, 45)


def test_a_matrix_may_be_written_for_each_row(tmp_path):
    lines = [*NEURO[:3], NEURO[4], NEURO[3].replace("%mm", "%row"), *NEURO[5:]]
    path = tmp_path / "rows.mlir"
    path.write_text(PAYLOAD + script(*lines))
    told = json.loads(emu(path, "--recipe", "neuroboard", "--backend", "sequential", "--json").stdout)
    assert (told["exit_code"], told["counters"]["writes"], told["counters"]["products"]) == (0, 6, 6)


@settings(max_examples=examples(12, 100))
@given(
    sizes=st.tuples(*[st.integers(1, 9)] * 3),
    tiles=st.tuples(*[st.integers(1, 5)] * 2),
    order=st.sampled_from(["[1, 2, 0]", "[2, 1, 0]"]),
    whole=st.booleans(),
    turned=st.booleans(),
)
def test_any_tiles_of_the_example_make_the_same(sizes, tiles, order, whole, turned):
    m, k, n = sizes
    text = EXAMPLE.read_text().replace("[0, 16, 16]", f"[0, {tiles[0]}, {tiles[1]}]").replace("[1, 2, 0]", order)
    if not whole:  # an allocation for a tile, which is written again and again
        lines = text.splitlines()
        alloc = [line for line in lines if "get_operand %matmul[1]" in line or "create.alloc" in line]
        kept = [line for line in lines if line not in alloc]
        at = next(place for place, line in enumerate(kept) if "create.write_matrix" in line)
        text = "\n".join([*kept[:at], *(line.replace("%matmul[1]", "%tile[1]") for line in alloc), *kept[at:]])
    if turned:  # the second factor is [n, k]
        text = text.replace("linalg.matmul", "linalg.matmul_transpose_b")
    context = OffloadContext(SMALL, 2)
    program = HostProgram.read(Path("model.mlir"), text.encode(), context)
    rng, factor = np.random.default_rng(sizes), (n, k) if turned else (k, n)
    arrays = [rng.standard_normal(shape).astype(np.float32) for shape in ((m, k), factor, (m, n))]
    sized, golden = program.sized(arrays)
    passes = with_script(("transform-interpreter", "neuro-to-calls"), None)
    for level in ("neuro", "calls"):
        found = compare("y", sized.lowered(passes, context, level).run(arrays, NumpyCrossbars())[0], golden[0])
        assert found.right, found.line()


def test_the_kernel_runs_on_a_board(monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(ROOT / "examples" / "device"))
    words = (EXAMPLE, "--recipe", "neuroboard", *SHAPES, "--backend", "board:SerialBoard", "--cores", 1)
    made = emu(*words, "--tolerance", 0.05)
    assert made.exit_code == 0, made.output
    assert re.search(
        r"PASS  output: 0 of 185 elements deviate by more than 5.00% .*, max deviation [0-9.]+%", made.stdout
    )
    told = json.loads(emu(*words, "--tolerance", 0.001, "--json").stdout)
    (output,) = told["outputs"]
    assert told["exit_code"] == 1 and 0.001 < output["deviation"] < 0.05 and output["differ"] > 0
