"""Products of floats: the same bits wherever a row or a column stands, and however many are multiplied."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from draws import examples
from host_kinds import KERNELS, runs
from hypothesis import example, given, settings
from hypothesis import strategies as st

from emu.core.products import probe
from emu.core.products.blas import KERNELS as TRIED
from emu.core.products.probe import chosen, steady
from emu.core.products.threads import ONE_THREAD
from emu.core.products.ways import INNER, PLAIN, WAYS, Einsum, Framed
from emu.program.group import COLUMN_MULTIPLE


def drawn(rows, cols, seed):
    return np.random.default_rng(seed).standard_normal((rows, cols), np.float32)


def product(way, x, weights):
    cols = weights.shape[-1]
    kept = way.multiply(x, way.factor(weights), cols, np.empty((*x.shape[:-1], cols), np.float32))
    assert way.multiply(x, way.factor(weights), cols).tobytes() == kept.tobytes()
    added = np.zeros((*x.shape[:-2], x.shape[-2] - 1, cols - 3), np.float32)  # rows and columns that nobody wants
    way.add(added, x, way.factor(weights), cols)
    assert np.array_equal(added, kept[..., :-1, :-3])
    return kept


def check(way, inner, cols, rows, parts, seed):
    """Each of `parts`, a first row and a number of rows, has the bits of the whole, and so has every column."""
    x, weights = drawn(rows, inner, seed), drawn(inner, cols, seed + 1)
    whole = product(way, x, weights)
    np.testing.assert_allclose(whole, x.astype(np.float64) @ weights, rtol=1e-4, atol=1e-4)
    for start, height in parts:
        rows_of = slice(min(start, rows - height), min(start, rows - height) + height)
        assert product(way, x[rows_of], weights).tobytes() == whole[rows_of].tobytes()
    order = np.random.default_rng(seed).permutation(cols)
    assert product(way, x, np.ascontiguousarray(weights[:, order])).tobytes() == whole[:, order].tobytes()


SIZES = {
    "inner": st.integers(1, INNER),
    "cols": st.integers(1, 70).map(lambda count: count * COLUMN_MULTIPLE),
    "rows": st.integers(140, 1024),
    "parts": st.lists(st.tuples(st.integers(0, 1023), st.integers(2, 140)), min_size=1, max_size=2),
    "seed": st.integers(0, 99),
}


@settings(max_examples=examples(30, 2000))
@given(**SIZES)
@example(inner=INNER, cols=1120, rows=1024, parts=[(5, 139)], seed=0)
def test_no_bit_depends_on_what_is_multiplied_beside(**sizes):
    check(chosen(), **sizes)


@pytest.mark.parametrize("way", WAYS, ids=lambda way: type(way).__name__)
def test_batches_are_products_one_by_one(way):
    x, weights = drawn(6 * 17, 40, 1).reshape(6, 17, 40), drawn(6 * 40, 32, 2).reshape(6, 40, 32)
    whole = product(way, x, weights)
    np.testing.assert_allclose(whole, np.einsum("bmk,bkn->bmn", x, weights), rtol=1e-4, atol=1e-5)
    assert all(product(way, x[k], weights[k]).tobytes() == whole[k].tobytes() for k in range(6))


def test_some_way_is_steady_without_any_blas():
    assert steady(Einsum())


class ByHeight:
    """What a BLAS might do: a last bit that depends on the height, the place of a row, or that of a column."""

    name = "unsteady"

    def __init__(self, odd):
        self._odd = odd

    def factor(self, weights):
        return weights

    def multiply(self, x, factor, cols, out=None):
        out = np.einsum("...mk,...kn->...mn", x, factor, out=out)
        place = self._odd(*out.shape[-2:])
        out[..., *place] = np.nextafter(out[..., *place], np.float32(np.inf))
        return out


@pytest.mark.parametrize(
    "odd",
    [
        lambda rows, cols: np.s_[:, :] if rows < 3 else np.s_[:0, :],
        lambda rows, cols: np.s_[:, :] if rows == 31 else np.s_[:0, :],
        lambda rows, cols: np.s_[: rows - rows % 12 : 12, :],
        lambda rows, cols: np.s_[rows - rows % 4 :, :],
        lambda rows, cols: np.s_[512:, :],
        lambda rows, cols: np.s_[:, :8],
        lambda rows, cols: np.s_[:, cols - 8 :],
        lambda rows, cols: np.s_[:, 320:],
    ],
)
def test_the_probe_finds_what_is_unsteady(odd):
    assert not steady(ByHeight(odd))


def test_the_fastest_steady_way_is_chosen(monkeypatch):
    unsteady = ByHeight(lambda rows, cols: np.s_[:, :8])
    monkeypatch.setattr(probe, "WAYS", (unsteady, Framed(), Einsum(), PLAIN))
    probed = probe.fastest.__wrapped__()
    assert probed != unsteady and steady(probed)
    monkeypatch.setattr(probe, "WAYS", (unsteady, unsteady))
    assert probe.fastest.__wrapped__() is unsteady  # and `emu doctor` warns


CHECK = """
import json, sys
sys.path[:0] = sys.argv[1:]
from threadpoolctl import threadpool_info
from emu.core.products.probe import chosen, lone, packed, steady
from test_ways import check
way = chosen()
for inner, cols in ((9, 16), (27, 64), (100, 48), (128, 128), (256, 272), (64, 640), (256, 1120)):
    for rows, parts in ((150, ((1, 2), (7, 3), (5, 12), (50, 89))), (1024, ((6, 139), (512, 9)))):
        check(way, inner, cols, rows, parts, inner)
kernels = [pool.get("architecture") for pool in threadpool_info()]
print(json.dumps([way.name, steady(way), lone(way) is not None, packed(way) is not None, kernels]))
"""


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("threads", [ONE_THREAD, {}], ids=["one thread", "all threads"])
def test_a_steady_way_is_found_for_every_kernel(kernel, threads):
    """Where it is said how many threads there are, and where the probe has to see to it itself."""
    if not runs(kernel):
        pytest.skip(f"this processor has no {KERNELS[kernel]}")
    environment = {name: value for name, value in os.environ.items() if name not in ONE_THREAD}
    here = Path(__file__).parent
    paths = [here, here.parents[2] / "support", here.parents[3]]
    done = subprocess.run(
        [sys.executable, "-c", CHECK if threads else CHECK.replace("\nway = chosen()", ONE), *paths],
        env=environment | threads | {"OPENBLAS_CORETYPE": kernel},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    name, is_steady, has_vectors, is_packed, kernels = json.loads(done.stdout)
    assert is_steady and name in {way.name for way in WAYS}
    if kernel in kernels:
        assert name != WAYS[-1].name, "a slow way is not needed for this kernel"
        assert has_vectors, "the kernel for one vector rounds as that for many does"
        assert is_packed == (kernel in TRIED), "the kernel alone has the bits of the product around it"


ONE = """
way = chosen()
from emu.core.products.threads import one_blas_thread
one_blas_thread().__enter__()
"""
