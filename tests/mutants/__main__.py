"""``python -m tests.mutants``: put each bug into a copy of the source and run its test there.

A bug is caught when the test passes without it and fails with it. Status 1 if one is not.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.mutants.bugs import BUGS, Bug, Edit

ROOT = Path(__file__).parents[2]
COPIED = ("cosyedge", "tests", "models", "config", "pyproject.toml")
FAILED = 1


def main() -> int:
    escaped = 0
    with tempfile.TemporaryDirectory(prefix="cosyedge-mutants-") as name:
        folder = Path(name)
        _copy(folder)
        print(f"{'bug':28}{'without it':13}{'with it':13}test")
        for bug in BUGS:
            sound = _run(folder, bug)
            originals = [_put(folder, edit) for edit in bug.edits]
            broken = _run(folder, bug)
            for path, content in originals:
                path.write_text(content)
            caught = sound == 0 and broken == FAILED
            escaped += not caught
            words = (
                "passes" if sound == 0 else f"status {sound}",
                "caught" if caught else "MISSED",
            )
            print(f"{bug.name:28}{words[0]:13}{words[1]:13}{bug.test}", flush=True)
    return 1 if escaped else 0


def _copy(folder: Path) -> None:
    ignored = shutil.ignore_patterns("__pycache__", "*.pyc")
    for name in COPIED:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, folder / name, ignore=ignored)
        else:
            shutil.copy(source, folder / name)


def _put(folder: Path, edit: Edit) -> tuple[Path, str]:
    path = folder / edit.path
    content = path.read_text()
    if content.count(edit.old) != 1:
        raise SystemExit(f"{edit.path} has changed: {edit.old!r} stands there not once")
    path.write_text(content.replace(edit.old, edit.new))
    return path, content


def _run(folder: Path, bug: Bug) -> int:
    """The status of pytest in the copy, whose own package is the one that is imported."""
    argv = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", bug.test]
    environment = os.environ | {"PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(argv, cwd=folder, env=environment, capture_output=True, check=False)
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
