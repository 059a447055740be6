"""Whatever order pieces come in, doubled, damaged, with agents that begin anew: the right files, or a refusal."""

import tempfile
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from image_links import StandInHost, content, digest_of, hosts, written

from launch.machines.content import arrival, receiver, sender
from launch.machines.content.messages import PIECE
from launch.machines.content.refusal import ImageRefused
from launch.machines.content.sender import ImageSender
from launch.machines.content.store import ContentStore

SIZE = 8  # bytes of a piece
MOST = 400  # bytes of a store
TURNS = 4000  # more than any of these transfers takes

names = st.sampled_from(["manifest.json", "a", "b", "c", "d"])
contents = st.dictionaries(names, st.binary(max_size=5 * SIZE) | st.sampled_from([b"", b"x" * SIZE]), min_size=1)


@pytest.fixture(autouse=True, scope="module")
def _small_pieces():
    with pytest.MonkeyPatch.context() as patch:
        for module in (arrival, sender):
            patch.setattr(module, "PIECE_BYTES", SIZE)
        patch.setattr(receiver, "SLICE", 0)  # one step at a time
        yield


def damage(draw: Callable[..., object], message: tuple[str, dict]) -> tuple[str, dict]:
    kind, values = message
    changed = draw(
        st.fixed_dictionaries({}, optional={
            "sha256": st.sampled_from(["", "ab" * 32, None]),
            "offset": st.integers(-9, 99),
            "data": st.binary(max_size=SIZE + 2),
        })
    )  # fmt: skip
    return kind, {**values, **changed}


def disturbed(draw: Callable[..., object], host: StandInHost) -> None:
    """Let another message come first than was sent first, or come twice, or damaged."""
    pieces = [index for index, (kind, _) in enumerate(host.down) if kind == PIECE]
    act = draw(st.sampled_from(["", "", "", "later", "twice", "damaged"]))
    if pieces and act:
        index = draw(st.sampled_from(pieces))
        message = host.down[index]
        if act == "later":
            del host.down[index]
            host.down.append(message)
        elif act == "twice":
            host.down.append(message)
        else:
            host.down[index] = damage(draw, message)


@given(st.data(), contents, contents, st.booleans())
def test_the_right_files_or_a_refusal(data, mine, others, again):
    with tempfile.TemporaryDirectory() as name, ExitStack() as stack:
        folder = Path(name)
        store = partial(ContentStore, folder / "store", MOST)
        files = [written(folder / each, what) for each, what in (("one", mine), ("other", others))]
        for text in data.draw(st.lists(st.sampled_from([*mine.values(), *others.values()]), max_size=3)):
            there = data.draw(st.sampled_from([text, text[:-1], bytes(len(text))]))  # whole, cut, of other content
            store().directory.joinpath(digest_of(text).sha256).write_bytes(there)
        for _ in range(1 + again):  # the second time with what the first one left
            machines = hosts(stack, "h1", "h2", store=store)
            senders = []
            for host, what, given in zip(machines, ("one", "other"), files, strict=True):
                senders.append(stack.enter_context(ImageSender(host.name, folder / what, given, host.send)))
                host.answers_go_to(senders[-1])
                senders[-1].start()
            refused = set[str]()
            early = data.draw(st.integers(1, 30)) if again else TURNS
            for _turn in range(early):
                moved = []
                for host in machines:
                    disturbed(data.draw, host)
                    try:
                        moved.append(host.name not in refused and host.move())
                    except ImageRefused as error:
                        refused.add(error.host)
                assert store().facts().bytes <= MOST
                if moved == [False, False]:
                    break
            else:
                assert again  # nobody waits for ever
            for host, sending, what in zip(machines, senders, (mine, others), strict=True):
                assert again or bool(sending.place) != (host.name in refused)
                if sending.place:
                    assert content(sending.place) == what
                host.receiver.close()
            again = False
        assert not list((folder / "store").glob(".image*"))


@given(contents)
def test_undisturbed_nothing_is_refused_and_nothing_is_sent_twice(what):
    with tempfile.TemporaryDirectory() as name, ExitStack() as stack:
        (host,) = hosts(stack, "h1", store=partial(ContentStore, Path(name, "store"), MOST))
        files = written(Path(name, "one"), what)
        with ImageSender("h1", Path(name, "one"), files, host.send) as sending:
            host.answers_go_to(sending)
            sending.start()
            while host.move():
                pass
            assert content(sending.place) == what
            assert sending.sent == sum(map(len, set(what.values())))
