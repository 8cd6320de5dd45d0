"""The house's learners beside others, on tables of public packages: `make compare-peers`."""
