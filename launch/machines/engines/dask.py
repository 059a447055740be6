"""Agents on the hosts of the workers of a Dask cluster, started by tasks that are pinned to them."""

from __future__ import annotations

import contextlib
import json
import logging
import secrets
import time
from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar
from urllib.parse import urlsplit

from emu.errors import InputError, option
from emu.files import read_text
from emu.wording import visible
from launch.machines.bootstrap import Bootstrap
from launch.machines.engines.dask_task import end_agents, run_agent
from launch.machines.engines.engine import Placed
from launch.machines.engines.route import address_towards_all
from launch.machines.engines.started import PATIENCE
from launch.system.cleanup import Cleaning

INSTALL = "pip install 'reram-emu[dask]'"
ANSWER_SECONDS = 10  # for the scheduler to answer
_STEP = 0.02  # seconds between looks at tasks that end
_LARGEST = 1 << 20  # bytes of its file
_GONE = (OSError, RuntimeError)  # what a client says of a scheduler or worker that does not answer


@dataclass(frozen=True)
class Dask:
    """One agent on each host with workers of the scheduler at `address`, or of the file that it has written."""

    address: str
    form: ClassVar[str] = "dask:ADDRESS (the hosts of its workers)"
    count: ClassVar[None] = None  # the scheduler knows

    @classmethod
    def parse(cls, rest: str) -> Dask:
        """Of an address as tcp://HOST:PORT, or the path of the scheduler's file; raises InputError."""
        if not rest:
            raise InputError(f"{option('hosts')} dask names no scheduler: use dask:tcp://HOST:PORT")
        return cls(rest)

    def listen_address(self) -> str:
        """The address on the way to the workers."""
        with self._client() as client:
            return address_towards_all(self._workers(client))

    def place(self, bootstrap: Bootstrap) -> Placed:
        """Start the tasks that start the agents."""
        with contextlib.ExitStack() as stack:
            client = stack.enter_context(self._client())
            placed = _Tasks(self.address, client, self._workers(client), bootstrap)
            placed.held = stack.pop_all()
        return placed

    @contextlib.contextmanager
    def _client(self) -> Generator[Any]:
        try:
            from distributed import Client
        except ImportError as error:
            raise self._fault(f"needs {error.name or 'distributed'}, which is not installed here: {INSTALL}") from None
        scheduler = self._scheduler()
        with _quiet():
            try:
                client = Client(scheduler, timeout=ANSWER_SECONDS, set_as_default=False)
            except Exception as error:  # of sockets, certificates, versions
                raise self._fault(f"has no scheduler that answers ({_why(error)}): start one, or correct it") from None
            try:
                yield client
            finally:
                with contextlib.suppress(*_GONE):
                    client.close(timeout=PATIENCE)

    def _scheduler(self) -> str:
        """Its address; a client that is to read the file itself waits for one that does not come."""
        if ":" in self.address:
            return self.address
        text = read_text(Path(self.address), _LARGEST)
        with contextlib.suppress(ValueError, KeyError, TypeError, RecursionError):
            return str(json.loads(text)["address"])
        raise self._fault("is no file of a scheduler: it names no address")

    def _workers(self, client: Any) -> Mapping[str, str]:
        """The address of one worker on each host, by host."""
        addresses: Sequence[str] = sorted(client.scheduler_info()["workers"], reverse=True)
        if not addresses:
            raise self._fault("has no workers: start one on each host that is to have cores")
        return dict(sorted({urlsplit(address).hostname or address: address for address in addresses}.items()))

    def _fault(self, what: str) -> InputError:
        return InputError(f"{option('hosts')} dask:{self.address} {what}")


class _Tasks(Placed):
    """Agents below tasks, one for each of `workers`."""

    held: contextlib.ExitStack  # what is to be closed after them

    def __init__(self, scheduler: str, client: Any, workers: Mapping[str, str], bootstrap: Bootstrap) -> None:
        self.names = list(workers)
        self._scheduler, self._client, self._workers = scheduler, client, workers
        self._ended: dict[str, str] = {}
        self._gone: list[str] = []  # workers, as another thread hears of them
        self._closed = False
        client.subscribe_topic("all", self._heard)
        run = secrets.token_hex(4)
        self._keys = {name: f"agent-{rank}-{run}" for rank, name in enumerate(self.names)}
        self._futures = {
            name: client.submit(
                run_agent,
                key,
                bootstrap,
                rank,
                name,
                key=key,
                workers=[workers[name]],
                allow_other_workers=False,
                pure=False,
                retries=0,
            )
            for rank, (name, key) in enumerate(self._keys.items())
        }

    def _heard(self, event: tuple[float, Mapping[str, Any]]) -> None:
        if event[1].get("action") == "remove-worker":
            self._gone.append(str(event[1].get("worker")))

    def ended(self) -> list[tuple[str, str]]:
        """Those whose task has ended, or whose worker is gone, as the scheduler has told."""
        if not self._closed:
            for name, words in self._news():
                self._ended.setdefault(name, f"the agent of host {name} {words}")
        return list(self._ended.items())

    def _news(self) -> Iterator[tuple[str, str]]:
        if self._client.status != "running":
            words = f"may be gone: the scheduler {self._scheduler} does not answer any more"
            yield from ((name, words) for name in self.names)
            return
        for name, future in self._futures.items():
            if future.status == "finished":
                yield name, visible(str(future.result(timeout=PATIENCE)))
            elif future.status == "error":
                yield name, f"is gone: its task of Dask failed ({_why(future.exception(timeout=PATIENCE))})"
            elif future.status != "pending":
                yield name, f"may be gone: its task of Dask is {future.status}"
            elif self._workers[name] in self._gone:
                yield name, f"may be gone: the scheduler has lost its worker {self._workers[name]}"

    def close(self) -> None:
        """End the agents, then the tasks."""
        with Cleaning():
            if not self._closed:
                self.ended()
                self._closed = True
                with contextlib.suppress(*_GONE):  # then the agents end as they miss the launcher
                    self._end()
                self.held.close()

    def _end(self) -> None:
        """Give the tasks time to end; the agents of those that go on are ended where they are."""
        if left := self._left():
            keys, workers = [self._keys[name] for name in left], [self._workers[name] for name in left]
            self._client.run(end_agents, keys, workers=workers, on_error="ignore", callback_timeout=3 * PATIENCE)
            self._left()
        self._client.cancel(list(self._futures.values()))

    def _left(self) -> Sequence[str]:
        """The hosts whose tasks go on, after some time to end; none that have been told of as gone."""
        deadline = time.monotonic() + PATIENCE
        while left := [n for n, future in self._futures.items() if n not in self._ended and future.status == "pending"]:
            if time.monotonic() > deadline:
                break
            time.sleep(_STEP)
        return left


@contextlib.contextmanager
def _quiet() -> Generator[None]:
    """Inside of it, a client of Dask writes no tracebacks: what they are about is told by sentences."""
    log = logging.getLogger("distributed.client")
    before = log.level
    log.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        log.setLevel(before)


def _why(error: BaseException) -> str:
    """The words of an error of Dask, in one line."""
    return visible(str(error) or type(error).__name__)[:300]
