"""Sessions that begin together on a server that has just started load its modules in threads."""

import ast
import random
import subprocess
import sys
from pathlib import Path

import pytest

from tests.depth import firsts

ROOT = Path(__file__).parents[2]
SCRIPTS = [ROOT / "app.py", *sorted((ROOT / "pages").glob("[a-z]*.py"))]
OURS = ("pages", "privsc_core")


def loaded(script):
    """Return what a script loads of ours, in its order."""
    names = []
    for node in ast.parse(script.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Import):
            names += [name.name for name in node.names]
        elif isinstance(node, ast.ImportFrom):
            names += [f"{node.module}.{name.name}" for name in node.names]
    return [name for name in names if name.split(".")[0] in OURS]


# Switching threads so often makes what happens once in a while happen mostly.
TOGETHER = """
import importlib, sys, threading
import streamlit
names, failed = sys.argv[1:], []
start = threading.Barrier(len(names))
sys.setswitchinterval(1e-5)

def load(name):
    start.wait()
    try:
        import pages
        try:
            importlib.import_module(name)
        except ModuleNotFoundError:  # a name in a module
            importlib.import_module(name.rpartition(".")[0])
    except Exception as error:
        failed.append(f"{name}: {error!r}")

threads = [threading.Thread(target=load, args=(name,), daemon=True) for name in names]
for thread in threads: thread.start()
for thread in threads: thread.join(60)
failed += [f"{thread} waits" for thread in threads if thread.is_alive()]
sys.exit("\\n".join(failed) or None)
"""


@pytest.mark.parametrize("turn", firsts(range(3)))
def test_modules_are_loaded_by_many_threads_at_once(turn):
    names = sorted({name for script in SCRIPTS for name in loaded(script)})
    assert len(names) > len(SCRIPTS)
    random.Random(turn).shuffle(names)  # noqa: S311 - no secret
    done = subprocess.run(
        [sys.executable, "-c", TOGETHER, *names], cwd=ROOT, capture_output=True, text=True,
        timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_scripts_load_pages_whole_before_a_part_of_it(script):
    assert loaded(script)[0] == "pages"
