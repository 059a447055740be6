"""Faults in compiled networks: node and core are named, by values alone and with what the compiler makes now."""

from dataclasses import replace
from pathlib import Path

import bisect_table
import numpy as np
import pytest
from bisect_faults import MAKERS, Subject, edited, replace_file
from bisect_table import faulty
from commands import DIGITS

from emu.image.seal import seal
from emu.isa.table import BY_NAME
from emu.operands.timeline import SectionTimeline, TooMuch
from emu.program.codec import encode_program
from emu.program.program import Data
from emu.program.section import Section
from launch.bisect.finding import BisectResult
from launch.bisect.network import OnnxNetwork
from launch.bisect.search import Question, bisect
from launch.images.compilation import compile_image

KINDS = [kind for kind in MAKERS if kind not in ("crossbar index", "wrong type conversion")]  # digits has none


def search(out: Path, model: Path = DIGITS, recompile: bool = True) -> BisectResult:
    inputs = Subject(out).image.default_inputs()
    assert inputs is not None
    return bisect(Question(image=out, model=model, inputs=inputs, recompile=recompile))


@pytest.mark.few(4)
@pytest.mark.parametrize("kind", KINDS)
def test_node_and_core_of_a_fault_are_named(kind: str, digits: Subject, crowded: Subject, tmp_path: Path) -> None:
    bad, subject = tmp_path / "bad", crowded if kind == "swapped messages" else digits
    fault = faulty(subject, kind, bad)
    finding = search(bad, recompile=False)
    network = OnnxNetwork(DIGITS, subject.image.manifest)
    nodes = {network.owner(node) for node in (fault.node, fault.also) if node}
    assert finding.by_values is not None and finding.site == finding.by_values
    assert finding.core == fault.core
    assert finding.node in nodes
    assert finding.changes is None and finding.by == "values"
    assert finding.wrong is not None and finding.wrong.elements > 0
    assert finding.wrong.got != finding.wrong.expected


@pytest.mark.few(1)
@pytest.mark.parametrize("kind", ["weight", "wrong bias", "address"])
def test_the_recompilation_names_the_instruction(kind: str, digits: Subject, tmp_path: Path) -> None:
    bad = tmp_path / "bad"
    fault = faulty(digits, kind, bad)
    finding = search(bad)
    assert finding.by == "recompilation" and finding.site is not None and finding.changes
    assert (finding.core, finding.site.index) == (fault.core, fault.index)
    assert all(change.got != change.expected for change in finding.changes)


def test_a_weight_is_named_with_its_crossbar_and_cell(digits: Subject, tmp_path: Path) -> None:
    bad = tmp_path / "bad"
    fault = faulty(digits, "weight", bad)
    before, after = (Subject(out).image.weights(fault.core) for out in (digits.out, bad))
    pairs = enumerate(zip(before, after, strict=True))
    [(group, row, column)] = [(k, *cell) for k, (a, b) in pairs for cell in np.argwhere(a != b).tolist()]
    finding = search(bad, recompile=False)
    assert finding.site is not None
    assert finding.site.what == f"group {group}, crossbar 0:0, row {row}, column {column}"
    assert str(after[group][row, column].item()) in finding.message


def test_loop_counters_and_worst_index_are_those_of_the_wrong_element(digits: Subject, tmp_path: Path) -> None:
    """The bias of core 0 is added per pixel: loops are row and column of the worst element."""
    bad = tmp_path / "bad"
    digits.copy(bad)
    program = digits.programs[0]
    values = np.frombuffer(program.data[0].content, np.float32).copy()
    values[3] += 5
    data = (Data(program.data[0].address, values.tobytes()), *program.data[1:])
    _write(digits, bad, 0, encode_program(replace(program, data=data)))
    finding = search(bad, recompile=False)
    assert finding.wrong is not None and finding.site is not None
    assert (finding.wrong.tensor, finding.core, finding.node) == ("relu", 0, "node_Conv_36")
    assert finding.wrong.index[1] == 3
    assert finding.site.counters == finding.wrong.index[2:]
    assert finding.inputs_right is None or finding.inputs_right
    assert finding.computed_with == ("node_relu",)


