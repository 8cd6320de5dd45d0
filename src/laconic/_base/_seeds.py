"""The whole number that an estimator draws with."""

from __future__ import annotations

from numbers import Integral

from laconic._validation import RandomStateLike, drawn_seed


class Seeded:
    """An estimator that may draw, by its parameter `random_state`."""

    random_state: RandomStateLike
    random_state_: int

    def _draw_seed(self) -> int:
        """Keep the whole number that ``fit`` draws with: `random_state` itself, or one drawn from it."""
        self.random_state_ = drawn_seed(self.random_state)
        return self.random_state_

    def _seed(self) -> int:
        """Return the whole number that ``fit`` drew with, or will draw with."""
        seed = getattr(self, "random_state_", self.random_state)
        if not isinstance(seed, Integral):
            raise ValueError(f"random_state={seed!r} is no whole number: fit draws one from it. Call fit first.")
        return int(seed)
