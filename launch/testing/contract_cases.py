"""The points of the contract about order and values, each a function of a bench; those about errors stand beside."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import numpy as np

from launch.devices.crossbar import Crossbar
from launch.devices.failures import DeviceError
from launch.testing.contract_bench import Bench, ContractBroken, Skip

Check = Callable[[Bench], None]


def types(bench: Bench) -> None:
    """A product of full crossbars."""
    bench.acquire(*bench.tile).write().gemm(5).result()


def one_vector(bench: Bench) -> None:
    """Vectors alone, and in a matrix."""
    held = bench.acquire(*bench.tile).write()
    x = bench.values(held.spec.input, 4, held.spec.rows)
    rows = held.gemm(x=x).result()
    alone = np.array([held.gemm(x=vector).result() for vector in x])
    if bench.tolerance is None and rows.tobytes() != alone.tobytes():
        raise ContractBroken("a vector alone gives other bits than in a matrix of vectors")


def order(bench: Bench) -> None:
    """Products between writes of matrices that none takes for another."""
    held, products = bench.acquire(*bench.tile), []
    low = -1 if held.spec.weight.is_signed else 0
    x = np.ones((2, held.spec.rows), held.spec.input.numpy)
    for share in (1, low, 0.5, low, 1):
        held.fill(share)
        products += [held.gemm(x=x), held.gemm(x=x)]
    for each in products:
        each.result()


def arguments(bench: Bench) -> None:
    """Arrays that the caller changes after the call."""
    held = bench.acquire(*bench.tile)
    matrix = bench.values(held.spec.weight, *held.matrix.shape)
    x = bench.values(held.spec.input, 3, held.spec.rows)
    held.write(matrix)
    matrix[:] = 0
    pending = held.gemm(x=x)
    x[:] = 0
    pending.result()


def partial_writes(bench: Bench) -> None:
    """Rows written in any order, over others, over edges of tiles, and between products."""
    rows, cols = bench.tile
    held = bench.acquire(rows, cols)
    for row in reversed(range(0, rows, 5)):
        held.write_rows(row, min(5, rows - row))
    pending = [held.gemm()]
    for row, count in ((rows // 2, 1), (0, rows // 3 + 1), (rows - 1, 1)):
        held.write_rows(row, count)
        pending.append(held.gemm())
    for each in pending:
        each.result()


def accumulate(bench: Bench) -> None:
    """A product added to an array, and a chain of products added to each other."""
    held, other = bench.acquire(*bench.tile).write(), bench.acquire(*bench.tile).write()
    total = held.gemm(3, start=bench.values(held.spec.output, 3, held.spec.cols))
    for crossbar in (other, held, other):
        total = crossbar.gemm(3, start=total)
    total.result()


def interleaved(bench: Bench) -> None:
    """Crossbars of all cores, written and multiplied by in turns; results taken in reverse."""
    rows, cols = bench.tile
    held = [bench.acquire(max(1, rows - k), max(1, cols - k)) for k in range(_room(bench))]
    if bench.device.cores > 1 and len({each.crossbar.core for each in held}) < 2:
        raise ContractBroken("crossbars that are acquired while others are held stand on one core")
    pending = []
    for turn in range(3):
        for each in held:
            each.write() if turn % 2 == 0 else each.write_rows(0, 1)
            pending += [each.gemm(2)]
        pending += [each.gemm(1) for each in reversed(held)]
    for each in reversed(pending):
        each.result()


def groups(bench: Bench) -> None:
    """Matrices over several crossbars, whole ones and rests, in rows, in columns, and in both."""
    (rows, cols), done = bench.tile, 0
    for high, wide in product((1, 2), (1, 2)):
        if high == wide == 1:
            continue
        for less in (0, 1):
            try:
                held = bench.acquire(high * rows - less, wide * cols - less)
            except DeviceError:  # more crossbars than a core has
                continue
            held.write()
            held.gemm(4).result()
            held.write_rows(rows // 2, max(1, min(rows // 2, held.spec.rows - rows // 2)))
            held.gemm(2).result()
            held.crossbar.release()
            done += 1
    if not done:
        raise Skip("a core has no two crossbars for a matrix of this type")


def reuse(bench: Bench) -> None:
    """All crossbars acquired, released and acquired again, in other sizes."""
    rows, cols = bench.tile
    for less in (0, 1, 0):
        held = [bench.acquire(max(1, rows - less), max(1, cols - less)) for _ in range(_room(bench))]
        for pending in [each.write().gemm(2) for each in held]:
            pending.result()
        first, *others = held
        first.crossbar.release()
        again = bench.acquire(rows, 1).write()
        for pending in [each.gemm(2) for each in (*others, again)]:
            pending.result()
        for each in (*others, again):
            each.crossbar.release()


def wraps(bench: Bench) -> None:
    """Integers of all bits, added to the largest and the smallest of results."""
    if bench.tolerance is not None:
        raise Skip("results with a tolerance stay far from where integers wrap")
    if bench.types[2].is_float:
        raise Skip("no type of integers is taken")
    held = bench.acquire(*bench.tile)
    held.write(bench.bits(held.spec.weight, *held.matrix.shape))
    x, limits = bench.bits(held.spec.input, 4, held.spec.rows), np.iinfo(held.spec.output.numpy)
    ends = np.array([[limits.max], [limits.min]] * 2, held.spec.output.numpy)
    held.gemm(x=x, start=np.broadcast_to(ends, (4, held.spec.cols))).result()
    held.gemm(x=x[0]).result()


def narrow_results(bench: Bench) -> None:
    """The same with results as narrow as weights."""
    bench.types = (*bench.types[:2], bench.types[1])
    wraps(bench)


def barrier(bench: Bench) -> None:
    """Everything is done after a barrier, and what is named after a barrier that names it."""
    held = [bench.acquire(*bench.tile).write() for _ in range(2)]
    pending = [each.gemm(2) for _ in range(3) for each in held]
    bench.device.barrier(pending[0].future)
    first = pending[0].future.done()
    bench.device.barrier()
    if not first or not all(each.future.done() for each in pending):
        raise ContractBroken("a future is not done after the barrier for it")
    for each in pending:
        each.result()


def _room(bench: Bench) -> int:
    """How many matrices of one crossbar each fit, at most 16."""
    taken: list[Crossbar] = []
    cores, crossbars = bench.device.cores, bench.arch.core.crossbars // bench.arch.cells(bench.types[1])
    for _ in range(min(16, cores * crossbars)):
        try:
            taken.append(bench.take(1, 1))
        except DeviceError:
            break
    for each in taken:
        each.release()
    return max(2, len(taken))


CASES: dict[str, tuple[str, Check]] = {
    "one vector": ("a vector gives what it gives as a row of a matrix", one_vector),
    "order": ("a product sees what was written before it, and not what was written after it", order),
    "arguments": ("what a caller does with arrays after a call changes nothing", arguments),
    "partial writes": ("rows that are written replace those that stood there, others stay", partial_writes),
    "accumulate": ("a product is added to what it is given: an array, or another product", accumulate),
    "interleaved": ("crossbars of all cores do not disturb each other", interleaved),
    "groups": ("a matrix larger than a crossbar stands on several", groups),
    "reuse": ("crossbars that were released hold what others write", reuse),
    "wraps": ("integers wrap to the type of results", wraps),
    "narrow results": ("integers wrap to results of the type of weights, unless that is refused", narrow_results),
    "barrier": ("all products are there after a barrier", barrier),
}
MAY_REFUSE = frozenset({"narrow results"})  # cases about types that not every board takes
