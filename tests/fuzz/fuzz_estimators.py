"""Fuzz the estimators: whatever a table and the parameters are, ``fit`` refuses them in our words or gives a model.

The model must then answer for itself: see `tests.fuzz.invariants` for what is checked, `tests.fuzz.tables` and
`tests.fuzz.parameters` for what is drawn. Cases run in processes of their own, so that one that never ends, or takes
all memory, is reported, too. A finding is printed with what repeats it::

    python -m tests.fuzz.fuzz_estimators --seed 1 --case 27
"""

import argparse
import itertools
import multiprocessing
import os
import random
import signal
import sys
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from tests.fuzz.invariants import draw_case, examine

SECONDS = 40  # of processor time for a case: fits, checks, and what has to be compiled first
PATIENCE = 600  # seconds on the clock, for a case that waits for something for ever
MEMORY = 2**32
ONE_THREAD = {f"{library}_NUM_THREADS": "1" for library in ("OMP", "OPENBLAS", "MKL", "NUMBA")}


# ---- a process that examines cases, one at a time


def work(connection, seed, limit):
    """Examine the cases whose numbers arrive, until the other side hangs up."""
    import resource

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, resource.getrlimit(resource.RLIMIT_DATA)[1]))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    while True:
        try:
            number = connection.recv()
        except EOFError:
            return
        used = sum(resource.getrusage(resource.RUSAGE_SELF)[:2])
        # the system ends a process that passes it, wherever it is: a handler of Python's would wait for the kernel
        resource.setrlimit(resource.RLIMIT_CPU, (int(used) + limit, resource.getrlimit(resource.RLIMIT_CPU)[1]))
        connection.send(examine(seed, number))


class Worker:
    """The process as others see it; where it dies, the next case gets a new one."""

    def __init__(self, seed, limit):
        self.seed, self.limit, self.process = seed, limit, None

    def examine(self, number):
        """Return the report of a case; None and how the process ended if it did."""
        if self.process is None:
            self.start()
        self.connection.send(number)
        try:
            if self.connection.poll(PATIENCE):
                return self.connection.recv(), None
        except (EOFError, ConnectionResetError):
            pass
        return None, self.stop()

    def start(self):
        spawn = multiprocessing.get_context("spawn")
        self.connection, theirs = spawn.Pipe()
        self.process = spawn.Process(target=work, args=(theirs, self.seed, self.limit), daemon=True)
        self.process.start()
        theirs.close()

    def stop(self):
        """End the process, and give the signal that it ended with, if one did."""
        if self.process is None:
            return 0
        self.connection.close()
        self.process.join(1)
        self.process.kill()
        self.process.join()
        ended, self.process = -self.process.exitcode, None
        return ended


# ---- the search


@dataclass
class Tally:
    """What came out of all cases."""

    seed: int
    slowest: tuple = (0.0, None)
    fitted: Counter = field(default_factory=Counter)
    refused: Counter = field(default_factory=Counter)
    broken: Counter = field(default_factory=Counter)  # by kind and learner
    findings: dict = field(default_factory=dict)  # number of the case: learner and lines to print

    def add(self, number, report, ended):
        """Count a case; give the lines to print."""
        case = draw_case(self.seed, number)
        found = report.findings if report else [how_it_ended(ended)]
        if report:
            self.slowest = max(self.slowest, (report.seconds, number), key=lambda pair: pair[0])
            self.fitted[case.name] += report.outcome == "fitted"
            self.refused[case.name] += report.outcome.startswith("refused")
        self.broken.update((kind, case.name) for kind, _ in found)
        estimator = " ".join(case.estimator.__repr__(N_CHAR_MAX=2000).split())
        lines = [
            f"--seed {self.seed} --case {number}: [{kind}] {what} | {estimator} | {case.words}" for kind, what in found
        ]
        if lines:
            self.findings[number] = case.name, lines
        return lines

    def summary(self):
        """Say in a few lines what was found, by kind and learner."""
        fitted, refused, failed = self.fitted.total(), self.refused.total(), len(self.findings)
        yield f"seed {self.seed}: {fitted} cases fitted, {refused} refused, {failed} with findings."
        yield "The slowest fit that ended took {:.1f} s (case {}).".format(*self.slowest)
        for (kind, name), count in sorted(self.broken.items()):
            yield f"  {kind:14}{name:34}{count:6}"


def how_it_ended(ended):
    if ended in (signal.SIGXCPU, signal.SIGKILL):
        return "hang", "no end within the limit"
    return "crash", f"the process ended with signal {ended}"


def search(seed, numbers, jobs=1, seconds=float("inf"), tell=lambda line: None, limit=SECONDS):
    """Examine cases, in as many processes as there are jobs; give what was found."""
    os.environ.update(ONE_THREAD)  # for the processes: fits side by side would wait for each other
    tally, waiting, end = Tally(seed), iter(numbers), time.monotonic() + seconds
    counting, stopped = threading.Lock(), threading.Event()

    def drive(_):
        worker = Worker(seed, limit)
        for number in waiting:
            result = worker.examine(number)
            with counting:
                for line in tally.add(number, *result):
                    tell(line)
            if stopped.is_set() or time.monotonic() > end:
                break
        worker.stop()

    with ThreadPoolExecutor(jobs) as threads:
        try:
            list(threads.map(drive, range(jobs)))
        finally:
            stopped.set()  # so that Ctrl-C waits for the cases under way only
    return tally


def repeat(seed, number):
    """Examine one case here, and print all about it."""
    case = draw_case(seed, number)
    print(case.estimator.__repr__(N_CHAR_MAX=2000), case.words, sep="\n")
    report = examine(seed, number)
    print(f"{report.outcome}, {report.seconds:.2f} s", *report.tracebacks, sep="\n")
    for kind, what in report.findings:
        print(f"[{kind}] {what}")
    return bool(report.findings)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=int, default=None, help="how many; by default as many as --seconds allows")
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--seconds", type=float, default=None, help="start no case after so many")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--case", type=int, default=None, help="repeat this one alone, and show tracebacks")
    options = parser.parse_args()
    seed = random.randrange(2**32) if options.seed is None else options.seed
    if options.case is not None:
        return repeat(seed, options.case)
    numbers = itertools.count() if options.cases is None else range(options.cases)
    seconds = 60 if options.cases is None and options.seconds is None else options.seconds or float("inf")
    tally = search(seed, numbers, options.jobs, seconds, lambda line: print(line, flush=True))
    print(*tally.summary(), sep="\n")
    return bool(tally.findings)


if __name__ == "__main__":
    sys.exit(main())
