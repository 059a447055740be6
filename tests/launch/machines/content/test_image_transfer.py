"""An image travels to hosts: each gets what its cores need, unchanged; what it cannot take is said in a sentence."""

import os
import re
from contextlib import ExitStack
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from commands import DIGITS
from image_links import StandInHost, content, hosts, sent, written

from emu.errors import ProgramError
from emu.image.reader import open_image
from launch.images.compilation import compile_image
from launch.machines.content.delivery import HostPart, deliver
from launch.machines.content.messages import PIECE, PIECE_BYTES, WINDOW
from launch.machines.content.parts import files_for
from launch.machines.content.refusal import ImageRefused
from launch.machines.content.store import ContentStore

MIXED = {"manifest.json": b"{}", "a": bytes(range(256)) * 9000, "b": b"", "c": b"x", "also c": b"x"}


@pytest.fixture
def stack():
    with ExitStack() as stack:
        yield stack


@pytest.fixture
def host(stack: ExitStack, tmp_path: Path) -> StandInHost:
    return hosts(stack, "h1", store=partial(ContentStore, tmp_path / "store"))[0]


@pytest.fixture(scope="module")
def digits(tmp_path_factory: pytest.TempPathFactory):
    out = tmp_path_factory.mktemp("digits") / "out"
    compile_image(DIGITS, out, quiet=True, arch="small", cores=16, golden="none")
    return open_image(out)


def test_hosts_get_what_their_cores_need_and_read_it_unchanged(stack, digits, tmp_path):
    cores = digits.cores
    machines = hosts(stack, "h0", "h1", store=partial(ContentStore, tmp_path / "store"))
    parts = [HostPart(machines[0], frozenset(cores[:3]), True), HostPart(machines[1], frozenset(cores[3:]))]
    places = deliver(digits, parts, lambda: [machine.move() for machine in machines] and None)
    for part, place in zip(parts, places, strict=True):
        found = open_image(Path(place), verify=False)
        assert found.manifest == digits.manifest
        for core in part.cores:
            assert found.program(core) == digits.program(core)
            for mine, its in zip(found.weights(core), digits.weights(core), strict=True):
                assert np.array_equal(mine, its)
        names = {file.name for file in files_for(digits, part.cores, part.memory_node)}
        assert set(content(place)) == names and f"core_{cores[0]:04d}.prog" in names | set(content(places[0]))
    assert not set(content(places[0])) & set(content(places[1])) - {"manifest.json"}


def test_read_only_tensors_are_for_the_memory_node_alone(digits):
    read_only = [spec.file for spec in digits.manifest.read_only]
    without, besides = (files_for(digits, (), node) for node in (False, True))
    assert [file.name for file in without] == ["manifest.json"]
    assert [file.name for file in besides] == ["manifest.json", *read_only]
    assert not {"default_input.npz", "golden.npz"} & {file.name for file in files_for(digits, digits.cores, True)}


def test_the_second_time_nothing_is_sent(stack, host, tmp_path):
    files = written(tmp_path / "out", MIXED)
    first = sent(host, tmp_path / "out", files)
    assert content(first.place) == MIXED and first.sent == 2_304_000 + 3
    host.receiver.close()
    assert not Path(first.place).exists()
    other = hosts(stack, "h1", store=partial(ContentStore, tmp_path / "store"))[0]
    second = sent(other, tmp_path / "out", files)
    assert content(second.place) == MIXED and second.sent == 0


def test_no_more_is_on_the_way_than_was_allowed(host, tmp_path):
    files = written(tmp_path / "out", {"a": os.urandom(40 * PIECE_BYTES + 5)})
    most = 0

    def watch(message):
        nonlocal most
        most = max(most, sum(kind == PIECE for kind, _ in host.down) + (message[0] == PIECE))
        return [message]

    host.change = watch
    assert Path(sent(host, tmp_path / "out", files).place, "a").read_bytes() == (tmp_path / "out" / "a").read_bytes()
    assert WINDOW // 2 < most <= WINDOW


def damaging(times: int):
    """Changes a byte of the second piece of a file, so many times that it is sent."""
    left = times

    def change(message):
        nonlocal left
        kind, values = message
        if kind == PIECE and values["offset"] == PIECE_BYTES and left:
            left -= 1
            return [(kind, {**values, "data": values["data"][:-1] + b"%d" % left})]
        return [message]

    return change


def test_a_damaged_piece_is_asked_for_once_more(host, tmp_path):
    files = written(tmp_path / "out", MIXED)
    host.change = damaging(1)
    sender = sent(host, tmp_path / "out", files)
    assert content(sender.place) == MIXED
    assert sender.sent == sum(map(len, MIXED.values())) - 1 + len(MIXED["a"])  # the two that are alike are sent once


def test_a_piece_that_is_damaged_twice_refuses_the_image(host, tmp_path):
    files = written(tmp_path / "out", MIXED)
    host.change = damaging(2)
    with pytest.raises(ImageRefused) as caught:
        sent(host, tmp_path / "out", files)
    assert caught.value.exit_code == 5 and caught.value.host == "h1"
    assert str(caught.value) == (
        "host h1 does not take the image: 'a' came damaged, and once more when it was asked for again: look for a "
        "fault of the network or of memory"
    )
    assert not list((tmp_path / "store").glob(".image*"))


