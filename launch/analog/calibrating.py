"""What `emu calibrate` does: reads an image and data, measures, chooses and writes."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

from emu.arch import Arch
from emu.errors import InputError, option
from emu.image.reader import Image, open_image
from emu.image.segments import refuse_segments
from emu.output.whole_file import WholeFile
from launch.analog.calibrate_options import CalibrateOptions
from launch.analog.calibration import calibrate, passes, ranges_text
from launch.analog.calibration_answer import calibration_answer
from launch.analog.described import described
from launch.analog.options import OF_PERCENTILE, OWN, chosen_percentile
from launch.analog.ranges import network_of
from launch.samples.inputs import load_inputs, sample_count
from launch.text.answer import Answer
from launch.text.progress import progress_bar


def calibration_of(out: Path, options: CalibrateOptions, quiet: bool = False) -> Answer:
    """Measure an image's ranges, and write them where the options say; raises EmuErrors."""
    method, percent = options.method, chosen_percentile(options.method, options.percentile)
    image = open_image(out)
    refuse_segments(image)
    inputs = load_inputs(_data_of(image, options.input), image.manifest.inputs)
    count = sample_count(inputs)
    arch = described(image, options.analog or (OWN,), None, count, measured=False)
    _refuse_without_bits(arch, method)
    percentile = percent if method == OF_PERCENTILE else None
    said = f"{method}{'' if percentile is None else f' {percentile:g}'} of {count} samples"
    with ExitStack() as stack:
        file = None if options.output is None else stack.enter_context(WholeFile(options.output))
        with progress_bar("measuring", count * passes(arch), quiet) as advance:
            groups = calibrate(image, arch, inputs, method, percent, advance)
        if file is not None:
            file.write(ranges_text(image, groups, f"Ranges of converters by emu calibrate: {said}").encode())
    return calibration_answer(
        groups,
        said,
        image=str(out),
        samples=count,
        method=method,
        percentile=percentile,
        adc_bits=arch.crossbar.adc_bits,
        network=network_of(image),
        file=None if options.output is None else str(options.output),
    )


def _data_of(image: Image, given: Path | None) -> Path:
    """The file with the data; raises InputError if there is none."""
    if given is None and not image.manifest.default_input:
        raise InputError(
            f"{image.path} has no inputs of its own to measure: give data by {option('input', 'FILE.npz')}"
        )
    return given or image.path / image.manifest.default_input


def _refuse_without_bits(arch: Arch, method: str) -> None:
    if method == "mse" and arch.crossbar.adc_bits is None:
        raise InputError(
            f"{option('method', method)} is about the bits of converters, of which {arch.title} says nothing: add"
            " crossbar.adc_bits, or use another method"
        )
