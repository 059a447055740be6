"""All logs as one: every line, in the order of time, with the host's time."""

import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from emu.errors import InputError
from launch.processes import merged_log
from launch.processes.merged_log import entries, merge_logs

BEGAN = 1_700_000_000.5
NAMES = ("launcher", "core_0000", "core_0001")
TEXT = st.text(st.characters(blacklist_categories=("Cs",), blacklist_characters="\n"), max_size=30)
LOG = st.lists(st.tuples(st.integers(0, 10**9), TEXT), max_size=8).map(
    lambda lines: sorted(lines, key=lambda line: line[0])
)


def write(folder: Path, name: str, lines) -> None:
    (folder / f"{name}.log").write_bytes(b"".join(f"{micros / 1e6:12.6f} {text}\n".encode() for micros, text in lines))


def moment(line: str) -> float:
    return datetime.fromisoformat(line.split(" ")[0]).timestamp()


@given(logs=st.lists(LOG, min_size=3, max_size=3), piece=st.integers(1, 40))
def test_every_line_is_there_in_the_order_of_time(tmp_path_factory, logs, piece) -> None:
    folder = tmp_path_factory.mktemp("logs")
    for name, lines in zip(NAMES, logs, strict=True):
        write(folder, name, lines)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(merged_log, "PIECE", piece)
        merge_logs(folder, NAMES, BEGAN)
    merged = (folder / "all.log").read_bytes().decode().split("\n")[:-1]
    wanted = sorted(
        ((micros, name, text) for name, lines in zip(NAMES, logs, strict=True) for micros, text in lines),
        key=lambda entry: entry[0],
    )
    assert [line[33:] for line in merged] == [f"{name:<9} {text}" for _, name, text in wanted]
    assert [moment(line) for line in merged] == pytest.approx([BEGAN + micros / 1e6 for micros, *_ in wanted], abs=2e-6)


@given(lines=LOG, cut=st.integers(0, 60))
def test_what_a_kill_tore_is_a_line(tmp_path_factory, lines, cut) -> None:
    folder = tmp_path_factory.mktemp("logs")
    write(folder, "launcher", lines)
    whole = (folder / "launcher.log").read_bytes()
    torn = whole[: max(0, len(whole) - cut)]
    (folder / "launcher.log").write_bytes(torn)
    found = list(entries(folder, "launcher"))
    kept = torn.count(b"\n")
    assert [text for *_, text in found[:kept]] == [text for _, text in lines[:kept]]
    assert len(found) == kept + bool(torn.rpartition(b"\n")[2])
    assert [seconds for seconds, *_ in found] == sorted(seconds for seconds, *_ in found)


def test_lines_without_a_time_follow_theirs(tmp_path: Path) -> None:
    write(tmp_path, "launcher", [(1_500_000, "before"), (3_000_000, "after")])
    (tmp_path / "core_0000.log").write_bytes(b"    2.000000 Traceback\n  File \xff\n\nValueError\n    2.5")
    merge_logs(tmp_path, NAMES, BEGAN)
    lines = (tmp_path / "all.log").read_text().splitlines()
    assert [line[43:] for line in lines] == [
        "before",
        "Traceback",
        "  File \N{REPLACEMENT CHARACTER}",
        "",
        "ValueError",
        "    2.5",
        "after",
    ]
    assert [round(moment(line) - BEGAN, 3) for line in lines] == [1.5, 2, 2, 2, 2, 2, 3]


def test_times_are_those_of_this_place(tmp_path: Path) -> None:
    write(tmp_path, "launcher", [(250_000, "x")])
    merge_logs(tmp_path, ["launcher"], BEGAN)
    line = (tmp_path / "all.log").read_text()
    wanted = datetime.fromtimestamp(BEGAN, UTC) + timedelta(seconds=0.25)
    assert datetime.fromisoformat(line.split()[0]) == wanted
    assert len(line.split()[0]) == len("2026-11-22T04:31:07.204466+00:00")


def open_files() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def test_more_logs_than_open_files(tmp_path: Path) -> None:
    names = [f"core_{core:04d}" for core in range(200)]
    for core, name in enumerate(names):
        write(tmp_path, name, [(core, "one"), (1000 + core, "two")])
    before = open_files()
    opened = []
    real = os.open

    def count(*arguments, **named):
        descriptor = real(*arguments, **named)
        opened.append(open_files() - before)
        return descriptor

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "open", count)
        merge_logs(tmp_path, names, BEGAN)
    assert len(opened) >= 200 and max(opened) < 8
    assert (tmp_path / "all.log").read_text().count("\n") == 400


def test_no_logs_and_no_place(tmp_path: Path) -> None:
    (tmp_path / "core_0000.log").mkdir()
    merge_logs(tmp_path, NAMES, BEGAN)
    assert (tmp_path / "all.log").read_bytes() == b""
    with pytest.raises(InputError, match="cannot be written"):
        merge_logs(Path("/proc/none"), NAMES, BEGAN)
