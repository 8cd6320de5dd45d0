"""Lists of halfspaces as feed-forward networks: the cascade of paper 5's appendix, its equations (A1) to (A7)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import assert_all_finite

import laconic
from laconic._distances import as_columns, weighted_sums
from laconic._optional import require
from laconic._table import Floats, Integers, as_table
from laconic.export._graph import Graph, labels_of, type_of
from laconic.rules import DecisionList, Dichotomies, Halfspace

_BITS = 32  # of a cascade weight: sums of up to 2**21 of them are exact, in whatever order a library adds


@dataclass(frozen=True, eq=False)
class CascadeNetwork:
    """A network of threshold units, one for each node of a list, in which each silences all that follow it.

    With inputs z_i = scale_i·x_i and sgn(a) = +1 if a > 0, else −1, hidden unit j and output unit i are::

        S_j = sgn(w_j·z + w_j0 + Σ_{k<j} v_jk S_k + Σ_{k<j} v_jk)            (A1), (A3)
        v_jk = −(Σ_i |w_ji| + |w_j0| + 1) for all k < j                      (A2)
        y_i = sgn(Σ_j u_ij S_j + Σ_j u_ij),  u_ij = digit i of unit j's word  (A4) to (A7)

    The class is the one whose word differs from y in the fewest digits, the first of equals.

    Parameters
    ----------
    scales : ndarray of shape (n_features,)
        The first layer: powers of two that bring each column into [−1, 1] on the training rows, and into [−2, 2] one
        training range beyond them. There is no shift, for it would round.
    weights, biases : ndarrays of shape (n_units, n_features) and (n_units,)
        The halfspaces, in the units of the first layer; the default of a list is the constant one, 0·z + 1.
    cascade : ndarray of shape (n_units, n_units)
        v, below the diagonal, its size rounded up to 32 significant bits; zero between units of different lists.
    offsets : ndarray of shape (n_units,)
        What (A3) adds to the biases. It is kept apart and added to the cascade's sum first, so that both cancel to an
        exact zero.
    outputs, output_biases : ndarrays of shape (n_digits, n_units) and (n_digits,)
        u; zero from units of other digits' lists.
    codes : ndarray of shape (n_classes, n_digits)
        The word of each class, of digits −1 and +1.
    classes : ndarray of shape (n_classes,)
        What `predict` gives.

    Notes
    -----
    Network and list agree wherever ``|x_i| ≤ reach[i]`` in every column i, which holds on the training rows and up to
    one training range beyond either end of each column. They agree to the last bit, points on borders included: powers
    of two leave every product as it was, sums are taken in the list's order (`to_onnx` and `to_torch` do too), and the
    cascade's part is exact. (Numbers so far apart that they leave the range of floats are the exception.) Farther out a
    unit that should be silent may speak too, and then the answer may be another class; the first unit that speaks is
    still the right one. `cascade_network` makes a network that agrees farther out when it is given a wider range.

    References
    ----------
    M. Marchand and M. Golea, *On learning simple neural concepts: from halfspace intersections to neural decision
    lists*, Network 1993, appendix.

    Examples
    --------
    >>> from laconic.rules import DecisionList, Halfspace
    >>> rules = DecisionList(((Halfspace((1.0,), -3.0), 1), (Halfspace((-1.0,), 2.0), 1)), default=0)
    >>> network = cascade_network(rules, ["middle", "end"], low=[0.0], high=[5.0])
    >>> network.hidden([[5.0], [2.5], [0.0]])
    array([[ 1, -1, -1],
           [-1, -1,  1],
           [-1,  1, -1]])
    >>> network.predict([[5.0], [2.5], [0.0]])
    array(['end', 'middle', 'end'], dtype='<U6')
    >>> network.reach
    array([16.])
    """

    scales: Floats
    weights: Floats
    biases: Floats
    cascade: Floats
    offsets: Floats
    outputs: Floats
    output_biases: Floats
    codes: Floats
    classes: NDArray[Any]

    @property
    def reach(self) -> Floats:
        """How large ``|x|`` may be in each column for network and list to agree for certain."""
        return 2.0 / self.scales

    def hidden(self, X: Any) -> Integers:
        """Return what the hidden units say: +1 for the unit that decides the row (one of each list), −1 for the others.

        Parameters
        ----------
        X : table of shape (n_samples, n_features)
            Numbers, in the columns of the training rows.

        Returns
        -------
        ndarray of shape (n_samples, n_units)
            Beyond `reach`, units after the one that decides may be +1 too.
        """
        return self._hidden(X).astype(np.int64)

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the class of each row.

        Parameters
        ----------
        X : table of shape (n_samples, n_features)
            Numbers, in the columns of the training rows.

        Returns
        -------
        ndarray of shape (n_samples,)
            A class for each row.
        """
        words = _sgn(self._hidden(X) @ self.outputs.T + self.output_biases)
        return self.classes[np.argmax(words @ self.codes.T, axis=1)]

    def _hidden(self, X: Any) -> Floats:
        values = as_table(X).matrix()
        if values.shape[1] != len(self.scales):
            raise ValueError(f"X has {values.shape[1]} columns, and the network was made for {len(self.scales)}.")
        assert_all_finite(values, input_name="X")
        columns = as_columns(values * self.scales)
        hidden = np.zeros((len(values), len(self.biases)))
        for unit, (weights, bias) in enumerate(zip(self.weights, self.biases, strict=True)):
            silenced = hidden @ self.cascade[unit] + self.offsets[unit]
            hidden[:, unit] = _sgn(weighted_sums(columns, weights, bias) + silenced)
        return hidden

    def to_onnx(self) -> Any:
        """Write the network as an ONNX model of elementary operations.

        Returns
        -------
        onnx.ModelProto
            From ``X``, in double precision and of shape (n_samples, n_features), to ``label``, the class of each row:
            integers, floats, Booleans or strings. It equals `predict`, points on borders included.

        Raises
        ------
        ImportError
            If onnx is not installed.
        ValueError
            If the classes are of a type that ONNX does not have.

        Examples
        --------
        >>> from laconic.rules import DecisionList, Halfspace
        >>> rules = DecisionList(((Halfspace((1.0,), -3.0), 1),), default=0)
        >>> model = cascade_network(rules, ["low", "high"], low=[0.0], high=[5.0]).to_onnx()
        >>> import onnxruntime
        >>> session = onnxruntime.InferenceSession(model.SerializeToString())
        >>> session.run(["label"], {"X": np.array([[1.0], [4.0]])})
        [array(['low', 'high'], dtype=object)]
        """
        onnx = require("onnx", "to_onnx()")
        classes = labels_of(self.classes.tolist())
        graph = Graph(onnx)
        scaled = graph.add("Mul", "X", self.scales)
        sums: Any = self.biases[None, :]
        for column, weights in enumerate(self.weights.T):  # a matrix product would add in an order of its own
            sums = graph.add("Add", sums, graph.add("Mul", graph.column(scaled, column), weights))
        hidden: Any = np.zeros((1, len(self.biases)))
        for unit, place in enumerate(np.eye(len(self.biases))):
            silenced = graph.add("Add", graph.add("MatMul", hidden, self.cascade[unit][:, None]), self.offsets[unit])
            total = graph.add("Add", graph.column(sums, unit), silenced)
            hidden = graph.add("Add", hidden, _sign(graph, total, place))
        words = _sign(graph, graph.add("Add", graph.add("MatMul", hidden, self.outputs.T), self.output_biases))
        nearest = graph.add("ArgMax", graph.add("MatMul", words, self.codes.T), axis=1, keepdims=0)
        label = graph.add("Gather", classes, nearest)
        inputs = [("X", onnx.TensorProto.DOUBLE, ["n_samples", len(self.scales)])]
        about = {"made_by": f"laconic {laconic.__version__}, cascade network"}
        return graph.model(inputs, {"label": (label, type_of(onnx, classes), ["n_samples"])}, about)

    def to_torch(self) -> Any:
        """Make a torch module of the network, its weights as buffers in double precision.

        Returns
        -------
        torch.nn.Module
            From a tensor of shape (n_samples, n_features), preferably float64, to the position of each row's class in
            `classes`. Keep it in double precision; thresholds have no gradient, so there is nothing to train.

        Raises
        ------
        ImportError
            If torch is not installed.
        """
        torch = require("torch", "to_torch()")
        module: Any = torch.nn.Module

        class Cascade(module):  # type: ignore[misc]
            def __init__(self, network: CascadeNetwork) -> None:
                super().__init__()
                for name in ("scales", "weights", "biases", "cascade", "offsets", "outputs", "output_biases", "codes"):
                    self.register_buffer(name, torch.tensor(getattr(network, name), dtype=torch.float64))

            def forward(self, X: Any) -> Any:
                scaled, sums = X.to(self.scales) * self.scales, self.biases
                for column in range(len(self.scales)):  # a matrix product would add in an order of its own
                    sums = sums + scaled[:, column, None] * self.weights[:, column]
                hidden = torch.zeros_like(sums)
                for unit in range(len(self.biases)):
                    silenced = hidden @ self.cascade[unit] + self.offsets[unit]
                    hidden[:, unit] = self.sgn(sums[:, unit] + silenced)
                words = self.sgn(hidden @ self.outputs.T + self.output_biases)
                return torch.argmax(words @ self.codes.T, dim=1)

            @staticmethod
            def sgn(values: Any) -> Any:
                return (values > 0).to(values) * 2 - 1

        return Cascade(self)


