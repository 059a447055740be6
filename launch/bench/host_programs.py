"""Rows about host programs as MLIR text: `emu offload`, the interpreter, schedules of products, text against ONNX."""

from __future__ import annotations

import time
from pathlib import Path

from emu.arch import Arch
from launch.bench.chain import write_chain_text
from launch.bench.clock import interleaved
from launch.bench.command import run_emu
from launch.bench.measurement import BenchGoal, RowMeasurement
from launch.bench.probe import probe
from launch.bench.row import BenchRow, at_most, within
from launch.bench.workshop import Workshop

PRODUCT, SIZES = "C(m,n) +=! A(m,k) * B(k,n)", {"m": 200, "k": 130, "n": 70}  # as in examples/kernels/mm.mlir
SIDE, TILE = 128, 8  # of a product in small tiles
PRODUCTS = 3000


def offload_command(work: Workshop) -> RowMeasurement:
    """Seconds of a whole `emu offload` of a product, with core processes."""
    import statistics

    path = work.folder / "product.mlir"
    probe(write_product, path=path)
    passed = statistics.median(run_emu("offload", path, "--arch", "occ").seconds for _ in range(work.settings.few))
    sizes = " x ".join(map(str, SIZES.values()))
    note = (
        f"whole command to its verdict, {sizes} of int8 on four core processes; median of {work.settings.few}; absolute"
        " target only"
    )
    return RowMeasurement(ours=passed, baseline=None, unit="s", note=note)


def write_product(path: str) -> None:
    """Write a host program as MLIR text."""
    from compiler.offload.comprehension import text_of

    Path(path).write_text(text_of(PRODUCT, SIZES, "i8"))


def interpreter(work: Workshop) -> RowMeasurement:
    """Operations per second of the interpreter of host programs."""
    side = TILE * 2 if work.settings.quick else SIDE
    found = probe(interpret, side=side).result
    note = (
        f"{found['operations']} operations: {side} x {side} x {side} of int8 in tiles of {TILE} x {TILE}, written and"
        " multiplied by NumPy; one run, warm; absolute target only"
    )
    return RowMeasurement(
        ours=found["operations"] / found["seconds"], baseline=None, unit="per second", note=note, details=found
    )


def interpret(side: int) -> dict[str, float]:
    """Seconds, and operations, of a product in small tiles."""
    import numpy as np
    from xdsl.dialects.func import FuncOp
    from xdsl.interpreter import Interpreter
    from xdsl.ir import Operation

    from compiler.interpreter.host.run import run_function
    from compiler.offload.comprehension import text_of
    from compiler.offload.context import OffloadContext
    from compiler.offload.program import HostProgram

    class OperationCounter(Interpreter.Listener):
        """Counts interpreted operations."""

        operations = 0

        def will_interpret_op(self, op: Operation, args: tuple[object, ...]) -> None:
            """Count an operation."""
            self.operations += 1

    context, counter = OffloadContext(Arch(), 1), OperationCounter()
    text = text_of(PRODUCT, dict.fromkeys("mnk", side), "i8")
    passes = ("linalg-generalize", "detect-contractions", f"tile{{sizes={TILE},{TILE},{TILE}}}", "linalg-to-cim")
    module = HostProgram.read(Path("product"), text.encode(), context).lowered(passes, context, "cim").module
    (function,) = (op for op in module.ops if isinstance(op, FuncOp))
    arrays = [np.ones((side, side), np.int8)] * 2
    run_function(function, module, arrays, {}, [counter])
    began = time.perf_counter()
    run_function(function, module, arrays, {})
    return {"seconds": time.perf_counter() - began, "operations": counter.operations}


def schedule(work: Workshop) -> RowMeasurement:
    """Seconds of the pass that schedules products, of a block of many."""
    found = probe(schedule_products, count=100 if work.settings.quick else PRODUCTS).result
    note = f"{found['products']} products that depend on each other, on four crossbars; one run; absolute target only"
    return RowMeasurement(ours=found["seconds"], baseline=None, unit="s", note=note)


def schedule_products(count: int) -> dict[str, float]:
    """Seconds of `cinm-to-cim` on so many products, of which each takes the sum of two results before it."""
    from xdsl.dialects import arith
    from xdsl.dialects.builtin import FunctionType, ModuleOp, TensorType, i32
    from xdsl.dialects.func import FuncOp, ReturnOp
    from xdsl.ir import SSAValue

    from compiler.dialects.cinm import GemmOp
    from compiler.offload.context import OffloadContext
    from compiler.offload.pipeline import make

    kind = TensorType(i32, [8, 8])
    function = FuncOp("main", FunctionType.from_lists([kind, kind], [kind]))
    block, values = function.body.block, list[SSAValue](function.body.block.args)
    for number in range(count):
        added = arith.AddiOp(values[max(0, number - 7)], values[max(0, number - 40)])
        product = GemmOp.create(operands=[added.result, values[1]], result_types=[kind])
        block.add_ops([added, product])
        values.append(product.result)
    block.add_op(ReturnOp(values[-1]))
    module, context = ModuleOp([function]), OffloadContext(Arch(), 4)
    began = time.perf_counter()
    make("cinm-to-cim{schedule=asap crossbars=4}").apply(context, module)
    return {"seconds": time.perf_counter() - began, "products": count}


def text_against_onnx(work: Workshop, depth: int, channels: int, size: int) -> RowMeasurement:
    """Seconds of compiling a network from MLIR text, and from ONNX."""
    model = work.model(f"chain-{depth}-{channels}-{size}")
    text = model.with_suffix(".mlir")
    probe(write_chain_text, source=model, path=text, size=size)

    def compiled(path: Path) -> float:
        out = work.folder / "compiled"
        return run_emu("compile", path, "-o", out, "--cores", 16, "--golden", "none").seconds

    onnx, ours = interleaved(lambda: compiled(model), lambda: compiled(text), work.settings.few)
    note = (
        f"whole command, {depth} convolutions of {channels} channels on {size} x {size} pixels, --golden none; medians"
        f" of {work.settings.few}, in turns"
    )
    return RowMeasurement(ours=ours, baseline=onnx, unit="s", against="the same network from ONNX", note=note)


ROWS = (
    BenchRow("offload-command", "`emu offload` of a product to its verdict", offload_command, **within("s", 4)),
    BenchRow(
        "host-interpreter",
        "operations of a host program in tiled loops",
        interpreter,
        target=BenchGoal(">=", 10_000, "ours", "per second"),
    ),
    BenchRow(
        "schedule-products",
        "3,000 products scheduled as soon as possible, by `cinm-to-cim`",
        schedule,
        **within("s", 2),
    ),
    BenchRow(
        "compile-text",
        "`emu compile` of MLIR text against ONNX",
        text_against_onnx,
        {"depth": 8, "channels": 64, "size": 32},
        **at_most(1),
    ),
)
