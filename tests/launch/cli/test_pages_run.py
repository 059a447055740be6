"""The commands of README and of the pages for users do what these say, one page after the other in one directory."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from unittest import mock

import numpy as np
import onnx
import pytest
from decoders import decoder
from exported_decoders import gpt2
from host_nets import sandwich

ROOT = Path(__file__).parents[3]
START = f"import sys; sys.path.insert(0, {str(ROOT)!r}); from reram_emu import main; main()"
USERS = ("usage", "run", "suites", "states", "host-nodes", "inspect", "diff", "sweep", "files", "conformance", "timing")
USERS += ("compiler", "ir", "architecture-file", "interop")
PAGES = ("README.md", *(f"docs/{name}.md" for name in USERS))
CODES = {"drop": 5, "kill": 5}  # what chaos that cannot end well gives
LONG = ("emu bench --row", "emu bench --profile", "emu stress --faults --repeat", "emu stress --faults --cores 16")


def commands(page):
    """The `emu` lines of the blocks of a page, in order."""
    blocks = re.findall(r"^```(\w*)\n(.*?)^```", (ROOT / page).read_text("utf-8"), re.MULTILINE | re.DOTALL)
    plain = [line for language, block in blocks if not language for line in block.splitlines()]
    lines = [line.removeprefix("$ ").split("#")[0].strip() for line in plain]
    return [line for line in lines if line.startswith("emu ") and not line.startswith(LONG)]


def prepare(folder):
    """What pages take as given: the examples, files of the reader's own, lenet.onnx and what it is compiled to."""
    from emu.asm.assembler import assemble
    from launch.images.cache import ImageCache
    from launch.zoo import build

    by_hand = re.search(
        r"^```asm\n(.*?)^```", (ROOT / "docs" / "assembly.md").read_text("utf-8"), re.MULTILINE | re.DOTALL
    )
    (folder / "double.asm").write_text(by_hand[1])
    assemble(folder / "double.asm", folder / "out" / "double")
    shutil.copytree(ROOT / "examples", folder / "examples")
    shutil.copy(ROOT / "examples" / "digits_cnn.onnx", folder / "digits.onnx")
    shutil.copy(ROOT / "examples" / "digits_test.npz", folder / "digits.npz")
    (folder / "chip.toml").write_text('[chip]\nname = "mine"\ncores = 64\n')
    ImageCache(folder / ".emu-cache")
    onnx.save(decoder(), folder / "decoder.onnx")
    onnx.save(sandwich(), folder / "detector.onnx")
    with mock.patch("exported_decoders.MOST", 128):  # as long as the page's caches
        onnx.save(gpt2().model, folder / "gpt2.onnx")
    mask = np.ones((3, 1, 128), np.int64)
    np.savez(folder / "steps.npz", input_ids=np.arange(3).reshape(3, 1, 1), attention_mask=mask)
    np.savez(folder / "tokens.npz", ids=np.arange(6).reshape(6, 1, 1))
    lenet = build("lenet5")
    onnx.save(lenet, folder / "lenet.onnx")
    run(folder, "emu compile lenet.onnx -o out/lenet")
    dynamic = onnx.ModelProto()
    dynamic.CopyFrom(build("squeezenet"))
    dynamic.graph.input[0].type.tensor_type.shape.dim[0].dim_param = "batch"
    onnx.save(dynamic, folder / "dynamic.onnx")
    images = np.random.default_rng(0).standard_normal((6, 1, 28, 28)).astype(np.float32)
    np.savez(folder / "images.npz", input=images)
    np.savez(folder / "big.npz", input=np.tile(images, (20, 1, 1, 1)))


def run(folder, line):
    command = line.replace("--chaos-runs 100", "--chaos-runs 3").replace("--chaos-runs 1000", "--chaos-runs 3")
    command, _, target = command.partition(" > ")
    words = shlex.split(command)[1:]
    environment = {**os.environ, "PYTHONPATH": os.environ.get("PYTHONPATH", "")}
    done = subprocess.run(
        [sys.executable, "-P", "-c", START, *words], cwd=folder, env=environment, capture_output=True, text=True
    )
    if target:
        (folder / target).write_text(done.stdout)
    return done


@pytest.mark.full
@pytest.mark.parametrize("page", PAGES)
def test_commands_in_order(tmp_path, page):
    prepare(tmp_path)
    lines = commands(page)
    assert lines
    for line in lines:
        if "--golden wanted.npz" in line:  # golden values of the reader's own: those of an earlier run
            assert (
                run(tmp_path, "emu launch out/lenet --input images.npz --golden none --save wanted.npz").returncode == 0
            )
        code = next((code for word, code in CODES.items() if re.search(rf"--chaos {word}", line)), 0)
        done = run(tmp_path, line)
        assert done.returncode == code, f"{line}: {done.returncode} {done.stderr}"