def cascade_network(
    hypothesis: DecisionList | Dichotomies, classes: Sequence[Any] | NDArray[Any], low: Any, high: Any
) -> CascadeNetwork:
    """Make the cascade network of a list of halfspaces, or of one list for each digit of a class code.

    Several lists become one network with an output unit for each digit: their units stand side by side, and those of
    different lists are not connected. A single list of Q classes gets ⌈log2 Q⌉ output units; the word of a class is its
    position as a binary number.

    Parameters
    ----------
    hypothesis : DecisionList or Dichotomies
        All tests must be halfspaces.
    classes : sequence
        The classes, in the order in which the lists count them.
    low, high : array-likes of shape (n_features,)
        The smallest and the largest training value of each column, or a wider range.

    Returns
    -------
    CascadeNetwork
        Equal to the hypothesis within one training range (high − low) beyond either end of each column.

    Raises
    ------
    TypeError
        If a test is not a halfspace.
    ValueError
        If numbers of columns or classes do not fit together, or a weight leaves the range of floats.

    Examples
    --------
    >>> from laconic.rules import DecisionList, Halfspace
    >>> rules = DecisionList(((Halfspace((1.0, 1.0), -1.5), 2), (Halfspace((1.0, 0.0), -0.5), 1)), default=0)
    >>> network = cascade_network(rules, ["none", "first", "both"], low=[0, 0], high=[1, 1])
    >>> network.predict([[0, 0], [1, 0], [1, 1], [0, 1]])
    array(['none', 'first', 'both', 'none'], dtype='<U5')
    >>> network.cascade
    array([[ 0. ,  0. ,  0. ],
           [-3.5,  0. ,  0. ],
           [-2. , -2. ,  0. ]])
    """
    if isinstance(hypothesis, Dichotomies):
        lists, codes = hypothesis.lists, _signs(hypothesis.codes)
        words = [np.outer((-1.0, 1.0), digit) for digit in np.eye(len(lists))]  # each list speaks for its digit alone
        n_classes = len(codes)
    else:
        lists, codes = (hypothesis,), _binary_words(len(classes))
        words = [codes]
        n_classes = 1 + max(_answers(hypothesis))
    if n_classes > len(classes):
        raise ValueError(f"The hypothesis has {n_classes} classes, and only {len(classes)} are given.")
    scales = _scales(np.asarray(low, dtype=np.float64), np.asarray(high, dtype=np.float64))
    units = [_halfspaces(one, len(scales)) for one in lists]
    owner = np.repeat(np.arange(len(lists)), [len(ones) for ones in units])
    targets = np.vstack([word[_answers(one)] for word, one in zip(words, lists, strict=True)])

    biases = np.array([unit.bias for ones in units for unit in ones])
    with np.errstate(over="ignore"):  # refused in the next line
        weights = np.array([unit.weights for ones in units for unit in ones]) / scales
        inhibition = _inhibition(weights, biases)
    before = np.tril(owner[:, None] == owner, k=-1)
    cascade = np.where(before, -inhibition[:, None], 0.0)  # (A2)
    return CascadeNetwork(
        scales=scales,
        weights=weights,
        biases=biases,
        cascade=cascade,
        offsets=cascade.sum(axis=1),  # (A3)
        outputs=targets.T,  # (A4), (A6)
        output_biases=targets.sum(axis=0),  # (A5), (A7)
        codes=codes,
        classes=np.asarray(classes),
    )


