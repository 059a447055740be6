"""Finished samples survive crashes: whatever happens to the side file, no wrong sample is taken from it."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from emu.errors import InputError
from emu.image.npz import read_npz, write_npz
from emu.output.calls import CALLS
from launch.samples.binding import LENGTH, MAGIC, Binding, StoredTensor, checksum_of, digest_of_samples, read_header
from launch.samples.store import SampleStore

TENSORS = (
    StoredTensor("output a", "a", "<f4", (1, 3)),
    StoredTensor("output b", "b/c", "|i1", ()),
    StoredTensor("kept k", "k", "<i8", (2,)),
)
BINDING = Binding("image", "inputs", "batch", 5, TENSORS)


def sample(k):
    return {"output a": np.full((1, 3), k, "<f4"), "output b": np.int8(k), "kept k": np.array([k, -k], "<i8")}


def begin(out, count, binding=BINDING):
    """A run that was interrupted after `count` samples."""
    with pytest.raises(KeyboardInterrupt), SampleStore(out, binding, resume=True) as store:
        for k in range(store.count, count):
            store.append(sample(k))
        raise KeyboardInterrupt
    return out.with_name(f"{out.name}.partial")


def complete(out, binding=BINDING):
    """Resume to the end; how many samples were there already."""
    with SampleStore(out, binding, resume=True) as store:
        there = store.count
        for k in range(there):
            assert {key: array.tobytes() for key, array in store.read(k).items()} == {
                key: array.tobytes() for key, array in sample(k).items()
            }
        for k in range(there, binding.samples):
            store.append(sample(k))
        store.finish()
    return there


def undisturbed():
    whole = [sample(k) for k in range(BINDING.samples)]
    return {tensor.name: np.stack([arrays[tensor.key] for arrays in whole]) for tensor in TENSORS}


def test_the_file_is_that_of_write_npz_and_nothing_else_is_left(tmp_path):
    assert complete(tmp_path / "x.npz") == 0
    write_npz(tmp_path / "y.npz", undisturbed())
    assert (tmp_path / "x.npz").read_bytes() == (tmp_path / "y.npz").read_bytes()
    assert {path.name for path in tmp_path.iterdir()} == {"x.npz", "y.npz"}


@pytest.mark.parametrize("count", range(1, 6))
def test_a_resumed_run_equals_an_undisturbed_one(tmp_path, count):
    complete(tmp_path / "whole.npz")
    begin(tmp_path / "x.npz", count)
    assert not (tmp_path / "x.npz").exists()
    assert complete(tmp_path / "x.npz") == count
    assert (tmp_path / "x.npz").read_bytes() == (tmp_path / "whole.npz").read_bytes()


def test_nothing_finished_leaves_nothing(tmp_path):
    begin(tmp_path / "x.npz", 0)
    assert not list(tmp_path.iterdir())


def test_where_to_continue_is_said(tmp_path):
    with pytest.raises(KeyboardInterrupt) as caught, SampleStore(tmp_path / "x.npz", BINDING) as store:
        store.append(sample(0))
        raise KeyboardInterrupt
    assert caught.value.__notes__ == [f"1 finished sample is kept in {tmp_path}/x.npz.partial: continue with --resume"]


@pytest.fixture(scope="module")
def module_path(tmp_path_factory):
    return tmp_path_factory.mktemp("damaged")


@given(st.data())
@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_damage_costs_samples_but_gives_no_wrong_one(module_path, data):
    out = module_path / "x.npz"
    side = begin(out, 4)
    content = bytearray(side.read_bytes())
    if data.draw(st.booleans(), "truncate"):
        del content[data.draw(st.integers(0, len(content)), "length") :]
    else:
        place = data.draw(st.integers(0, len(content) - 1), "place")
        content[place] ^= data.draw(st.integers(1, 255), "change")
    side.write_bytes(content)
    try:
        there = complete(out)
    except InputError as error:
        assert "delete it to start over" in str(error)
        side.unlink()
        return
    assert there <= 4 and {name: array.tolist() for name, array in read_npz(out).items()} == {
        name: array.tolist() for name, array in undisturbed().items()
    }


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"image": "x"}, "another image"),
        ({"inputs": "x"}, "other inputs"),
        ({"engine": "step"}, "another --engine"),
        ({"samples": 6}, "another number of samples"),
        ({"tensors": TENSORS[:2]}, "other outputs or --keep"),
    ],
)
def test_another_run_is_refused(tmp_path, change, words):
    side = begin(tmp_path / "x.npz", 2)
    before = side.read_bytes()
    with pytest.raises(InputError, match=f"was begun with {words}"):
        SampleStore(tmp_path / "x.npz", replace(BINDING, **change), resume=True)
    assert side.read_bytes() == before


def test_finished_samples_are_not_overwritten(tmp_path):
    begin(tmp_path / "x.npz", 2)
    with pytest.raises(InputError, match="holds 2 finished samples of a run that was interrupted"):
        SampleStore(tmp_path / "x.npz", BINDING)


def test_foreign_files_are_refused(tmp_path):
    (tmp_path / "x.npz.partial").write_text("mine")
    with pytest.raises(InputError, match="is no file of finished samples"):
        SampleStore(tmp_path / "x.npz", BINDING)
    assert (tmp_path / "x.npz.partial").read_text() == "mine"


def test_two_runs_at_once_are_refused(tmp_path):
    with SampleStore(tmp_path / "x.npz", BINDING), pytest.raises(InputError, match="is in use by another run"):
        SampleStore(tmp_path / "x.npz", BINDING, resume=True)


def test_a_full_disk_is_a_sentence_and_keeps_what_was_finished(tmp_path, monkeypatch):
    real = CALLS.write

    def full(descriptor, data):
        real(descriptor, bytes(data[:10]))
        raise OSError(28, "No space left on device")

    with SampleStore(tmp_path / "x.npz", BINDING) as store:
        store.append(sample(0))
        monkeypatch.setattr(CALLS, "write", full)
        with pytest.raises(
            InputError, match="No space left on device; free some, or write to another disk; run again with --resume"
        ):
            store.append(sample(1))
    monkeypatch.undo()
    assert complete(tmp_path / "x.npz") == 1


def test_an_unwritable_place_is_told_before_the_run(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match=r"file/x.npz: cannot be written: Not a directory"):
        SampleStore(tmp_path / "file" / "x.npz", BINDING)
    with SampleStore(tmp_path / "new" / "folder" / "x.npz", BINDING) as store:
        for number in range(BINDING.samples):
            store.append(sample(number))
        store.finish()
    assert (tmp_path / "new" / "folder" / "x.npz").exists()


def test_a_failed_last_step_loses_nothing(tmp_path, monkeypatch):
    def fail(*_):
        raise OSError(28, "No space left on device")

    with SampleStore(tmp_path / "x.npz", BINDING) as store:
        for k in range(5):
            store.append(sample(k))
        monkeypatch.setattr(CALLS, "write", fail)
        with pytest.raises(InputError, match=r"x.npz: cannot be written: No space left.*; run again with --resume"):
            store.finish()
    monkeypatch.undo()
    assert {path.name for path in tmp_path.iterdir()} == {"x.npz.partial"} and complete(tmp_path / "x.npz") == 5


def test_a_header_that_lies_about_its_length_allocates_nothing(tmp_path):
    path = tmp_path / "x"
    path.write_bytes(b"EMUPART1\xff\xff\xff\xff{}")
    with path.open("rb") as file:
        assert read_header(file.fileno()) is None


def test_digests_of_inputs_see_everything():
    base = {"a": np.arange(6, dtype="<f4").reshape(2, 3)}
    others = [{"b": base["a"]}, {"a": base["a"].reshape(3, 2)}, {"a": base["a"].view("<i4")}, {"a": base["a"] + 1}]
    assert len({digest_of_samples(inputs) for inputs in [base, *others]}) == 5
    assert digest_of_samples({"a": np.asfortranarray(base["a"])}) == digest_of_samples(base)


@pytest.mark.parametrize(
    "text",
    [
        b"[]",
        b"[1, 2]",
        b"3",
        b"null",
        b'"text"',
        b"[" * 100_000,
        b'{"a":' * 50_000,
        b"\xff\xfe",
        b"9" * 5000,
        b"",
        b"{",
    ],
    ids=["list", "members", "number", "null", "text", "nested", "objects", "no UTF-8", "digits", "empty", "cut"],
)
def test_headers_of_a_right_checksum_and_odd_content(tmp_path, text):
    (tmp_path / "x.npz.partial").write_bytes(MAGIC + LENGTH.pack(len(text)) + text + checksum_of(text))
    with pytest.raises(InputError, match="is no file of finished samples, or damaged: delete it to start over"):
        SampleStore(tmp_path / "x.npz", BINDING, resume=True)


def test_a_header_without_the_keys_belongs_to_another_run(tmp_path):
    text = b'{"image": {"a": [1e999]}}'
    (tmp_path / "x.npz.partial").write_bytes(MAGIC + LENGTH.pack(len(text)) + text + checksum_of(text) + b"samples")
    with pytest.raises(InputError, match="was begun with another image"):
        SampleStore(tmp_path / "x.npz", BINDING, resume=True)
