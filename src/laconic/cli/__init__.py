"""The command line: parses words, calls the library, prints. No mathematics here."""

from laconic.cli._app import main

__all__ = ["main"]
