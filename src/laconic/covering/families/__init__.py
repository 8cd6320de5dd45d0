"""Where rules come from: thresholds, literals, clauses and balls, each with its candidates and its price."""
