"""Of a product of parameters, a small sample in which every value occurs, or every pair of values."""

import random
from itertools import combinations


def sample(product, strength, seed):
    """Choose from a product: its two ends, then, in a drawn order, whatever has something that none before had.

    Parameters
    ----------
    product : list of dict
        From the name of each parameter to a number that stands for its value.
    strength : int
        1: every value occurs in the sample; 2: every pair of values of two parameters.
    seed : str
        Of the order.

    Returns
    -------
    set of int
        Places in the product.
    """
    ends = [0, len(product) - 1]
    between = list(range(1, len(product) - 1))
    random.Random(seed).shuffle(between)
    chosen, seen = set(), set()
    for place in ends + between:
        values = set(combinations(sorted(product[place].items()), strength))
        if not values <= seen:
            chosen.add(place)
            seen |= values
    return chosen
