"""Products of two results on crossbars: as golden, matrices written as seldom as can be, or left with a reason."""

from dataclasses import replace

import numpy as np
import pytest
from draws import examples
from hypothesis import HealthCheck, given, settings
from in_process import assert_close, check_compiled, compile_in_memory, golden, random_sample, run_in_process
from levels import verified
from onnx import helper
from onnx_models import make_model, random_array
from random_graphs import Case
from random_products import COLUMNS, MMUL, ROWS, WAYS, campaign, check, products, seen

from compiler.compiling import compile_model
from compiler.request import make_request
from emu.arch import Arch, Core, Crossbar
from emu.isa.codes import WRITES_GROUP
from emu.program.group import physical_crossbars
from emu.program.nesting import executions

relaxed = settings(suppress_health_check=list(HealthCheck))
NODE = helper.make_node


def chip(crossbars=64, cores=64, **keys):
    return Arch(name="small", cores=cores, core=Core(crossbars=crossbars), crossbar=Crossbar(ROWS, COLUMNS, **keys))


def product(left, right):
    return make_model([NODE("MatMul", ["a", "b"], ["y"], "product")], {"a": left, "b": right})


def attention(heads=2, tokens=6, size=6, batch=1):
    """Queries, keys and values by products with constants, then two products of results per head."""
    width = heads * size
    nodes, weights = [], {"split": np.array([batch, tokens, heads, size]), "joined": np.array([batch, tokens, width])}
    for name, perm in (("q", [0, 2, 1, 3]), ("k", [0, 2, 3, 1]), ("v", [0, 2, 1, 3])):
        weights[f"w{name}"] = random_array(width, width, seed=ord(name), scale=width**-0.5)
        nodes += [
            NODE("MatMul", ["x", f"w{name}"], [f"{name}0"], f"{name}_product"),
            NODE("Reshape", [f"{name}0", "split"], [f"{name}1"]),
            NODE("Transpose", [f"{name}1"], [name], perm=perm),
        ]
    nodes += [
        NODE("MatMul", ["q", "k"], ["s"], "scores"),
        NODE("Softmax", ["s"], ["p"], axis=-1),
        NODE("MatMul", ["p", "v"], ["m"], "mix"),
        NODE("Transpose", ["m"], ["t"], perm=[0, 2, 1, 3]),
        NODE("Reshape", ["t", "joined"], ["y"]),
    ]
    return make_model(nodes, {"x": (batch, tokens, width)}, weights=weights)


def right(model, arch, cores=8, **options):
    """The programs with all products on crossbars, which are proved, fit, and compute what they should; twice."""
    compiled = compile_in_memory(model, arch, cores, **{"products": "all", **options})
    report = check_compiled(compiled)
    assert report.proved, [verdict for verdict in report.verdicts if verdict.detail]
    assert all(physical_crossbars(one.groups, arch) <= arch.core.crossbars for one in compiled.programs.values())
    sample = random_sample(compiled.inputs)
    wanted = golden(model, sample)
    for found in run_in_process(compiled, [sample] * 2):
        assert_close(found, wanted)
    return compiled


def cells_written(compiled):
    """By all programs, per sample."""
    total = 0
    for program in compiled.programs.values():
        columns, times = program.main.columns, executions(program.main)
        for index in np.flatnonzero(WRITES_GROUP[columns["op"]]).tolist():
            group = program.groups[columns["arg0"][index]]
            total += int(columns["n"][index]) * group.cols * int(times[index])
    return total


def digital(compiled):
    return sum(int((program.main.columns["op"] == MMUL).sum()) for program in compiled.programs.values())


def warnings_of(model, arch, tmp_path, cores=8, **options):
    request = make_request(model, arch, cores=cores, products="all", **options)
    return compile_model(request, tmp_path / "out").warnings


@settings(relaxed, max_examples=examples(25, 100))
@given(products(), WAYS)
def test_random_products(case, way):
    """On both engines, in a second sample, proved: some are written, some find no room."""
    check(case, way)


@pytest.mark.full
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("number", range(4))
def test_many_random_products(number):
    tally = campaign(500, number)
    assert not tally.failures
    assert tally.right > 0.8 * tally.count, tally.refused
    assert seen["writes"] > tally.right / 2 and seen["digital"]


@pytest.mark.few(11)
@pytest.mark.parametrize("granularity", ["image", "rows:1", "rows:2", "auto"])
@pytest.mark.parametrize(
    ("left", "other", "cells"),
    [
        ((7, 9), (9, 6), 54),  # 63 or 54
        ((3, 9), (9, 4), 27),  # the left one: the transposed product
        ((2, 3, 7, 9), (2, 3, 9, 6), 6 * 54),
        ((2, 3, 7, 9), (9, 6), 54),  # whatever shares a matrix meets it where it stands
        ((2, 3, 7, 9), (3, 9, 6), 3 * 54),
        ((3, 9), (2, 4, 9, 4), 27),
        ((2, 1, 7, 9), (1, 3, 9, 6), 2 * 63),  # fewer matrices, if larger ones
        ((9,), (4, 9, 4), 9),
    ],
)
def test_each_matrix_of_the_smaller_operand_is_written_once(left, other, cells, granularity):
    compiled = right(product(left, other), chip(), cores=1, granularity=granularity)
    assert (cells_written(compiled), digital(compiled)) == (cells, 0)


