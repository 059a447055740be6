"""What a pixel takes: by the chip's cost model where it has figures, by those of no chip in particular elsewhere."""

from dataclasses import replace

from onnx_nets import Net

from compiler.compiling import lower
from compiler.dialects import spat
from compiler.mapping.cost import NOMINAL, WRITE_NS, behind_ns, prices_of, vector_ns, writing_ns
from compiler.passes import PIPELINE
from compiler.request import make_request
from compiler.session.context import make_context
from emu.arch import Arch
from emu.arch.read import load_arch
from emu.isa.dtypes import DType

ISAAC = load_arch("cim-mlc-isaac")


def test_the_cost_model_of_the_chip():
    """128 word lines, 8 at a time, 8 slices of the input: 128 reads of 1 ns; a short vector takes 3 ns."""
    assert vector_ns(ISAAC) == 3
    assert prices_of(ISAAC, DType.i8).pixel(1, 1) == 128 + 3 * 3
    assert prices_of(ISAAC, DType.i8).pixel(2, 4) == 128 + 3 * 8
    one_by_one = replace(ISAAC, timing=replace(ISAAC.timing, model="puma", adc=replace(ISAAC.timing.adc, convert_ns=1)))
    assert prices_of(one_by_one, DType.i8).pixel(1, 2) > 2 * 128


def test_a_chip_that_names_no_cost_model_has_that_which_stands_for_it():
    chip = load_arch("pimsim-latency")
    assert chip.timing.model == "pipeline"
    unnamed = replace(chip, timing=replace(chip.timing, model=None))
    assert prices_of(unnamed, DType.i8) == prices_of(chip, DType.i8)


def test_writing_takes_the_rows_of_a_core_and_the_bytes_of_all():
    """128 x 32 weights of 8 bits in a crossbar are 4,096 bytes, 48 of which come in a cycle."""
    puma = load_arch("cim-mlc-puma")
    assert writing_ns(puma, DType.i8, 2, 10) == 2 * 10 * 86
    assert puma.timing is not None
    crossbar = replace(puma.timing.crossbar, write_row_ns=5)
    slow = replace(puma, timing=replace(puma.timing, crossbar=crossbar))
    assert writing_ns(slow, DType.i8, 2, 10) == 2 * (10 * 86 + 128 * 5)
    assert writing_ns(load_arch("cim-mlc-jia"), DType.i8, 1, 16) == 0  # no times in the table


def test_chips_without_figures():
    plain = Arch(name="plain")
    assert writing_ns(plain, DType.f32, 2, 9) == 2 * WRITE_NS * plain.crossbar.rows
    assert prices_of(plain, DType.f32) == NOMINAL
    assert NOMINAL.pixel(3, 2) == NOMINAL.product + NOMINAL.group + 3 * NOMINAL.row


def test_vector_work_belongs_to_the_last_product_before_it():
    net = Net([1, 3, 8, 8])
    first = net.conv("x", 3, 4, (1, 1))
    second = net.conv(first, 4, 4, (1, 1))
    model = net.model(net.add("MaxPool", net.add("Add", first, second), kernel_shape=[2, 2], strides=[2, 2]))
    passes = ",".join(PIPELINE[: PIPELINE.index("cut-layers")])
    request = make_request(model, ISAAC, cores=8, placement="scatter", pipeline=passes)
    context = make_context(ISAAC, request.options)
    module, _ = lower(request, context)
    ops = list(module.ops)
    products = [op for op in ops if isinstance(op, spat.ProductOp)]
    before, behind = behind_ns(ISAAC, ops, products)
    assert before == 0
    assert behind >= 3 * 4 * 16  # four taps of 16 windows
