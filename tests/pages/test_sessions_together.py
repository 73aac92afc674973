"""Sessions that begin together on a server that has just started load its modules in threads."""

import ast
import random
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SCRIPTS = [ROOT / "app.py", *sorted((ROOT / "pages").glob("[a-z]*.py"))]


def first_import(script):
    """Return the first module of ours that a script loads."""
    for node in ast.parse(script.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ImportFrom) and node.module.split(".")[0] in {
            "pages",
            "privsc_core",
        }:
            return f"{node.module}.{node.names[0].name}"
    return None


# Switching threads so often makes what happens once in a while happen mostly.
TOGETHER = """
import importlib, sys, threading
import streamlit
names, failed = sys.argv[1:], []
start = threading.Barrier(len(names))
sys.setswitchinterval(1e-5)

def load(name):
    start.wait()
    for part in (name, name.rpartition(".")[0]):
        try:
            importlib.import_module(part)
            return
        except ModuleNotFoundError:
            pass  # a name in a module
        except Exception as error:
            failed.append(f"{name}: {error!r}")
            return

threads = [threading.Thread(target=load, args=(name,), daemon=True) for name in names]
for thread in threads: thread.start()
for thread in threads: thread.join(60)
failed += [f"{thread} waits" for thread in threads if thread.is_alive()]
sys.exit("\\n".join(failed) or None)
"""


@pytest.mark.parametrize("turn", range(3))
def test_modules_are_loaded_by_many_threads_at_once(turn):
    names = sorted({first_import(script) for script in SCRIPTS})
    random.Random(turn).shuffle(names)  # noqa: S311 - no secret
    done = subprocess.run(
        [sys.executable, "-c", TOGETHER, *names], cwd=ROOT, capture_output=True, text=True,
        timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_scripts_load_pages_first(script):
    """It loads the packages that are not to be asked for in parts."""
    assert first_import(script).startswith("pages.")
