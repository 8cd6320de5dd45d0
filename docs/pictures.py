"""The pictures of the site, each made by code from a model that its page describes, in light and in dark."""
from pathlib import Path
def write_pictures(folder: Path) -> None:
    folder.mkdir(exist_ok=True)
