"""Ask the package index whether every core dependency has a wheel for aarch64, without a download.

One line a Python version: Debian 12 has 3.11, Debian 13 has 3.13.
"""

import json
import subprocess
import sys
import tomllib
from pathlib import Path

PYTHONS = {"3.11": 36, "3.13": 41}  # version: the minor version of Debian's glibc 2
ROOT = Path(__file__).parents[1]


def requirements() -> list[str]:
    """List the core dependencies and the default voice."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    return [*project["dependencies"], *project["optional-dependencies"]["voice"]]


def platforms(glibc_minor: int) -> list[str]:
    """List the wheel tags that such a system takes."""
    modern = [f"manylinux_2_{minor}_aarch64" for minor in range(glibc_minor, 16, -1)]
    return [*modern, "manylinux2014_aarch64", "linux_aarch64"]


def resolve(python: str, glibc_minor: int) -> subprocess.CompletedProcess[str]:
    """Let pip resolve for that machine; nothing is installed."""
    tags = [word for tag in platforms(glibc_minor) for word in ("--platform", tag)]
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "install", "--dry-run"]
    how = ["--quiet", "--report", "-", "--target", "unused", "--only-binary", ":all:"]
    return subprocess.run(
        [*pip, *how, "--python-version", python, *tags, *requirements()],
        capture_output=True,
        text=True,
        check=False,
    )


def main() -> int:
    """Print one line a Python version; 1 if a wheel is missing."""
    status = 0
    for python, glibc_minor in PYTHONS.items():
        ended = resolve(python, glibc_minor)
        if ended.returncode != 0:
            sys.stdout.write(f"Python {python}: {ended.stderr.strip().splitlines()[-1]}\n")
            status = 1
            continue
        packages = [item["metadata"] for item in json.loads(ended.stdout)["install"]]
        names = ", ".join(f"{item['name']} {item['version']}" for item in packages)
        sys.stdout.write(f"Python {python}: {len(packages)} packages have wheels: {names}\n")
    return status


if __name__ == "__main__":
    sys.exit(main())
