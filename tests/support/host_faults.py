"""The table of faults of runs over hosts: how each is made, and which causes the launcher may tell then."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from cut_proxy import CutProxy
from host_scenes import CORES_OF_A_HOST, ENDLESS, SHORT, TRAPPING, Scene
from staged_hosts import bootstrap_of

SHORTLY, LONG = 2.0, 8.0  # seconds: less than anybody takes for an end, and more
KILLS = (signal.SIGKILL, signal.SIGSEGV, signal.SIGABRT, signal.SIGBUS)


class Cause(NamedTuple):
    """An exit code, and the sentence (a regular expression) that comes with it, in which the scene fills in names."""

    code: int
    sentence: str


Causes = tuple[Cause, ...]
Strike = Callable[[Scene], None]

RIGHT = (Cause(0, r"\A(?![^\0]*error:)"),)
LOST = Cause(5, r"host {name} is lost( \(cores {cores}\))?, last seen at \d\d:\d\d:\d\d")
ANY_LOST = Cause(5, r"host h\d is lost( \(cores \d-\d\))?, last seen at \d\d:\d\d:\d\d")
NOT_JOINED = (
    Cause(2, r"the agent of host {name} has ended; it had not joined"),
    Cause(2, r"{name} has not joined within \d+ s: check that"),
)
NONE_JOINED = (
    Cause(2, r"the agent of host h\d has ended; it had not joined"),
    Cause(2, r"h\d.* not joined within \d+ s: check that"),
)
CORE_KILLED = (Cause(5, r"^error: core {core} on host {name} was killed by {signal}, (last seen at|before its first)"),)
TERMINATED = Cause(143, "error: terminated")
TOLD = (Cause(5, LOST.sentence + ": its agent was ended by SIGTERM"),)


@dataclass(frozen=True)
class HostFault:
    """One row: `strike` makes the fault (None: the scene is one from the start), and `causes` are allowed then.

    Without `endless`, the run must be able to go on to its end. `early`: the fault can be made as soon as agents are
    there. The others are fields of a `Scene`; `image` that traps does so at a sample that is drawn.
    """

    name: str
    strike: Strike | None
    causes: Causes
    endless: bool = True
    early: bool = True
    image: str = "chain"
    traps: bool = False
    before: str = ""
    before_agent: str = ""
    words: tuple[str, ...] = ()

    @property
    def count(self) -> int:
        """Samples of the run."""
        return ENDLESS if self.endless else SHORT


def _core(scene: Scene) -> int | None:
    """Choose a core of the host: its process, once there is one."""
    found: list[int] = []

    def there() -> bool:
        found[:] = scene.forked(scene.agents[scene.host])
        return len(found) == CORES_OF_A_HOST

    if not scene.wait_for(there):
        return None
    which = scene.rng.randrange(len(found))
    scene.core = scene.host * CORES_OF_A_HOST + which
    return found[which]


def _node(scene: Scene) -> int | None:
    """The memory node."""
    scene.wait_for(lambda: scene.forked(scene.launcher))
    return next(iter(scene.forked(scene.launcher)), None)


def _zygote(scene: Scene) -> int | None:
    scene.wait_for(lambda: scene.zygote(scene.agents[scene.host]))
    return scene.zygote(scene.agents[scene.host])


def _own_zygote(scene: Scene) -> int | None:
    scene.wait_for(lambda: scene.zygote(scene.launcher))
    return scene.zygote(scene.launcher)


def _agent(scene: Scene) -> int | None:
    return scene.agents[scene.host].pid


def _launcher(scene: Scene) -> int | None:
    return scene.launcher.pid


Victim = Callable[[Scene], int | None]


def _signals(victim: Victim, *numbers: signal.Signals) -> Strike:
    """Send one of `numbers`."""

    def strike(scene: Scene) -> None:
        if process := victim(scene):
            scene.number = scene.rng.choice(numbers)
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, scene.number)

    return strike


def _stops(victim: Victim, seconds: float | None) -> Strike:
    """Stop a process, and continue it so many seconds later."""

    def strike(scene: Scene) -> None:
        if process := victim(scene):
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGSTOP)
                if seconds is not None:
                    time.sleep(seconds)
                    os.kill(process, signal.SIGCONT)

    return strike


def _cuts(cut: Callable[[CutProxy], None], seconds: float | None) -> Strike:
    """Cut the link of the host."""

    def strike(scene: Scene) -> None:
        proxy = scene.proxies[scene.host]
        cut(proxy)
        if seconds is not None:
            time.sleep(seconds)
            proxy.heal()

    return strike


def _damages(scene: Scene) -> None:
    """Change some bytes on the way, several times."""
    for _ in range(5):
        scene.proxies[scene.host].damage()
        time.sleep(0.1)


def _at_the_end(strike: Strike) -> Strike:
    """Make it when (nearly) all samples are finished, or while everything ends."""

    def struck(scene: Scene) -> None:
        last = len(scene.expected) - scene.rng.randrange(30)
        scene.wait_for(lambda: scene.finished() >= last or scene.is_written())
        time.sleep(scene.rng.uniform(0, 0.3))
        strike(scene)

    return struck


def _noise(scene: Scene) -> None:
    """Strangers at the port of the launcher: bytes of no sense, a web browser, half a greeting, silence."""
    bootstrap = bootstrap_of(scene.folder)
    assert bootstrap
    host, port = bootstrap.address.removeprefix("tcp://").rsplit(":", 1)
    greeting = b"\xff" + bytes(8) + b"\x7f\x03\x00CURVE"
    for said in (scene.rng.randbytes(5000), b"GET / HTTP/1.1\r\n\r\n", greeting, b"", b"\xff" * 64):
        with contextlib.suppress(OSError), socket.create_connection((host, int(port)), 5) as stranger:
            stranger.sendall(said)
            time.sleep(0.05)


def _twin(scene: Scene) -> None:
    """A second agent of the same rank, once the first one is in; it is refused in a sentence."""
    if scene.wait_for(scene.finished):
        twin = scene.start_agent(scene.host, scene.proxies[scene.host].address)
        _, said = twin.communicate(timeout=30)
        known = f"has an agent {scene.host}, and there is one already: give each another --rank"
        late = "has answered within", "is silent for"  # the launcher ended meanwhile
        if known not in said and not any(words in said for words in late):
            scene.wrong.append(f"a second agent was told {said!r}")


def _images(sender: str) -> str:
    """What lets the launcher send pieces of images in this way."""
    return (
        f"import image_links; from launch.machines.content import delivery as d; d.ImageSender = image_links.{sender}"
    )


def _helper(name: str, victim: Victim, who: str) -> HostFault:
    """A process of the run that is no core is killed."""
    return HostFault(f"{name} killed", _signals(victim, *KILLS), (Cause(5, f"^error: {who} was killed by {{signal}}"),))


KINDS = (
    HostFault(
        "core killed",
        _signals(_core, *KILLS),
        CORE_KILLED,
    ),
    HostFault("core stopped for 2 s", _stops(_core, SHORTLY), RIGHT, endless=False),
    HostFault("core stopped for 8 s", _stops(_core, LONG), RIGHT, endless=False),
    _helper("zygote of a host", _zygote, "the zygote process on host {name}"),
    _helper("zygote of the launcher", _own_zygote, "the zygote process"),
    _helper("memory node", _node, "the memory node"),
    HostFault("memory node stopped for 2 s", _stops(_node, SHORTLY), RIGHT, endless=False),
    HostFault("zygote of a host stopped for 2 s", _stops(_zygote, SHORTLY), RIGHT, endless=False),
    HostFault("agent killed", _signals(_agent, *KILLS), (LOST, *NOT_JOINED)),
    HostFault("agent terminated", _signals(_agent, signal.SIGTERM), (*TOLD, LOST, *NOT_JOINED)),
    HostFault("agent stopped for 1.5 s", _stops(_agent, 1.5), RIGHT, endless=False),
    HostFault("agent stopped", _stops(_agent, None), (LOST, *NOT_JOINED)),
    HostFault("link cut for 2 s", _cuts(CutProxy.freeze, SHORTLY), RIGHT, endless=False),
    HostFault("link severed for 2 s", _cuts(CutProxy.sever, SHORTLY), RIGHT, endless=False),
    HostFault("link cut", _cuts(CutProxy.freeze, None), (LOST, *NOT_JOINED)),
    HostFault("link severed", _cuts(CutProxy.sever, None), (LOST, *NOT_JOINED)),
    HostFault("link damaged", _damages, RIGHT, endless=False),
    HostFault("launcher killed", _signals(_launcher, signal.SIGKILL), (Cause(-signal.SIGKILL, ""),)),
    HostFault("launcher interrupted", _signals(_launcher, signal.SIGINT), (Cause(130, "error: interrupted"),)),
    HostFault("launcher terminated", _signals(_launcher, signal.SIGTERM), (TERMINATED,)),
    *(
        HostFault(f"{name} at the end", _at_the_end(strike), (*RIGHT, *causes), endless=False, early=False)
        for name, strike, causes in (
            ("core killed", _signals(_core, *KILLS), CORE_KILLED),
            ("agent killed", _signals(_agent, *KILLS), (LOST,)),
            ("agent terminated", _signals(_agent, signal.SIGTERM), (*TOLD, LOST)),
            ("link cut", _cuts(CutProxy.freeze, None), (LOST,)),
            ("launcher terminated", _signals(_launcher, signal.SIGTERM), (TERMINATED,)),
        )
    ),
    HostFault("launcher stopped for 2 s", _stops(_launcher, SHORTLY), RIGHT, endless=False),
    HostFault("launcher stopped for 8 s", _stops(_launcher, LONG), (*RIGHT, ANY_LOST, *NONE_JOINED), endless=False),
    HostFault(
        "image damaged",
        None,
        (Cause(5, r"host h1 does not take the image: '.*' came damaged, and once more when it was asked for again"),),
        before=_images("DamagingSender"),
    ),
    HostFault("image damaged once", None, RIGHT, endless=False, before=_images("OnceDamagingSender")),
    HostFault("trap", None, (Cause(3, rf"^error: core {TRAPPING} .*trap"),), traps=True),
    HostFault("deadlock", None, (Cause(4, r"^error: .*core 0 waits for"),), image="stuck", words=("--no-check",)),
    *(
        HostFault(name, None, (Cause(5, f"^error: {sentence}"),), words=("--chaos", chaos))
        for name, chaos, sentence in (
            ("message lost", "drop:3@7", r"message 7 from core 3 to core 4 was lost"),
            ("acknowledgement lost", "drop-credit:4@7", r"the acknowledgement of message 7 from core 3 to core 4 was"),
            ("message damaged", "corrupt:3@7", r"core 4 refuses what it got"),
            ("core killed by chaos", "kill:3@90", r"core 3 on host h1 was killed by SIGKILL, last seen at"),
        )
    ),
    HostFault("delays", None, RIGHT, endless=False, words=("--chaos", "delay:0.05,5", "--chaos", "yield:0.1")),
    HostFault(
        "no room for the image",
        None,
        (Cause(2, r"host {name} does not take the image: .*cannot be written: File too large; "),),
        before_agent="import exhausting; exhausting.file_size(2000)",
    ),
    HostFault(
        "no shared memory",
        None,
        (Cause(2, r"on host {name}: no shared memory of \d+ bytes for the run: File too large; raise the limit"),),
        before_agent="import exhausting; exhausting.file_size(100)",
        words=("--shared-image",),
    ),
    HostFault(
        "no process",
        None,
        (Cause(2, r"on host {name}: no process can be started for core \d \(Resource temporarily unavailable\)"),),
        before_agent="import exhausting; exhausting.forks(1)",
    ),
    HostFault(
        "no open files",
        None,
        (Cause(2, r"^error: host {name}: 2 core processes there need 33 open files each and the limit is 32: raise"),),
        before_agent="import exhausting; exhausting.open_files(32)",
    ),
    HostFault(
        "hardly an open file",
        None,
        NOT_JOINED,
        before_agent="import exhausting; exhausting.open_files(14)",
    ),
    HostFault(
        "full disk",
        None,
        (Cause(2, r"^error: host {name} does not take the image: .*cannot be written: No space left on device; free"),),
        before_agent="import exhausting; exhausting.disk(12 << 10)",
    ),
    HostFault("strangers at the port", _noise, RIGHT, endless=False),
    HostFault("second agent of a rank", _twin, RIGHT, endless=False, early=False),
)
