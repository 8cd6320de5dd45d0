"""``python -m laconic`` is the command ``laconic``."""

from laconic.cli import main

main()
