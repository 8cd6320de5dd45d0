"""Fuzz `laconic.load`: whatever a file holds, it is refused with BadModelFile or gives a model that answers.

``make fuzz`` runs it for ``FUZZ_SECONDS`` (60). With atheris installed the search is guided by coverage; without it
spoilt golden files are tried at random. Memory beyond 2 GB and inputs that take longer than ten seconds fail, too.
"""

import argparse
import json
import random
import signal
import sys
import tempfile
import time
import types
from pathlib import Path

try:
    import atheris
except ImportError:  # no wheel for every Python
    atheris = None

from tests.model_files.mutations import exercise, mutate

from laconic import _layouts, certificates, rules
from laconic.exceptions import BadModelFile
from laconic.model_file import _checks, _format, _io, _plain

WATCHED = (_layouts, _checks, _format, _io, _plain, certificates._bounds, rules._base)
FOLDER = Path(__file__).parents[1] / "golden" / "models"
GOLDEN = [each.read_bytes() for each in sorted(FOLDER.glob("*.json"))]
SLOWEST = 10
counts = {"refused": 0, "opened": 0}


def attempt(data):
    """Open a file's content and, if it opens, ask the model everything."""
    try:
        model = _io.from_bytes(data)
    except BadModelFile:
        counts["refused"] += 1
        return
    counts["opened"] += 1
    exercise(model)


def spoilt(golden, choose):
    """Spoil a golden file, as text or, with a digest that fits, as values."""
    if choose(4) == 0:
        data = bytearray(golden)
        for _ in range(1 + choose(4)):
            data[choose(len(data))] = choose(256)
        return bytes(data)
    content = mutate(json.loads(golden), choose)
    content["sha256"] = _io._digest(content)
    return json.dumps(content).encode()


def test_one_input(data):
    """Read the input as a file, and as choices of how to spoil a golden one."""
    attempt(data)
    given = atheris.FuzzedDataProvider(data)

    def choose(n):
        return given.ConsumeIntInRange(0, n - 1)

    attempt(spoilt(GOLDEN[choose(len(GOLDEN))], choose))


def guided(seconds):
    for module in WATCHED:  # function by function: numba cannot compile code that imports have instrumented
        for function in vars(module).values():
            if isinstance(function, types.FunctionType) and function.__module__ == module.__name__:
                atheris.instrument_func(function)
    options = [
        f"-max_total_time={seconds}",
        f"-timeout={SLOWEST}",
        "-rss_limit_mb=2048",
        "-max_len=16384",
        "-artifact_prefix=fuzz-",
    ]
    with tempfile.TemporaryDirectory() as found:  # what is new goes there, and the golden files are read only
        atheris.Setup([sys.argv[0], *options, found, str(FOLDER)], test_one_input)
        atheris.Fuzz()


def at_random(seconds, seed):
    chance, end = random.Random(seed), time.monotonic() + seconds
    if hasattr(signal, "SIGALRM"):
        signal.signal(signal.SIGALRM, lambda *_: (_ for _ in ()).throw(TimeoutError("one input took too long")))
    while time.monotonic() < end:
        data = spoilt(chance.choice(GOLDEN), chance.randrange)
        if hasattr(signal, "SIGALRM"):
            signal.alarm(SLOWEST)
        try:
            attempt(data)
        except BaseException:
            Path("fuzz-failure.json").write_bytes(data)
            print("The input is in fuzz-failure.json.", file=sys.stderr)
            raise
    print(f"{counts['refused']} files refused, {counts['opened']} opened and answered (seed {seed}).")


def limit_memory():
    try:
        import resource
    except ImportError:
        return
    resource.setrlimit(resource.RLIMIT_DATA, (2**31, resource.getrlimit(resource.RLIMIT_DATA)[1]))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--seed", type=int, default=None, help="of the random search")
    parser.add_argument("--random", action="store_true", help="do not use atheris, even if it is there")
    options = parser.parse_args()
    if atheris is None or options.random:
        limit_memory()
        at_random(options.seconds, random.randrange(2**32) if options.seed is None else options.seed)
    else:
        guided(options.seconds)
