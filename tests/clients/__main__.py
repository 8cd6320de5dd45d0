"""Try every client with every estimator, and print what works: ``python -m tests.clients``; ``make clients``."""

import sys
from collections import defaultdict
from pathlib import Path

import pytest
import sklearn

from tests.clients.postgres import programs
from tests.clients.registry import CLIENTS
from tests.clients.trials import public_estimators, targets_of

LEGEND = "+ works, - is refused and listed, ! is a finding; one sign for each table (two, three classes; numbers)"


class Table:
    """What came out of the tests, by client and estimator."""

    def __init__(self):
        self.signs = defaultdict(dict)

    def pytest_runtest_logreport(self, report):
        told = dict(report.user_properties)
        if report.when == "call" and "client" in told:
            client, name, target = told["client"]
            self.signs[client, name][target] = "!" if report.failed else "+" if told["refused"] is None else "-"

    def lines(self):
        names = list(public_estimators())
        yield f"scikit-learn {sklearn.__version__}; {LEGEND}"
        yield from (f"{place:4} {name}" for place, name in enumerate(names, 1))
        wide = max(len(each.name) for each in CLIENTS)
        yield " " * wide + "".join(f"{place:4}" for place in range(1, len(names) + 1))
        for each in CLIENTS:
            yield f"{each.name:{wide}}" + "".join(f"{self.cell(each.name, name):>4}" for name in names)

    def cell(self, client, name):
        return "".join(self.signs[client, name].get(target, "") for target in targets_of(name))


def main():
    lacking = {each.needs for each in CLIENTS if not each.is_here}
    if lacking:
        print(f"Not installed: {', '.join(sorted(lacking))}. See tests/clients/requirements.txt.", file=sys.stderr)
        return 1
    if programs() is None:
        print("There is no Postgres: install it (Debian and Ubuntu: apt-get install postgresql).", file=sys.stderr)
        return 1
    table = Table()
    failed = pytest.main([str(Path(__file__).parent), "-q", "--no-header", "-r", "f", *sys.argv[1:]], [table])
    print(*table.lines(), sep="\n")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
