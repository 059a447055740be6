"""Stands for an agent: it tells what it was told to the launcher that it joins, and ends as that says.

Run as a program without this project, which takes long to import.
"""

import json
import os
import socket
import sys


def main() -> int:
    key, secret = sys.stdin.readline().split()
    words = dict(zip(sys.argv[1::2], sys.argv[2::2], strict=True))
    host, port = words["--join"].removeprefix("tcp://").rsplit(":", 1)
    found = {"key": key, "secret": secret, "words": words, "pid": os.getpid(), "python": sys.executable}
    found["rank"] = int(words.get("--rank", os.environ.get("SLURM_PROCID", -1)))
    with socket.create_connection((host, int(port)), timeout=30) as link:
        link.sendall(json.dumps(found).encode() + b"\n")
        link.settimeout(None)
        order = json.loads(link.makefile().readline() or "null")
        if order is None:  # the launcher is gone
            return 0
        while order.get("deaf"):
            link.recv(1)
        print(order.get("says", ""), file=sys.stderr, flush=True)
        return order["code"]


if __name__ == "__main__":
    sys.exit(main())
