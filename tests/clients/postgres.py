"""A Postgres server for the tests: in a temporary folder, on a socket, and as another user, since it refuses root."""

import atexit
import os
import pwd
import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path


def programs():
    """Return the folder of Postgres' programs; None where there is none."""
    folders = sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    found = shutil.which("initdb")
    return next((folder for folder in folders if (folder / "initdb").exists()), Path(found).parent if found else None)


@cache
def running():
    """Start a server once for the process, and return its address for SQLAlchemy."""
    folder = programs()
    if folder is None:
        raise RuntimeError("There is no Postgres: install it (Debian: postgresql).")
    place = Path(tempfile.mkdtemp(prefix="pg"))
    as_other = _as_another_user(place)
    data = place / "data"

    def run(*words):
        subprocess.run(words, check=True, cwd=place, stdout=subprocess.DEVNULL, **as_other)

    run(folder / "initdb", "-D", data, "-U", "tests", "-A", "trust", "--no-sync", "-E", "UTF8", "--locale=C")
    options = f"-c listen_addresses='' -c unix_socket_directories={place} -c fsync=off"
    run(folder / "pg_ctl", "-D", data, "-w", "-l", place / "log", "-o", options, "start")
    atexit.register(_stop, folder, data, place, as_other)
    return f"postgresql+psycopg://tests@/postgres?host={place}"


def _as_another_user(place):
    """Return how to run programs as an ordinary user, who then owns the folder."""
    if os.geteuid() != 0:
        return {}
    names = ("postgres", "nobody")
    user = next(entry for name in names for entry in pwd.getpwall() if entry.pw_name == name)
    os.chown(place, user.pw_uid, user.pw_gid)
    return {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}


def _stop(folder, data, place, as_other):
    command = [folder / "pg_ctl", "-D", data, "-m", "immediate", "stop"]
    subprocess.run(command, check=False, stdout=subprocess.DEVNULL, cwd="/", **as_other)
    shutil.rmtree(place, ignore_errors=True)
