"""Compiles the networks of given files in this process of limited memory; one JSON line per file tells how it went."""

import json
import resource
import sys
import time
from pathlib import Path

import compiler
from emu.errors import InputError
from launch.golden.attach import AttachGolden

ADDRESSES = 4 << 30  # bytes: a network that takes more ends here, and not the machine


def own_peak() -> int:
    """KiB of this program: `ru_maxrss` begins with what the process was before, such as a large pytest."""
    (line,) = (line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM"))
    return int(line.split()[1])


def compile_one(path: Path, out: Path) -> str:
    """Nothing, or the sentence."""
    try:
        compiler.compile(path, out=out, finish=AttachGolden(path))
    except InputError as error:
        return str(error)
    return ""


if __name__ == "__main__":
    resource.setrlimit(resource.RLIMIT_AS, (ADDRESSES, ADDRESSES))
    for file in map(Path, sys.argv[1:]):
        begin = time.process_time()
        sentence = compile_one(file, file.with_suffix(".out"))
        peak = max(own_peak(), resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
        print(
            json.dumps({"sentence": sentence, "peak": peak << 10, "seconds": time.process_time() - begin}), flush=True
        )