@pytest.mark.parametrize("crossbars", [4, 5, 9, 23, 24])
def test_more_heads_than_crossbars_take_turns(crossbars):
    """A matrix of 9 x 6 takes 3 x 2 crossbars of 4 x 5; with 4 there is room for none."""
    model = product((2, 4, 7, 9), (2, 4, 9, 5))
    compiled = right(model, chip(crossbars), cores=1)
    (program,) = compiled.programs.values()
    written = [group for group in program.groups if group.shares]
    assert len(written) == min(8, crossbars // 3)
    assert cells_written(compiled) == 8 * 45


@pytest.mark.few(5)
@pytest.mark.parametrize("granularity", ["image", "rows:1", "rows:2"])
@pytest.mark.parametrize("crossbars", [20, 64, 200])
def test_attention_is_as_the_digital_unit_has_it(granularity, crossbars):
    model = attention(batch=2)
    compiled = right(model, chip(crossbars), cores=20, granularity=granularity, placement="scatter")
    plain = compile_in_memory(model, chip(crossbars), 20, "dense", "scatter", granularity)
    assert (digital(plain) > 0, cells_written(plain)) == (True, 0)
    assert digital(compiled) == 0 < cells_written(compiled)
    sample = random_sample(compiled.inputs)
    reference = run_in_process(compiled, [sample])[0]["y"].tobytes()
    for engine, flow in (("step", "rendezvous"), ("batch", "credits:1"), ("fast", "credits:4")):
        (found,) = run_in_process(compiled, [sample], engine, flow)
        assert engine == "fast" or found["y"].tobytes() == reference


def test_products_move_to_a_core_with_crossbars():
    """Cores are full of constant weights, but for those that are left."""
    full = chip(6)
    compiled = right(attention(heads=1, tokens=5, size=4), full, cores=8, placement="pack")
    assert digital(compiled) == 0


@pytest.mark.parametrize(
    "schedule",
    [
        {"duplicate": "latency"},
        {"pipelined": True},
        {"stagger": True},
        {"lowering": "pixel"},
        {"segments": True, "arch": chip(12, 2), "cores": 2},
        {"remap_rows": True, "arch": replace(chip(64, parallel_rows=2), mode="wlm")},
    ],
    ids=lambda schedule: next(iter(schedule)),
)
def test_schedules_leave_them_their_crossbars(schedule):
    options = {"arch": chip(), "cores": 12, **schedule}
    right(attention(), **options)


def test_what_finds_no_room_is_told(tmp_path):
    (warning,) = warnings_of(product((7, 21), (21, 5)), chip(5), tmp_path, cores=1)
    assert warning == (
        "products='all': 1 product of two results (product) on the digital unit: a matrix of it takes 6 crossbars, and"
        " its core has room for 5 in its bank"
    )
    assert digital(right(product((7, 21), (21, 5)), chip(5), cores=1))


def test_what_sums_over_one_operand_alone_is_told(tmp_path):
    model = make_model([NODE("Einsum", ["a", "b"], ["y"], "e", equation="ij,jkl->ik")], {"a": (3, 4), "b": (4, 5, 6)})
    found = warnings_of(model, chip(), tmp_path)
    assert all("e/" in warning or "(e)" in warning for warning in found)
    right(model, chip())


def test_every_level_of_it_means_the_same():
    model = attention()
    sample = {"x": random_array(1, 6, 12)}
    found = verified(Case(model, sample, golden(model, sample)), chip(), {"products": "all", "granularity": "rows:2"})
    assert not isinstance(found, str) and found.passed, found


@pytest.mark.parametrize("granularity", ["image", "rows:2"])
def test_every_text_gives_the_image_that_a_compilation_at_once_gives(tmp_path, granularity):
    named = {"arch": chip(20), "cores": 6, "granularity": granularity, "products": "all"}
    compile_model(make_request(attention(), dump=tmp_path / "ir", **named), tmp_path / "whole")
    texts = sorted((tmp_path / "ir").glob("*.mlir"))
    assert any("kernel.written_product" in text.read_text() for text in texts)
    whole = {file.name: file.read_bytes() for file in (tmp_path / "whole").iterdir()}
    for text in texts:
        compile_model(make_request(start=text, **named), tmp_path / "again")
        assert {file.name: file.read_bytes() for file in (tmp_path / "again").iterdir()} == whole, text.name
