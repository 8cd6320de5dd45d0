"""The verifier: one program of standard Python that checks a certificate, and knows nothing of laconic.

`verify` runs it; `program` gives its text, to be copied out and run anywhere: ``laconic verify --program > verify.py``.
"""

from laconic.verifier._running import program, verify

__all__ = ["program", "verify"]
