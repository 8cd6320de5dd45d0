"""Boolean columns packed into bits, on disk: how they are written, checked, opened and searched."""
