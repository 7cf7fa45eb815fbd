"""Wheels of the repository and of all that it needs, for installs without a network."""

import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

REPOSITORY = Path(__file__).parents[2]
SOURCES = ("cosyedge", "config", "models", "pyproject.toml", "setup.py", "README.md", "LICENSE")
SETUPTOOLS = "setuptools>=77"


def pip(*words: str | Path, environ: dict[str, str] | None = None) -> None:
    quiet = ("--disable-pip-version-check", "--no-input", "--quiet")
    command = [sys.executable, "-m", "pip", words[0], *quiet, *words[1:]]
    done = subprocess.run(
        [str(word) for word in command],
        capture_output=True,
        text=True,
        timeout=600,
        env={**os.environ, **(environ or {})},
    )
    if done.returncode != 0:
        raise AssertionError(f"pip {words}: {done.stdout}{done.stderr}")


def cache() -> Path:
    """A folder that outlives the test run, by what pyproject.toml asks for."""
    asked = (REPOSITORY / "pyproject.toml").read_bytes() + sys.version.encode()
    name = f"cosyedge-wheels-{hashlib.sha256(asked).hexdigest()[:12]}"
    folder = Path(tempfile.gettempdir()) / name
    folder.mkdir(mode=0o755, exist_ok=True)
    return folder


def dependencies(extras: str) -> Path:
    """Wheels of the dependencies, downloaded once; and a setuptools to build with."""
    ready = cache() / "deps"
    if not ready.exists():
        fresh = Path(tempfile.mkdtemp(dir=cache()))
        source = copy_source(fresh / "source")
        pip("wheel", "--wheel-dir", fresh / "wheels", f"{source}[{extras}]")
        for own in (fresh / "wheels").glob("cosyedge-*.whl"):
            own.unlink()
        pip("install", "--target", fresh / "wheels/build", SETUPTOOLS)
        (fresh / "wheels").rename(ready)
        shutil.rmtree(fresh)
    return ready


def copy_source(target: Path, *, version: str | None = None, main: str | None = None) -> Path:
    """The repository's sources with another version, or with another __main__.py."""
    target.mkdir(parents=True)
    skipped = shutil.ignore_patterns("__pycache__", "*.onnx")
    for name in SOURCES:
        source = REPOSITORY / name
        if source.is_dir():
            shutil.copytree(source, target / name, ignore=skipped)
        else:
            shutil.copy(source, target / name)
    if version is not None:
        project = target / "pyproject.toml"
        changed = re.sub(r'(?m)^version = ".*"$', f'version = "{version}"', project.read_text())
        project.write_text(changed)
    if main is not None:
        (target / "cosyedge/__main__.py").write_text(main)
    return target


def make_wheelhouse(
    folder: Path, extras: str, *, version: str | None = None, main: str | None = None
) -> Path:
    """A folder that install.sh --wheelhouse takes: the repository's wheel and all others."""
    deps = dependencies(extras)
    folder.mkdir(parents=True)
    for wheel in deps.glob("*.whl"):
        os.link(wheel, folder / wheel.name)
    source = copy_source(folder.with_name(folder.name + "-source"), version=version, main=main)
    environ = {"PYTHONPATH": str(deps / "build")}
    pip("wheel", "--no-deps", "--no-build-isolation", "-w", folder, source, environ=environ)
    shutil.rmtree(source)
    return folder
