"""What other rooms ask of lists: what every one of them shares, how they are sent, and the steps of their paths."""

from laconic.lists._machine import ListMachine
from laconic.lists._rivest import ListProblem, Node, as_grown
from laconic.lists._scheme import encode, reconstruct
from laconic.lists._states import Listed

__all__ = ["ListMachine", "ListProblem", "Listed", "Node", "as_grown", "encode", "reconstruct"]
