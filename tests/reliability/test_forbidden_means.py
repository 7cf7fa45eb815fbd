"""What the daemon and its workers never do: unpickle, unpack archives, fork a loaded process."""

import ast
from pathlib import Path

import cosyedge

FORBIDDEN = {"pickle", "marshal", "shelve", "zipfile", "tarfile", "multiprocessing", "pty"}
FORBIDDEN_CALLS = {"fork", "forkpty", "unpack_archive", "eval", "exec", "system"}
#: The exporter reads checkpoints with a reader of its own; bench and demo are no daemon.
OUTSIDE = {"export", "bench", "demo", "cli"}


def test_no_module_of_the_daemon_or_the_worker_unpickles_unpacks_or_forks() -> None:
    root = Path(cosyedge.__file__).parent
    seen, found = 0, []
    for path in sorted(root.rglob("*.py")):
        if path.relative_to(root).parts[0] in OUTSIDE:
            continue
        seen += 1
        found += [f"{path.name}: {each}" for each in _means(ast.parse(path.read_text()))]
    assert seen > 150
    assert found == []


def _means(tree: ast.AST) -> list[str]:
    names = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names if alias.name in FORBIDDEN]
        elif isinstance(node, ast.ImportFrom) and node.module in FORBIDDEN:
            names.append(node.module)
        elif isinstance(node, ast.Call):
            called = getattr(node.func, "attr", getattr(node.func, "id", ""))
            names += [called] if called in FORBIDDEN_CALLS else []
    return names


def test_the_search_finds_what_it_looks_for() -> None:
    bad = "import pickle\nfrom tarfile import open\nimport os\nos.fork()\n"
    assert _means(ast.parse(bad)) == ["pickle", "tarfile", "fork"]
