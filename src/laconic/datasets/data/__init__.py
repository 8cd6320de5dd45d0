"""The data files of :mod:`laconic.datasets`, one CSV per table; README.md says where each comes from."""