def _scales(low: Floats, high: Floats) -> Floats:
    """Return powers of two that make values between low and high at most 1 in size, and one range beyond at most 2."""
    with np.errstate(over="ignore"):
        largest = np.maximum(np.abs(low), np.abs(high))
        farthest = largest + np.maximum(largest, high - low)
    if low.ndim != 1 or low.shape != high.shape or not (low <= high).all() or not (farthest < 1e300).all():
        raise ValueError("low and high must be one number for each column, below 1e299 in size, and low at most high.")
    return np.ldexp(1.0, 1 - np.maximum(np.frexp(farthest)[1], -1000))


def _answers(one: DecisionList) -> list[int]:
    """Return the positions of the classes that the nodes give, at last the default."""
    return [*(answer for _, answer in one.nodes), one.default]


def _halfspaces(one: DecisionList, n_columns: int) -> list[Halfspace]:
    """Return the halfspaces of a list, at last the constant one."""
    found = [test for test, _ in one.nodes if isinstance(test, Halfspace)]
    if len(found) < len(one.nodes):
        raise TypeError("Only a list whose tests are all halfspaces has a cascade network.")
    if any(test.flags for test in found):
        raise TypeError("A cascade network weighs columns; a halfspace here weighs conditions, too (its flags).")
    if wrong := next((test for test in found if len(test.weights) != n_columns), None):
        raise ValueError(f"A halfspace has {len(wrong.weights)} weights, and there are {n_columns} columns.")
    return [*found, Halfspace((0.0,) * n_columns, 1.0)]


