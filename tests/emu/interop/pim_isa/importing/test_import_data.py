"""What an imported program computes: rolled or not, by every engine, it is what its instructions say one by one."""

import tempfile
from pathlib import Path

import numpy as np
import pim_data_programs
import second_opinion
from draws import examples
from hypothesis import given, settings
from hypothesis import strategies as st

from emu.check import Outcome, check
from emu.image.reader import open_image
from emu.interop.pim_isa.format.program import FIELDS
from emu.interop.pim_isa.format.reader import read_program
from emu.interop.pim_isa.importing.import_program import ImportRequest, import_program
from emu.interop.pim_isa.importing.raw_program import read_raw
from launch.chips.sequential import SequentialChip
from launch.processes.options import RunOptions


def stored(out, engine="step"):
    """What the image at `out` stores when it runs."""
    image = open_image(out)
    chip = SequentialChip(image, RunOptions(sequential=True, engine=engine), ())
    (outputs,) = chip.run({name: array[0] for name, array in (image.default_inputs() or {}).items()}).values()
    return outputs


@settings(max_examples=examples(8, 600))
@given(st.data())
def test_the_same_as_an_interpreter(data):
    program = data.draw(pim_data_programs.programs())
    cores = program["config"]["core_cnt"]
    weights, memory = pim_data_programs.contents(cores, data.draw(st.integers(0, 99)))
    expected = second_opinion.run(program, weights, memory.copy())
    expected = expected[pim_data_programs.FAR : pim_data_programs.FAR + cores * pim_data_programs.SEEN]
    with tempfile.TemporaryDirectory() as folder:
        path = pim_data_programs.write(Path(folder) / "program", program, weights, memory)
        raw = read_program(path)
        for rolls in (False, True):
            out = Path(folder) / f"out{rolls}"
            import_program(ImportRequest(path=path, weights=path.parent, rolls=rolls), out)
            for engine in ("step", "batch"):
                assert np.array_equal(stored(out, engine), expected), (rolls, engine)
            exact = Path(folder) / f"exact{rolls}"  # as much as at least, where that is proved to be the same
            import_program(ImportRequest(path=path, weights=path.parent, rolls=rolls, events="equal"), exact)
            if check(open_image(exact)).of("messages").outcome is Outcome.PROVED:
                assert np.array_equal(stored(exact), expected)
            kept = read_raw(out)
            assert list(kept.cores) == list(raw.cores) and kept.groups == raw.groups
            for core, columns in raw.cores.items():
                for name in FIELDS:
                    assert np.array_equal(getattr(kept.cores[core], name), getattr(columns, name))
