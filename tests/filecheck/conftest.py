"""Every `.mlir` file below is a test: its RUN lines are run in this process, in some milliseconds each."""

from filecheck_item import MlirFile


def pytest_collect_file(parent, file_path):
    return MlirFile.from_parent(parent, path=file_path) if file_path.suffix == ".mlir" else None
