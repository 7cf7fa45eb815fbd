"""Put models/ and config/ into the wheel, as cosyedge/data; all else stands in pyproject.toml."""

from setuptools import find_namespace_packages, setup

DATA = {"cosyedge.data.models": "models", "cosyedge.data.config": "config"}
inside = [
    f"{package}.{name}"
    for package, folder in DATA.items()
    for name in find_namespace_packages(folder)
]

setup(
    packages=[*find_namespace_packages(include=["cosyedge", "cosyedge.*"]), *DATA, *inside],
    package_dir=DATA,
    package_data={"": ["*.toml", "*.md", "py.typed"]},
    include_package_data=False,
)
