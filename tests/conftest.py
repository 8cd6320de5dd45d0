"""What ``make test`` leaves to ``make test-all``, where nothing is left out; and what tests of clusters are spared."""

import faulthandler
import signal
import sys
from collections import defaultdict

import pytest
from sklearn.base import is_classifier

from tests.sampling import sample

LONGEST = 600  # seconds that a test of a cluster may take, also beside much other work

# of scikit-learn's checks, those whose outcome can differ between two settings of the same class: they look at what is
# learnt (classes, weights, types of data, rows in another order), and not at names, tags, parameters and messages
OF_WHAT_IS_LEARNT = (
    "check_class_weight_classifiers",
    "check_classifiers_classes",
    "check_classifiers_one_label",
    "check_classifiers_train",
    "check_dtype_object",
    "check_estimator_sparse",
    "check_estimators_dtypes",
    "check_estimators_nan_inf",
    "check_estimators_pickle",
    "check_fit2d_1",
    "check_fit_idempotent",
    "check_methods",
    "check_regressors_train",
    "check_sample_weight",
)


@pytest.hookimpl(tryfirst=True)  # before "-m" looks at the markers
def pytest_collection_modifyitems(config, items):
    for item in [*outside_the_samples(items), *checks_of_further_settings(items)]:
        item.add_marker(pytest.mark.slow)
    for item in items:
        if "check_sample_weight_equivalence" in item.name:  # whose rows are repeated as often as they weigh
            item.add_marker(pytest.mark.filterwarnings("ignore::laconic.exceptions.RepeatedRowsWarning"))
        if {"dask", "clusters"} & set(item.path.relative_to(config.rootpath).parts):
            item.add_marker(pytest.mark.cluster)
        if item.get_closest_marker("cluster"):
            # what Dask warns of in its own threads would end them, if it were an error there
            item.add_marker(pytest.mark.filterwarnings("ignore"))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item):
    """End a test of a cluster that waits for ever, and show where each thread of it waits."""
    if not item.get_closest_marker("cluster") or not hasattr(signal, "SIGALRM"):
        return (yield)

    def end(number, frame):
        faulthandler.dump_traceback(file=sys.__stderr__)
        raise TimeoutError(f"The test did not end within {LONGEST} seconds; where its threads wait is shown with it.")

    before = signal.signal(signal.SIGALRM, end)
    signal.alarm(LONGEST)
    try:
        return (yield)
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def outside_the_samples(items):
    products = defaultdict(list)
    for item in items:
        if item.get_closest_marker("sampled"):
            products[item.nodeid.partition("[")[0]].append(item)
    for name, product in products.items():
        (strength,) = product[0].get_closest_marker("sampled").args
        # values are told apart as objects: arrays and functions have no better equality
        places = [{key: id(value) for key, value in item.callspec.params.items()} for item in product]
        chosen = sample(places, strength, name)
        yield from (item for place, item in enumerate(product) if place not in chosen)


def checks_of_further_settings(items):
    """In each file the first estimator of a class takes all of scikit-learn's checks, further ones those above."""
    first = {}
    for item in items:
        values = item.callspec.params if hasattr(item, "callspec") else {}
        if {"estimator", "check"} <= values.keys():
            estimator, check = values["estimator"], values["check"].func.__name__
            kind = item.path, type(estimator), is_classifier(estimator)
            if first.setdefault(kind, repr(estimator)) != repr(estimator) and not check.startswith(OF_WHAT_IS_LEARNT):
                yield item