@pytest.mark.parametrize(
    "values",
    [
        {"sha256": 7},
        {"sha256": "ab" * 32},
        {"offset": 3},
        {"offset": -1},
        {"data": b""},
        {"data": "x"},
    ],
)
def test_a_piece_with_a_damaged_header_is_asked_for_once_more(host, tmp_path, values):
    files, done = written(tmp_path / "out", {"a": b"abc" * 700_000}), []

    def change(message):
        if message[0] == PIECE and not done:
            done.append(1)
            return [(PIECE, {**message[1], **values})]
        return [message]

    host.change = change
    assert content(sent(host, tmp_path / "out", files).place) == {"a": b"abc" * 700_000}


def test_a_file_that_changes_meanwhile_refuses_the_image(host, tmp_path):
    files = written(tmp_path / "out", MIXED)
    (tmp_path / "out" / "c").write_bytes(b"y")
    with pytest.raises(
        ImageRefused, match=r"^host h1 does not take the image: 'c' is not what the manifest says where"
    ):
        sent(host, tmp_path / "out", files)
    (tmp_path / "out" / "c").write_bytes(b"")
    with pytest.raises(ProgramError, match=r"c has changed while it was sent to host h1: run again$"):
        sent(host, tmp_path / "out", files)
    (tmp_path / "out" / "c").unlink()
    with pytest.raises(ProgramError, match=r"c does not exist$"):
        sent(host, tmp_path / "out", files)


def test_a_damaged_file_of_the_store_is_sent_again(stack, host, tmp_path):
    files = written(tmp_path / "out", MIXED)
    sent(host, tmp_path / "out", files)
    host.receiver.close()
    for path in (tmp_path / "store").iterdir():
        if path.stat().st_size == 1:
            path.chmod(0o600)
            path.write_bytes(b"z")
    other = hosts(stack, "h1", store=partial(ContentStore, tmp_path / "store"))[0]
    sender = sent(other, tmp_path / "out", files)
    assert content(sender.place) == MIXED and sender.sent == 1


def test_a_shared_image_is_only_looked_at(host, tmp_path):
    files = written(tmp_path / "out", MIXED)
    sender = sent(host, tmp_path / "out", files, shared=True)
    assert (sender.place, sender.sent) == (str(tmp_path / "out"), 0)
    assert not (tmp_path / "store").exists()
    (tmp_path / "out" / "c").write_bytes(b"y")
    with pytest.raises(
        ImageRefused, match=r"out/c is another file there than where .* leave it out to send them"
    ) as no:
        sent(host, tmp_path / "out", files, shared=True)
    assert no.value.exit_code == 2
    (tmp_path / "out" / "c").unlink()
    with pytest.raises(ImageRefused, match=r"out/c does not exist; with shared_image all hosts see the same files"):
        sent(host, tmp_path / "out", files, shared=True)


def test_an_image_takes_the_place_of_the_one_before_it(host, tmp_path):
    one, two = written(tmp_path / "one", MIXED), written(tmp_path / "two", {"a": b"other", "b": b"x"})
    first, second = sent(host, tmp_path / "one", one), sent(host, tmp_path / "two", two, image=1)
    assert not Path(first.place).exists() and content(second.place) == {"a": b"other", "b": b"x"}
    assert second.sent == 5  # the rest came with the first one


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"files": [["../x", 1, "ab" * 32]]}, r"files\[0\]\[0\]: expected the name of a file in the same directory"),
        ({"files": [["x", 1 << 60, "ab" * 32]]}, r"files\[0\]\[1\]: expected an integer from 0 to"),
        ({"files": [["x", 1, "no"]]}, r"files\[0\]\[2\]: expected a SHA-256"),
        ({"files": [["x", 1, ""]]}, r"files\[0\]\[2\]: expected a SHA-256, got nothing"),
        ({"files": [["x", 1, "ab" * 32]] * 2}, "files: a name occurs twice"),
        ({"files": 5}, "files: expected a list"),
        ({"image": "x"}, "image: expected an integer"),
        ({"more": 1}, "unknown key 'more'"),
        (
            {"files": [["x", 1 << 45, "ab" * 32]]},
            "may hold 16 GiB, 0 B of it are in use, and the files to come have 32 TiB",
        ),
    ],
)
def test_an_offer_that_is_none_is_refused(host, values, sentence):
    host.receiver.take("OFFER", **{"image": 0, "files": [], "shared": "", **values})
    host.receiver.work()
    (kind, answer), *_ = host.up
    assert kind == "REFUSED" and not host.receiver.busy
    assert re.search(sentence, answer["sentence"]), answer["sentence"]


@pytest.mark.parametrize(
    ("kind", "values", "sentence"),
    [
        ("WANT", {"parts": [["ab" * 32, 0, 1]]}, "is no file that was offered"),
        ("WANT", {"parts": [["", 0, 1]]}, "is no file that was offered"),
        ("WANT", {"parts": [[1, 0, 1]]}, "expected a string"),
        ("CREDIT", {"pieces": 1 << 40}, f"expected an integer from 1 to {WINDOW}"),
        ("HAVE", {"place": ""}, "expected a non-empty string"),
        ("HAVE", {"place": "x", "too": 1}, "unknown key"),
    ],
)
def test_what_no_agent_says_is_refused(host, tmp_path, kind, values, sentence):
    files = written(tmp_path / "out", MIXED)
    host.up.append((kind, {"image": 0, **values}))
    with pytest.raises(ProgramError, match=f"^host h1: {kind}: .*{sentence}"):
        sent(host, tmp_path / "out", files)


def test_messages_of_other_images_are_left_alone(host, tmp_path):
    files = written(tmp_path / "out", MIXED)
    host.up.append(("REFUSED", {"image": 5, "sentence": "no", "damaged": False}))
    host.down.append(("PIECE", {"image": "?", "sha256": "", "offset": 0, "data": b""}))
    assert content(sent(host, tmp_path / "out", files).place) == MIXED
