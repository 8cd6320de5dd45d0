"""Other people's software with every estimator: what works is a table, and what does not is listed with its reason."""
