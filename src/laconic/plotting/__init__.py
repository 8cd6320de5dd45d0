"""Pictures of models: each Display computes what it shows as plain arrays first, and draws it second.

``SomeDisplay.from_estimator(...)`` does both, ``SomeDisplay.compute(...)`` the first alone, and ``display.plot()`` the
second. Only drawing needs matplotlib (``pip install 'laconic-learn[report]'``). Colours can be told apart without red
and green, and lines and words take the colours of the axes, so that light and dark styles both work.
"""

from laconic.plotting._certificate import CertificateDisplay
from laconic.plotting._coverage import CoverageDisplay
from laconic.plotting._evidence import EvidenceDisplay
from laconic.plotting._interval import IntervalDisplay
from laconic.plotting._path import PathDisplay
from laconic.plotting._rules import RulesDisplay

__all__ = ["CertificateDisplay", "CoverageDisplay", "EvidenceDisplay", "IntervalDisplay", "PathDisplay", "RulesDisplay"]
