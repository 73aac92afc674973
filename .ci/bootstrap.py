"""Makes an environment for this checkout out of nothing but Python; standard library only.

``.ci/start`` and ``.ci/test`` import it; ``.ci/run`` calls ``python3 .ci/bootstrap.py test lint``,
which prepares the environment with those extras and prints the path of its interpreter.

The environment is the virtual environment that is active, or else ``.venv`` in the checkout.
A stamp inside it remembers what was installed for which pyproject.toml and constraints.txt, so
that a second call costs nothing and needs no network. Written so that an old Python can still
read it far enough to be told that it is too old.
"""

import hashlib
import importlib.util
import json
import os
import platform
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
OLDEST = (3, 11)
NEWER = ("python3.13", "python3.12", "python3.11", "python3.14")
CHROMIUM_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def say(message):
    """Tell the person at the terminal what is going on; standard output stays for results."""
    print("privsc: " + message, file=sys.stderr, flush=True)


def stop(message):
    """End with one sentence instead of a traceback."""
    say(message)
    raise SystemExit(1)


def use_a_new_enough_python():
    """Start this very command again under a newer Python if this one is too old."""
    if sys.version_info >= OLDEST:
        return
    for name in NEWER:
        path = shutil.which(name)
        works = path and subprocess.call([path, "-c", ""], stderr=subprocess.DEVNULL) == 0
        if works:
            os.execv(path, [path, *sys.argv])  # noqa: S606 - found on the PATH, no shell
    stop("Python 3.11 or newer is needed; this is " + platform.python_version() + ".")


def inside_venv():
    """Tell whether this interpreter already belongs to a virtual environment."""
    return sys.prefix != sys.base_prefix


def interpreter():
    """Return the interpreter of the environment, which need not exist yet."""
    if inside_venv():
        return Path(sys.executable)
    folder, name = ("Scripts", "python.exe") if os.name == "nt" else ("bin", "python")
    return ROOT / ".venv" / folder / name


def may_install():
    """Return the prefix with which this person may call apt-get, or None if they may not."""
    if not shutil.which("apt-get"):
        return None
    if os.geteuid() == 0:
        return []
    if (
        shutil.which("sudo")
        and subprocess.call(["sudo", "-n", "true"], stderr=subprocess.DEVNULL) == 0
    ):
        return ["sudo", "-n"]
    return None


def apt_install(*packages):
    """Install system packages without asking questions; tell whether that worked."""
    prefix = may_install()
    if prefix is None:
        return False
    say("installing " + " ".join(packages) + " with apt-get")
    quiet = ["env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "-qq", "-y"]
    lean = ["--no-install-recommends", "-o", "DPkg::Lock::Timeout=300"]
    return all(
        subprocess.call(prefix + quiet + command, stdin=subprocess.DEVNULL, stdout=sys.stderr) == 0
        for command in (["update"], ["install", *lean, *packages])
    )


def make_venv():
    """Create .venv, helping Debian and Ubuntu, which ship venv in a package of its own."""
    version = "python%d.%d-venv" % sys.version_info[:2]
    if importlib.util.find_spec("ensurepip") is None and not apt_install(version):
        stop("this Python cannot make virtual environments; install " + version + " first.")
    say("making a virtual environment in .venv")
    result = subprocess.call(
        [sys.executable, "-m", "venv", "--clear", str(ROOT / ".venv")],
        stdin=subprocess.DEVNULL,
        stdout=sys.stderr,
    )
    if result != 0:
        stop("the virtual environment could not be made; the lines above say why.")


def wanted():
    """Return a fingerprint of everything that decides what has to be installed."""
    digest = hashlib.sha256(str(ROOT).encode())
    digest.update(platform.python_version().encode())
    for name in ("pyproject.toml", "constraints.txt"):
        digest.update((ROOT / name).read_bytes())
    return digest.hexdigest()


def installed(stamp):
    """Return the fingerprint and the extras that the stamp remembers."""
    try:
        record = json.loads(stamp.read_text(encoding="utf-8"))
        return record["wanted"], set(record["extras"])
    except (OSError, ValueError, KeyError, TypeError):
        return None, set()


def prepare(*extras):
    """Make sure that the dashboard is installed from this checkout, and extras; return the interpreter."""
    use_a_new_enough_python()
    python = interpreter()
    if not inside_venv() and subprocess_fails(python):
        make_venv()
    stamp = python.parent.parent / ".privsc-installed.json"
    extras = {"app", *extras}
    now, (before, have) = wanted(), installed(stamp)
    if before == now and have.issuperset(extras):
        return python
    every = sorted(have.union(extras))
    target = str(ROOT) + "[" + ",".join(every) + "]"
    say("installing the versions of constraints.txt, a few minutes the first time")
    pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    pip += ["--no-input", "-c", str(ROOT / "constraints.txt"), "-e", target]
    if subprocess.call(pip, stdin=subprocess.DEVNULL, stdout=sys.stderr) != 0:
        stop("pip could not install what is needed; the lines above say what and why.")
    stamp.write_text(json.dumps({"wanted": now, "extras": every}), encoding="utf-8")
    return python


def subprocess_fails(python):
    """Tell whether this interpreter is absent or broken (as after an upgrade of the system)."""
    return (
        not python.exists()
        or subprocess.call([str(python), "-c", "import pip"], stderr=subprocess.DEVNULL) != 0
    )


def find_chromium():
    """Return the path of a Chromium, or None; tests/browser/chromium.py follows the same order."""
    named = os.environ.get("PRIVSC_CHROMIUM")
    if named:
        return named
    return next(filter(None, map(shutil.which, CHROMIUM_NAMES)), None)


def ensure_chromium(python):
    """Install a Chromium if there is none: the system's, or else the one Playwright brings."""
    if find_chromium():
        return
    if apt_install("chromium", "fonts-dejavu-core") and find_chromium():
        return
    say("no Chromium on this machine; asking Playwright for its own")
    own = [str(python), "-m", "playwright", "install", "chromium"]
    if subprocess.call(own, stdin=subprocess.DEVNULL, stdout=sys.stderr) != 0:
        say(
            "no Chromium could be installed, so the browser tests will fail: "
            "install one, or name one in PRIVSC_CHROMIUM."
        )


def find_nginx():
    """Return the path of nginx, or None; tests/load/front.py looks in the same places."""
    return shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin:/usr/local/sbin")


def ensure_nginx():
    """Install nginx if there is none, for the tests of the front server.

    Its package starts a web server where systemd runs: there it is for the owner to install.
    """
    if find_nginx():
        return
    if not Path("/run/systemd/system").is_dir() and apt_install("nginx") and find_nginx():
        return
    say("no nginx on this machine: the tests of the front server will not run; install it first.")


def ensure_redis():
    """Install Redis if neither it nor Valkey is there, for the tests of rooms; as nginx above."""
    if shutil.which("valkey-server") or shutil.which("redis-server"):
        return
    if not Path("/run/systemd/system").is_dir() and apt_install("redis-server"):
        return
    say("no Redis on this machine: the tests of rooms on it will not run; install it first.")


def become(command, **extra):
    """Replace this process by the command, run from the top of the checkout."""
    os.chdir(ROOT)
    env = dict(os.environ, **extra)
    if os.name == "nt":
        raise SystemExit(subprocess.call(command, env=env))
    os.execve(command[0], command, env)  # noqa: S606 - our own interpreter, no shell


if __name__ == "__main__":
    print(prepare(*sys.argv[1:]))
