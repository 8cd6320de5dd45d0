"""Models that leave Python."""

from laconic.export._network import CascadeNetwork, cascade_network

__all__ = ["CascadeNetwork", "cascade_network"]
