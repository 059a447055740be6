"""Sockets at a path: for this user alone, in the place of stale ones only, and gone at the end."""

import contextlib
import os
import signal
import socket
import stat
import subprocess
import sys
import threading

import pytest

from emu.errors import InputError
from launch.system.run_directory import MAX_IPC_PATH
from launch.system.unix_socket import listening

LISTEN = """
import sys, time
from pathlib import Path
from launch.system.unix_socket import listening
with listening(Path(sys.argv[1])):
    print("up", flush=True)
    time.sleep(60)
"""


def test_it_is_private_and_gone_at_the_end(tmp_path):
    path = tmp_path / "s"
    with listening(path):
        info = path.lstat()
        assert stat.S_ISSOCK(info.st_mode) and stat.S_IMODE(info.st_mode) == 0o700
        with socket.socket(socket.AF_UNIX) as host:
            host.connect(str(path))
    assert not path.exists()


def test_an_error_inside_removes_it(tmp_path):
    with pytest.raises(ZeroDivisionError), listening(tmp_path / "s"):
        raise ZeroDivisionError
    assert not list(tmp_path.iterdir())


def test_a_path_that_is_too_long_is_named(tmp_path):
    path = tmp_path / ("x" * (MAX_IPC_PATH - len(os.fsencode(tmp_path)) - 1))
    with listening(path):
        pass
    longer = path.with_name(f"{path.name}y")
    with pytest.raises(InputError, match=f"has {MAX_IPC_PATH + 1} bytes, .* at most {MAX_IPC_PATH}"), listening(longer):
        pass


@pytest.mark.parametrize("make", ["write_text", "mkdir", "symlink_to"])
def test_what_is_no_socket_stays(tmp_path, make):
    path = tmp_path / "s"
    getattr(path, make)(*{"write_text": ["mine"], "mkdir": [], "symlink_to": ["nowhere"]}[make])
    with pytest.raises(InputError, match="is there and is no socket"), listening(path):
        pass
    assert os.path.lexists(path)


def test_a_folder_that_is_not_there_is_named(tmp_path):
    with pytest.raises(InputError, match=r"no socket can be made at .*: No such file"), listening(tmp_path / "a" / "s"):
        pass


def test_a_socket_that_somebody_listens_at_stays_and_hears_nothing(tmp_path):
    path = tmp_path / "s"
    with listening(path) as first:
        with pytest.raises(InputError, match="somebody listens at"), listening(path):
            pass
        first.setblocking(False)
        with pytest.raises(BlockingIOError):
            first.accept()
        assert path.exists()


def test_what_a_killed_process_leaves_is_replaced(tmp_path):
    path = tmp_path / "s"
    with subprocess.Popen([sys.executable, "-c", LISTEN, str(path)], stdout=subprocess.PIPE) as process:
        assert process.stdout.readline() == b"up\n"
        process.send_signal(signal.SIGKILL)
    assert path.exists()
    with listening(path), socket.socket(socket.AF_UNIX) as host:
        host.connect(str(path))
    assert not path.exists()


def test_of_many_that_replace_a_stale_one_one_wins(tmp_path):
    path = tmp_path / "s"
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(str(path))
    begin, end, won, lost = threading.Barrier(8), threading.Event(), [], []

    def replace():
        begin.wait()
        with contextlib.suppress(InputError):
            try:
                with listening(path):
                    won.append(path.lstat().st_ino)
                    end.wait(20)
            finally:
                lost.append(True)

    threads = [threading.Thread(target=replace) for _ in range(8)]
    for thread in threads:
        thread.start()
    while len(lost) < 7:
        end.wait(0.01)
    assert won == [path.lstat().st_ino]
    end.set()
    for thread in threads:
        thread.join()
    assert not path.exists()


def test_a_socket_that_another_one_has_put_there_stays(tmp_path):
    path = tmp_path / "s"
    with listening(path):
        path.unlink()
        with socket.socket(socket.AF_UNIX) as other:
            other.bind(str(path))
    assert path.exists()
