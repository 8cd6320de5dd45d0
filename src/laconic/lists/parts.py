"""What other rooms ask of lists: what every one of them shares, and the steps of their paths."""

from laconic.lists._machine import ListMachine
from laconic.lists._rivest import Node

__all__ = ["ListMachine", "Node"]