def test_a_fault_of_the_compiler_itself_is_found_by_values(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a wrong compiler makes of the model again is as wrong: only values tell."""
    from compiler.dialects.activations import ACTIVATIONS, ActivationStep

    monkeypatch.setitem(ACTIVATIONS, "relu", replace(ACTIVATIONS["relu"], steps=(ActivationStep("vabs"),)))
    compile_image(DIGITS, tmp_path / "out", arch="tiny", cores=64, quiet=True)
    finding = search(tmp_path / "out")
    assert (finding.by, finding.changes) == ("values", ())
    assert (finding.node, finding.core, finding.computed_with) == ("node_Conv_36", 0, ("node_relu",))
    assert finding.site is not None and finding.site.instruction.startswith("vabs.f32 ")
    assert "look for the fault in the compiler" in "\n".join(finding.lines())


def test_a_right_image_has_nothing_to_find(digits: Subject) -> None:
    finding = search(digits.out)
    assert finding.note and finding.site is None and finding.changes == ()
    assert len(finding.right) == finding.tensors > 0


def test_bytes_of_large_programs_are_known_by_their_bounds(
    digits: Subject, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where accesses are too many to be listed, all between the first and the last byte counts as touched."""
    fault = faulty(digits, "wrong bias", tmp_path / "bad")
    monkeypatch.setattr("emu.replay.core_view.MAX_LISTED", 0)
    finding = search(tmp_path / "bad", recompile=False)
    assert (finding.core, finding.node) == (fault.core, OnnxNetwork(DIGITS, digits.image.manifest).owner(fault.node))


def test_programs_that_cannot_be_followed_are_compared_with_the_recompilation(
    digits: Subject, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(section: Section) -> SectionTimeline:
        raise TooMuch("too many steps")

    fault = faulty(digits, "wrong bias", tmp_path / "bad")
    monkeypatch.setattr("emu.replay.core_view.make_timeline", refuse)
    finding = search(tmp_path / "bad")
    assert finding.note.endswith("too many steps") and finding.site is None
    assert finding.changes is not None and finding.changes[0].site.core == fault.core
    assert f"    core {fault.core}" in "\n".join(finding.lines())


def test_a_wrong_store_of_an_output_is_named(digits: Subject, tmp_path: Path) -> None:
    """All tensors are right in the cores: the store takes its bytes from beside them."""
    bad = tmp_path / "bad"
    digits.copy(bad)
    core, index = digits.instructions(lambda p, k: p.main.columns["op"][k] == BY_NAME["st"].code)[0]
    place = next(
        k for k, form in enumerate(digits.programs[core].main.decode(index).spec.operands) if form.space == "l"
    )

    def edit(columns: dict[str, np.ndarray]) -> None:
        columns["base"][columns["operand"][index] + place] -= 4

    edited(digits, bad, "address", core, index, edit)
    _unlink_manifest(bad)
    seal(bad)
    finding = search(bad, recompile=False)
    assert finding.wrong is not None and finding.wrong.tensor == "out0" and finding.core == core


@pytest.mark.few(1)
@pytest.mark.parametrize("kind", ["weight", "missing accumulation", "wrong bias"])
def test_tensors_that_stream_are_searched_too(kind: str, tmp_path: Path) -> None:
    compile_image(DIGITS, tmp_path / "out", arch="tiny", cores=64, granularity="rows:2", quiet=True)
    subject = Subject(tmp_path / "out")
    assert not [buffer for buffer in subject.programs[0].buffers if buffer.tensor == "relu"]
    fault = faulty(subject, kind, tmp_path / "bad", 3)
    finding = search(tmp_path / "bad", recompile=False)
    assert (finding.core, finding.node) == (fault.core, fault.node)


def test_the_table_counts_what_was_named() -> None:
    found = bisect_table.new_row("digits_cnn", "weight")
    text = bisect_table.page([found | {"run": 4, "right": 3, "by_values": 2, "instruction": 1, "seconds": [1.0] * 4}])
    assert "4 faults in 1 network: node and core are right in 3 (75.0 %), by values alone in 2 (50.0 %)" in text
    assert "| digits_cnn | weight | 4 | 3 | 2 | 1 | 1.0 | 1.0 |" in text


@pytest.mark.full
def test_the_table_goes_on_where_it_ended(digits: Subject, tmp_path: Path) -> None:
    """One fault and then another one are the two that one run finds."""
    row, whole = (bisect_table.new_row("digits_cnn", "weight") for _ in range(2))
    pieces = [trial for count in (1, 2) for trial in bisect_table.trials(digits, DIGITS, row, count, tmp_path)]
    at_once = list(bisect_table.trials(digits, DIGITS, whole, 2, tmp_path))
    assert [trial.seed for trial in pieces] == [trial.seed for trial in at_once]
    assert (row["run"], row["tried"], row["digests"]) == (2, whole["tried"], whole["digests"])
    assert not list(bisect_table.trials(digits, DIGITS, row, 2, tmp_path))


@pytest.mark.full
@pytest.mark.parametrize("name", bisect_table.NETWORKS)
def test_seeded_faults_in_large_networks(name: str) -> None:
    rows = [bisect_table.new_row(name, kind) for kind in MAKERS]
    trials = [trial for _, done in bisect_table.run(name, 1, rows) for trial in done]
    wrong = [trial.fault for trial in trials if not trial.right]
    assert len(trials) >= 7 and not wrong


def _write(subject: Subject, bad: Path, core: int, content: bytes) -> None:
    replace_file(bad / subject.files(core)[0], content)
    _unlink_manifest(bad)
    seal(bad)


def _unlink_manifest(bad: Path) -> None:
    """A file of its own, which the seal may change."""
    replace_file(bad / "manifest.json", (bad / "manifest.json").read_bytes())
