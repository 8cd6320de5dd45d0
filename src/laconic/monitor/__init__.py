"""The monitor: whether what was promised still holds, looked at whenever one likes.

`CertificateMonitor` is fed batches of new rows. With labels it tests whether the risk is at most what was promised, by
a bet that wins where it is not; without labels, whether each line decides as large a share of the rows as it did.
"""

from laconic.monitor._evidence import Evidence, running_mean
from laconic.monitor._monitor import CertificateMonitor

__all__ = ["CertificateMonitor", "Evidence", "running_mean"]
