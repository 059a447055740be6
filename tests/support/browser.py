"""A headless browser that tests steer by its own protocol, over pipes: pages, keys, what it says on its console."""

from __future__ import annotations

import base64
import contextlib
import json
import os
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

import leaks

from launch.system.readable import readable

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
PATIENCE = 120.0  # seconds until an answer is given up: machines may be busy
KEYS = {"Enter": 13, "Escape": 27, " ": 32, "Tab": 9, "ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40}


def find_browser() -> str:
    """The path of a browser; empty if there is none."""
    return next((path for name in NAMES if (path := shutil.which(name))), "")


class Browser:
    """A context manager: one page of a browser that knows no network. `said` is what the console was told.

    It takes a second to start, and so may live longer than a test: after `renew` it knows nothing of what was before.
    """

    def __init__(self, width: int = 1300, height: int = 900) -> None:
        self.said: list[str] = []
        self.asked: list[str] = []  # addresses that the page wanted
        self._size, self._context = (width, height), ""
        self._number, self._session, self._rest = 0, "", b""
        self._process: subprocess.Popen[bytes] | None = None
        self._ends: list[int] = []  # descriptors
        # Its profile and sockets, whose names must be short.
        self._folder = tempfile.TemporaryDirectory(prefix="page-", ignore_cleanup_errors=True)

    def __enter__(self) -> Browser:
        try:
            self._start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def _start(self) -> None:
        for reading, writing in (os.pipe(), os.pipe()):
            self._ends += [reading, writing]
        theirs_in, self._out, self._in, theirs_out = self._ends
        width, height = self._size
        command = [
            *(find_browser(), "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"),
            *("--no-first-run", "--disable-extensions", "--disable-background-networking", "--hide-scrollbars"),
            *("--remote-debugging-pipe", f"--user-data-dir={self._folder.name}/profile"),
            *(f"--window-size={width},{height}", "about:blank"),
        ]
        # The browser reads its descriptor 3 and writes 4; out of the way first, as one of ours may be one of these.
        shell = f'exec 98<&{theirs_in} 99>&{theirs_out}; exec "$@" 3<&98 4>&99 98<&- 99>&-'
        self._process = subprocess.Popen(
            ["bash", "-c", shell, "bash", *command],
            pass_fds=(theirs_in, theirs_out),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            env={**os.environ, "HOME": self._folder.name, "TMPDIR": self._folder.name},
        )
        for end in (theirs_in, theirs_out):
            os.close(end)
            self._ends.remove(end)
        leaks.LASTING_TREES.add(self._process.pid)
        self.renew()

    def renew(self) -> None:
        """Another page, which shares nothing with those before."""
        self._session, self.said, self.asked = "", [], []
        if self._context:
            self.send("Target.disposeBrowserContext", browserContextId=self._context)
        self._context = self.send("Target.createBrowserContext")["browserContextId"]
        target = self.send("Target.createTarget", url="about:blank", browserContextId=self._context)["targetId"]
        self._session = self.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.send(f"{domain}.enable")

    def __exit__(self, *_: object) -> None:
        if self._process is not None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
            leaks.LASTING_TREES.discard(self._process.pid)
        for end in self._ends:
            os.close(end)
        self._folder.cleanup()

    def send(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Ask for something, and wait for the answer."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._out, json.dumps(message).encode() + b"\0")
        while True:
            told = self._next()
            if told.get("id") == self._number:
                assert "error" not in told, told["error"]
                return told["result"]

    def _next(self) -> dict[str, Any]:
        deadline = time.monotonic() + PATIENCE
        while b"\0" not in self._rest:
            assert readable(self._in, max(0, deadline - time.monotonic())), "the browser is silent"
            got = os.read(self._in, 1 << 20)
            assert got, "the browser has ended"
            self._rest += got
        text, _, self._rest = self._rest.partition(b"\0")
        told = json.loads(text)
        self._listen(told.get("method", ""), told.get("params", {}))
        return told

    def _listen(self, method: str, told: dict[str, Any]) -> None:
        if method == "Runtime.consoleAPICalled":
            self.said.append(f"{told['type']}: {[arg.get('value') for arg in told['args']]}")
        elif method == "Runtime.exceptionThrown":
            self.said.append(f"exception: {told['exceptionDetails'].get('exception', {}).get('description')}")
        elif method == "Log.entryAdded":
            self.said.append(f"{told['entry']['level']}: {told['entry']['text']}")
        elif method == "Network.requestWillBeSent":
            self.asked.append(told["request"]["url"])

    def open(self, page: Path, address: str = "") -> None:
        """Show a page, all of it."""
        self.send("Page.navigate", url=f"{page.absolute().as_uri()}{address}")
        deadline = time.monotonic() + PATIENCE
        while self.ask("document.documentElement?.dataset.ready") != "yes":
            assert time.monotonic() < deadline and not self.said, self.said

    def each(self, selector: str, expression: str) -> list[Any]:
        """The values of an expression of `one`, for each element of a selector."""
        return self.ask(f"[...document.querySelectorAll({json.dumps(selector)})].map((one) => {expression})")

    def ask(self, expression: str) -> Any:
        """The value of an expression in the page."""
        found = self.send("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in found, found["exceptionDetails"]
        return found["result"].get("value")

    def key(self, name: str) -> None:
        """Press a key."""
        common = {"key": name, "code": "Space" if name == " " else name, "windowsVirtualKeyCode": KEYS[name]}
        text = {"Enter": "\r", " ": " "}.get(name)
        self.send("Input.dispatchKeyEvent", type="keyDown", **common, **({"text": text} if text else {}))
        self.send("Input.dispatchKeyEvent", type="keyUp", **common)

    def media(self, media: str = "", scheme: str = "light") -> None:
        """As on `print` or screen, light or dark."""
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self.send("Emulation.setEmulatedMedia", media=media, features=features)

    def picture(self, path: Path, height: int | None = None) -> None:
        """Write what is seen, `height` pixels of it, as PNG."""
        if height:
            self.send(
                "Emulation.setDeviceMetricsOverride",
                width=self._size[0],
                height=height,
                deviceScaleFactor=1,
                mobile=False,
            )
        path.write_bytes(base64.b64decode(self.send("Page.captureScreenshot", format="png")["data"]))
