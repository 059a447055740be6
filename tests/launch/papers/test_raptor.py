"""The measurements of the thesis on channel-wise lowering, with small images."""

from pathlib import Path

import pytest
from commands import CAN_DRAW
from emu_processes import EmuProcesses
from papers import FIGURES, made

from emu.errors import InputError
from launch.papers.channel_wise.measuring import NAMED

ROOT = Path(__file__).parents[3]
CASES_HERE = "from launch.campaigns import starting; starting.place_for = lambda *_: starting.InThisProcess()"
SMALL = {"mapping": {}, "instructions": {"sizes": (2, 4)}, "ir-size": {"sizes": (3, 5)},
         "compile-time": {"sizes": (3, 5), "repeat": 1}}  # fmt: skip


def test_the_mapping_example_is_the_published_one():
    found = made("raptor/mapping")
    assert [(entry.paper, entry.ours, entry.met) for entry in found.published] == [
        (number, number, True) for number in (6, 9, 54, 11)
    ]
    assert sum(row["crossbars"] for row in found.rows) == 54 and len(found.rows) == 11
    assert sum(row["weights"] for row in found.rows) == 8 * 4 * 3 * 3


def test_instructions_of_both_schemes():
    sizes = (2, 3, 5)
    rows = {(row["size"], row["scheme"]): row for row in made("raptor/instructions", sizes=sizes).rows}
    assert tuple(dict.fromkeys(size for size, _ in rows)) == sizes
    for (size, scheme), row in rows.items():
        assert sum(row[name] for name in NAMED) + row["others"] == row["unrolled"]
        pixels = (size - 1) ** 2  # of the output: the kernel has 2 x 2
        assert row["mvmul"] == 24 // 4 * pixels and row["sent"] == 32 * pixels, scheme  # the same work in both
    for size in sizes:
        channel, pixel = rows[size, "channel"], rows[size, "pixel"]
        assert pixel["send"] == (size - 1) ** 2 * channel["send"]
    written = {scheme: [rows[size, scheme]["written"] for size in sizes[1:]] for scheme in ("channel", "pixel")}
    assert len(set(written["channel"])) == 1 and written["pixel"] == sorted(set(written["pixel"]))


def test_only_pixel_wise_ir_grows():
    found = made("raptor/ir-size", sizes=(4, 6))
    (published,) = found.published
    assert published.paper == published.ours == 1 and published.met
    for key in ("spat_operations", "pim_operations"):
        channel, pixel = ([row[key] for row in found.rows if row["scheme"] == name] for name in ("channel", "pixel"))
        assert len(set(channel)) == 1 and pixel == sorted(set(pixel)) and pixel[-1] > 4 * channel[-1]


def test_times_are_measured_and_compared():
    found = made("raptor/compile-time", **SMALL["compile-time"])
    ratios = [row["ratio"] for row in found.rows]
    assert [row["size"] for row in found.rows] == [3, 5]
    assert all(row["ratio"] == row["pixel"] / row["channel"] > 0 for row in found.rows)
    (published,) = found.published
    assert (published.paper, published.ours) == ((5, 8), (min(ratios), max(ratios)))
    assert published.met == (min(ratios) >= 4 and max(ratios) <= 9.6) and bool(published.why) != published.met


def test_the_images_are_those_of_the_thesis():
    default = FIGURES["raptor/instructions"]
    assert [each.given["size"] for each in default.measure(_nothing())] == [size for size in range(2, 10) for _ in "ab"]


def _nothing():
    from launch.papers.frame.figure import WantedOptions

    return WantedOptions()


@pytest.mark.skipif(not CAN_DRAW, reason="drawing takes two packages")
@pytest.mark.parametrize(
    "files",
    [
        pytest.param({"mapping": "p.svg", "instructions": "q.svg", "compile-time": "r.svg"}, marks=pytest.mark.full),
        {"ir-size": "p.png"},
    ],
    ids=", ".join,
)
def test_pictures(emu_processes: EmuProcesses, tmp_path: Path, files: dict[str, str]) -> None:
    """In processes of their own: the library keeps threads. Their cases run there, too."""
    for name, file in files.items():
        options = [
            f"--{key}={','.join(map(str, value)) if key == 'sizes' else value}" for key, value in SMALL[name].items()
        ]
        words = ["paper", f"raptor/{name}", *options, "--plot", tmp_path / file]
        done = emu_processes.run(*words, before=CASES_HERE, cwd=ROOT, timeout=300)
        assert done.returncode == 0, done.stderr
    for name, file in files.items():
        picture = (tmp_path / file).read_bytes()
        assert picture.startswith(b"<svg" if file.endswith(".svg") else b"\x89PNG\r\n")
        if file.endswith(".svg"):
            assert FIGURES[f"raptor/{name}"].title.encode() in picture


@pytest.mark.parametrize(("name", "least"), [("instructions", 2), ("compile-time", 3), ("ir-size", 3)])
def test_an_image_is_no_smaller_than_its_kernel(name, least):
    with pytest.raises(InputError, match=f"sizes=1: the kernel is {least} pixels wide, so give {least} or more"):
        made(f"raptor/{name}", sizes=(1, 4))


def test_too_many_pixels_are_a_reason():
    found = made("raptor/ir-size", sizes=(60,))
    assert [row["reason"] and "more than 10000 products" in row["reason"] for row in found.rows] == [None, True]
