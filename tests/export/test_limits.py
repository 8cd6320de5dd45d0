"""What no column of another language holds is refused, instead of being answered otherwise."""

import pytest

from laconic import SetCoveringClassifier

X = [[0.2], [0.4], [1.5], [1.7]]


@pytest.mark.parametrize("write", ["to_sql", "to_onnx", "to_pmml"])
def test_classes_beyond_64_bits_are_refused(write):
    model = SetCoveringClassifier(features="stumps").fit(X, [2**63 + 1, 2**63 + 1, 2**63 + 5, 2**63 + 5])
    with pytest.raises(ValueError, match="The class 9223372036854775809 is beyond the whole numbers of 64 bits"):
        getattr(model, write)()


def test_nul_is_refused_in_sql():
    model = SetCoveringClassifier(features="stumps").fit(X, ["n\0o", "n\0o", "yes", "yes"])
    with pytest.raises(ValueError, match="the character NUL, which SQL cannot"):
        model.to_sql("sqlite")
