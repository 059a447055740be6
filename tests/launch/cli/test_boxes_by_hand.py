"""Texts in which the rows of a layer were cut by hand into boxes on several cores run there, and are right."""

from pathlib import Path

import onnx
import pytest
from commands import Emu
from onnx import helper
from onnx_models import make_model, random_array

from emu.image.reader import open_image

HEIGHT, WIDTH, FILTERS = 8, 6, 4
WINDOW = "kernel = [3, 3], strides = [1, 1], dilations = [1, 1]"
FORM = "[1, C, H, W] with H = 8, W = 6, C = 4"


def network(path: Path) -> Path:
    """A convolution with padding and its activation, and a pooling of that."""
    nodes = [
        helper.make_node("Conv", ["x", "w", "b"], ["c"], "conv", pads=[1, 1, 1, 1]),
        helper.make_node("Relu", ["c"], ["y"], "relu"),
        helper.make_node("MaxPool", ["y"], ["z"], "pool", kernel_shape=[2, 2], strides=[2, 2]),
    ]
    weights = {"w": random_array(FILTERS, 1, 3, 3), "b": random_array(FILTERS)}
    onnx.save(make_model(nodes, {"x": (1, 1, HEIGHT, WIDTH)}, ("y", "z"), weights), str(path))
    return path


def part(name: str, core: int, first: int, end: int) -> str:
    """A compute of rows [first, end) of the convolution: one row more of the input on each side, where there is one."""
    low, high = max(0, first - 1), min(HEIGHT, end + 1)
    top, padded = low - (first - 1), end - first + 2
    tile, made = f"tensor<{padded}x8x1xf32>", f"tensor<{end - first}x6x4xf32>"
    return f"""
  %{name} = spat.compute(%{name}x = %x) {{node = "conv", tensors = ["y"], forms = <({FORM})>,
    boxes = <[{first}:{end}, 0:6, 0:4]>, core = {core}}} : (tensor<8x6x1xf32>) -> {made} {{
    %{name}p = kernel.concat(%{name}x) {{parts = <[{low}:{high}, 0:6, 0:1] at [{top}, 1, 0]>}} :
      (tensor<8x6x1xf32>) -> {tile}
    %{name}f = kernel.apply_filters(%{name}p) {{{WINDOW}, weights = "w", bias = "b", origins = [0],
      tiles = <0[0:9]>, channels = <0:4>, epilogue = <relu>}} : ({tile}) -> {made}
    spat.yield(%{name}f) : {made}
  }}"""


def edited(text: str, at: int) -> str:
    """The text with the convolution cut before row `at`; the pooling puts both boxes together again."""
    lines = text.splitlines()
    conv = next(number for number, line in enumerate(lines) if 'node = "conv"' in line)
    pool = next(number for number, line in enumerate(lines) if 'node = "pool"' in line)
    rest = "\n".join(lines[pool:])
    result = lines[conv].split(" = ", 1)[0].strip()
    (inside,) = [line for line in lines[pool:] if "kernel.pool" in line]
    argument = inside.split("kernel.pool(")[1].split(")")[0]
    boxes = [f"tensor<{at}x6x4xf32>", f"tensor<{HEIGHT - at}x6x4xf32>"]
    together = f"""    %whole = kernel.concat(%above, %below) {{
      parts = <[0:{at}, 0:6, 0:4] at [0, 0, 0], [0:{HEIGHT - at}, 0:6, 0:4] at [{at}, 0, 0]>}} :
      ({boxes[0]}, {boxes[1]}) -> tensor<8x6x4xf32>"""
    first = rest.splitlines()[0]
    taken = first.replace(f"({argument} = {result})", "(%above = %a, %below = %b)")
    rest = rest.replace(first, taken.replace(": (tensor<8x6x4xf32>)", f": ({boxes[0]}, {boxes[1]})"))
    rest = rest.replace(inside, f"{together}\n{inside.replace(f'({argument})', '(%whole)')}")
    output = next(line for line in rest.splitlines() if 'tensor = "y"' in line)
    cut = output.replace(f"spat.output({result})", "spat.output(%a, %b)")
    cut = cut.replace("<[0:8, 0:6, 0:4]>", f"<[0:{at}, 0:6, 0:4], [{at}:{HEIGHT}, 0:6, 0:4]>")
    cut = cut.replace("tensor<8x6x4xf32>", f"{boxes[0]}, {boxes[1]}")
    source = lines[conv - 1].split(" = ", 1)[0].strip()
    before = [*lines[: conv - 1], lines[conv - 1].replace(source, "%x", 1)]
    return "\n".join(before) + part("a", 0, 0, at) + part("b", 1, at, HEIGHT) + "\n" + rest.replace(output, cut) + "\n"


@pytest.mark.few(1)
@pytest.mark.parametrize(
    ("at", "granularity"),
    [
        pytest.param(at, granularity, marks=[] if way == place else pytest.mark.full)
        for place, at in enumerate((1, 4, 5))
        for way, granularity in enumerate(("image", "rows:1", "rows:2"))
    ],
)
def test_a_convolution_cut_along_its_rows(emu: Emu, tmp_path: Path, at: int, granularity: str) -> None:
    model = network(tmp_path / "m.onnx")
    mapping = ("--arch", "tiny", "--cores", 4, "--granularity", granularity)
    assert emu("compile", model, *mapping, "--until", "spat", "--dump", tmp_path).exit_code == 0
    (text,) = tmp_path.glob("*-place.mlir")
    text.write_text(edited(text.read_text(), at))
    made = emu("compile", model, "--from", text, *mapping, "-o", tmp_path / "out")
    assert made.exit_code == 0, made.stderr
    image = open_image(tmp_path / "out")
    assert [tile.box for tile in image.manifest.outputs[0].tiles] == [
        ((0, at), (0, WIDTH), (0, FILTERS)),
        ((at, HEIGHT), (0, WIDTH), (0, FILTERS)),
    ]
    assert [len(image.program(core).groups) for core in (0, 1)] == [1, 1]
    keep = ("--keep", "relu") if granularity == "image" else ()  # its boxes, put together
    for how in ((), ("--sequential", "--engine", "step")):
        done = emu("launch", tmp_path / "out", "--model", model, *keep, *how)
        assert done.exit_code == 0, done.stderr
        assert [line.split(":")[0] for line in done.stdout.splitlines() if line.startswith("PASS")] == [
            "PASS  y", "PASS  z"
        ]  # fmt: skip
