"""Model files: JSON, typed and checked, without code, and opened by every later version of laconic.

A file is one object::

    {"format": "laconic model", "version": 4, "written_by": the version of laconic,
     "learner": the class, "parameters": its parameters,
     "columns": {"count": ..., "names": [...] or null, "kinds": [...] or one for all},
     "classes": {"dtype": ..., "values": [...]},
     "hypothesis": what predicts, as its ``to_dict`` gives it,
     "certificate": the promise, with the statements that it rests on,
     "fitted": rules in the order in which they are shown, rows that each decided, and what else the learner needs,
     "sha256": of all the rest}

``model.schema.json`` beside this package is its JSON Schema. Floats are written with as many digits as bring them back
exactly; those that JSON has no number for are ``{"type": "float", "value": "inf"}`` ("-inf", "nan"). A file that was
altered is refused, because its certificate would not be about what it predicts.

Version 2 added ``majority_error`` to certificates. Version 4 added what a program of the standard library alone needs
to check them (`laconic verify`): the numbers and digests of the rows that a model is rebuilt from, and the message part
by part. Files of older versions have none of it, and open as before.
"""

from laconic.model_file._format import VERSION, json_schema
from laconic.model_file._io import MOST_BYTES, digest, load, save

__all__ = ["MOST_BYTES", "VERSION", "digest", "json_schema", "load", "save"]