def _inhibition(weights: Floats, biases: Floats) -> Floats:
    """Give |v| of (A2) for each unit, rounded up to few enough bits that sums of it are exact."""
    # Added in the order of the units' own sums: as rounding is monotone, terms twice as large never add up beyond 2|v|.
    sizes = np.cumsum(np.abs(np.column_stack([biases, weights])), axis=1)[:, -1] + 1.0
    if not np.isfinite(sizes * len(sizes)).all():
        raise ValueError("A halfspace's weights are too large for the range of its columns.")
    mantissa, exponent = np.frexp(sizes)
    return np.ldexp(np.ceil(np.ldexp(mantissa, _BITS)), exponent - _BITS)


def _binary_words(n_classes: int) -> Floats:
    """Return each position as a binary number, its highest digit first, in digits −1 and +1."""
    n_digits = max(1, (n_classes - 1).bit_length())
    return _signs(np.arange(n_classes)[:, None] >> np.arange(n_digits)[::-1] & 1)


def _signs(digits: Any) -> Floats:
    """Turn 0 and 1 into −1 and +1."""
    return 2.0 * np.asarray(digits) - 1.0


def _sgn(values: Floats) -> Floats:
    """Give +1 above zero, else −1, as the paper does."""
    return np.where(values > 0, 1.0, -1.0)


def _sign(graph: Graph, values: str, size: Any = 1.0) -> str:
    """Give +size above zero, else −size."""
    return graph.add("Where", graph.add("Greater", values, 0.0), size, np.negative(size))
