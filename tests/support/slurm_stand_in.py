"""Stands for `srun` and `scontrol`, whichever it is called: what the former does with input, ranks, output and ends.

Run as a program without this project. What is printed about ends, and that all others are then ended, is as with
--kill-on-bad-exit=1 of Slurm 22.05.
"""

import contextlib
import os
import re
import signal
import subprocess
import sys
import threading
from pathlib import Path


def expanded(nodes: str) -> list[str]:
    stem, _, rest = nodes.rstrip("]").partition("[")
    spans = [span.split("-") for span in rest.split(",")] if rest else [[""]]
    return [f"{stem}{n}" for first, *last in spans for n in (range(int(first), int(last[0]) + 1) if last else [first])]


class Step:
    def __init__(self, words: list[str]) -> None:
        flags = [word for word in words if word.startswith("--")]
        command = words[len(list(self._leading(words))) :]
        given = dict(flag[2:].partition("=")[::2] for flag in self._leading(words))
        assert flags and given["input"] == "all" and given["kill-on-bad-exit"] == "1", words
        self.hosts = expanded(os.environ["SLURM_JOB_NODELIST"])
        assert given["nodes"] == given["ntasks"] == str(len(self.hosts)), words
        self.code, self._lock = 0, threading.Lock()
        self.tasks = [self._task(rank, command) for rank in range(len(self.hosts))]

    @staticmethod
    def _leading(words):
        for word in words:
            if not word.startswith("--"):
                return
            yield word

    def _task(self, rank: int, command: list[str]) -> subprocess.Popen:
        own = {"SLURM_PROCID": rank, "SLURM_NODEID": rank, "SLURM_NTASKS": len(self.hosts)}
        own["SLURMD_NODENAME"] = self.hosts[rank]
        variables = {**os.environ, **{name: str(value) for name, value in own.items()}}
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
        return subprocess.Popen(command, env={**variables, "SLURM_LAUNCH_NODE_IPADDR": "127.0.0.1"}, **pipes)

    def broadcast(self) -> None:
        while piece := os.read(0, 4096):
            for task in self.tasks:
                with contextlib.suppress(OSError):
                    os.write(task.stdin.fileno(), piece)
        for task in self.tasks:
            task.stdin.close()

    def follow(self, rank: int) -> None:
        task = self.tasks[rank]
        for line in task.stdout:
            sys.stderr.write(f"{rank}: {line.decode(errors='replace')}")
        status = task.wait()
        with self._lock:
            first, self.code = not self.code, self.code or (128 - status if status < 0 else status)
        if status:
            sys.stderr.write(f"{rank}: \n{rank}: slurmstepd: error: *** STEP 1.0 ON node CANCELLED ***\n")
            killed = {-9: "Killed", -15: "Terminated"}.get(status, f"Exited with exit code {status}")
            sys.stderr.write(f"srun: error: {self.hosts[rank]}: task {rank}: {killed}\n")
            if first:
                self.terminate()

    def terminate(self, *_) -> None:
        for task in self.tasks:
            if task.poll() is None:
                task.terminate()


def main() -> int:
    if Path(sys.argv[0]).name == "scontrol":
        if not re.fullmatch(r"[a-z]+(\[[0-9,-]+\]|[0-9]*)", sys.argv[-1]):
            return 1
        print("\n".join(expanded(sys.argv[-1])))
        return 0
    step = Step(sys.argv[1:])
    signal.signal(signal.SIGTERM, step.terminate)
    threading.Thread(target=step.broadcast, daemon=True).start()
    threads = [threading.Thread(target=step.follow, args=(rank,)) for rank in range(len(step.tasks))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    sys.stderr.flush()
    os._exit(step.code)  # the thread that reads the input may wait for more


if __name__ == "__main__":
    sys.exit(main())
