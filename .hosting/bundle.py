"""Collect what the front server serves itself: python .hosting/bundle.py FOLDER.

Streamlit's program from the installed package and ours from the checkout, and each page as it is
before any program runs; beside each text file the same, compressed once and for all (``gzip_static``). Run it with the environment that
the application processes use: both must come from one version.
"""

import gzip
import shutil
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TEXTS = {".css", ".html", ".js", ".json", ".svg"}


def bundle(target, level=9):
    """Fill the folder `target`; return the number of files, the compressed ones aside."""
    import streamlit  # noqa: PLC0415 - slow, and only needed here

    sys.path.insert(0, str(ROOT))
    from pages.shared.host import static_files  # noqa: PLC0415 - found in ROOT
    from pages.shared.page import first  # noqa: PLC0415 - as above

    static_files.publish()
    shutil.copytree(Path(streamlit.__file__).parent / "static", target, dirs_exist_ok=True)
    programs = target / "app" / "static"
    programs.mkdir(parents=True, exist_ok=True)
    for name in (static_files.PLOTLY, static_files.CHART):
        shutil.copy(static_files.FOLDER / name, programs)
    for name, document in first.documents():
        (target / f"{name or 'index'}.html").write_text(document, encoding="utf-8")
    files = [path for path in target.rglob("*") if path.is_file() and path.suffix != ".gz"]
    for path in files:
        if path.suffix in TEXTS:
            # No name and no time inside: the same input gives the same file.
            packed = gzip.compress(path.read_bytes(), level, mtime=0)
            path.with_name(path.name + ".gz").write_bytes(packed)
    return len(files)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python .hosting/bundle.py FOLDER")
    print(f"{bundle(Path(sys.argv[1]))} files")
