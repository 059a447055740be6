"""A compiled model: called like the module that it was compiled from, saved to a folder and loaded from one."""

from __future__ import annotations

import shutil
import threading
import weakref
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from compiler.calling.convention import CALLING_FILE, Calling, calling_of, is_tensor, read_calling, to_array
from compiler.calling.runners import DEVICE, SEQUENTIAL, Runner, make_runner
from compiler.network_files import FILES, NETWORK, inputs_and_outputs
from emu.errors import InputError, option
from emu.image.manifest_json import MANIFEST_FILE
from emu.image.reader import read_manifest
from emu.image.writer import refuse_foreign
from emu.output.failures import cannot_write
from emu.output.whole_folder import WholeFolder


class CompiledModel:
    """A network that was compiled to programs, or for a device; called with tensors or arrays as its module is.

    `runner` names what runs it: "sequential" (all cores in this process), "processes" (one per core), or what is
    installed; with `device`, one that is powered on or a chip, contractions run on that. It starts at the first call
    and is held until `close`, or the end of a `with` block. `warnings` are those of the compilation.
    """

    def __init__(
        self, path: Path, calling: Calling, *, runner: str = SEQUENTIAL, device: Any = None, scratch: Any = None
    ) -> None:
        self.path, self.calling, self.warnings = path, calling, tuple[str, ...]()
        self._name, self._device = DEVICE if device is not None else runner, device
        self._runner: Runner | None = None
        self._lock = threading.Lock()
        self._held = ExitStack()  # of this object: it goes with it
        if scratch is not None:
            self._held.push(scratch)
        self._gone = weakref.finalize(self, self._held.close)

    @property
    def offloaded(self) -> bool:
        """Whether it is for a device: not compiled to programs."""
        return not (self.path / MANIFEST_FILE).exists()

    @property
    def runner(self) -> Runner:
        """What runs it, started if need be; raises InputError once the model is closed."""
        if not self._gone.alive:
            raise InputError("the compiled model is closed: load it again, or compile it again")
        if self._runner is None:
            self._runner = make_runner(self._name, self.path, self._device)
            self._held.callback(self._runner.close)
        return self._runner

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """The result for one sample, in the structure of the module's: tensors if one is given, else arrays.

        Raises InputError for arguments of another number, name, structure, shape or type, and what running raises.
        """
        given = self.calling.bound(args, kwargs)
        with self._lock:
            outputs = self.runner.run({name: to_array(value, name) for name, value in given.items()})
        return self.calling.returned(outputs, any(map(is_tensor, given.values())))

    def save(self, path: str | Path) -> None:
        """Write it to the folder `path`, for `load`; programs are an image that `emu launch` takes as any other.

        An older model there is replaced. Raises InputError.
        """
        out = Path(path)
        if not self._gone.alive and not self.path.exists():
            raise InputError("the compiled model is closed: save it before")
        _refuse_others(out)
        with WholeFolder(out) as folder:
            try:
                shutil.copytree(self.path, folder.hidden, dirs_exist_ok=True, copy_function=shutil.copyfile)
            except OSError as error:
                raise cannot_write(out, error) from None
            folder.put_in_place()

    @staticmethod
    def load(path: str | Path, *, runner: str = SEQUENTIAL, device: Any = None) -> CompiledModel:
        """The model in a folder of `save`, or any image; neither torch nor pickles are read.

        Raises InputError for what is no such folder, or for a `device` that the model was not compiled for.
        """
        folder = Path(path)
        if (folder / MANIFEST_FILE).exists():
            if device is not None:
                raise InputError(f"{folder} holds programs: compile the model with {option('device')} to offload it")
            manifest = read_manifest(folder)
            sides = [spec.name for spec in manifest.inputs], [spec.name for spec in manifest.outputs]
            file = folder / CALLING_FILE
            calling = read_calling(file, *sides) if file.exists() else calling_of(manifest)
        elif (folder / NETWORK).exists():
            if device is None:
                raise InputError(f"{folder} was compiled for a device: give one by {option('device')}")
            calling = read_calling(folder / CALLING_FILE, *inputs_and_outputs(folder))
        else:
            raise InputError(f"{folder} is no compiled model: CompiledModel.save and emu compile write one")
        return CompiledModel(folder.resolve(), calling, runner=runner, device=device)

    def close(self) -> None:
        """Give back what runs it; the model cannot be called then. May be called twice."""
        self._gone()

    def __enter__(self) -> CompiledModel:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()


def load(path: str | Path, *, runner: str = SEQUENTIAL, device: Any = None) -> CompiledModel:
    """`CompiledModel.load`."""
    return CompiledModel.load(path, runner=runner, device=device)


def _refuse_others(out: Path) -> None:
    """Raise InputError unless nothing stands there but a compiled model, or an empty folder."""
    offloaded = out.is_dir() and (out / NETWORK).exists()
    if not offloaded or not {path.name for path in out.iterdir()} <= FILES:
        refuse_foreign(out)
