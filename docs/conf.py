"""The documentation site: ``make docs`` builds it, without the network, and a warning is an error.

The reference is written from what each room of the package exports, the pictures of the learners by ``pictures.py``,
and the gallery from ``examples``: nothing of these is kept in the repository.
"""

from __future__ import annotations

import inspect
import shutil
import sys
from importlib import import_module
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
sys.path[:0] = [str(HERE), str(ROOT)]

import laconic  # noqa: E402

project = "laconic"
author = "The laconic developers"
copyright = author
version = release = laconic.__version__

extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.mathjax",
    "sphinx_gallery.gen_gallery",
    "sphinx-mathjax-offline",
    "sphinx_design",
]
exclude_patterns = ["_build", "_pictures", "gallery/*.ipynb", "gallery/*.py", "gallery/**/*.md5"]
templates_path = ["_templates"]
default_role = "py:obj"
toc_object_entries = False
nitpicky = False

myst_enable_extensions = ["colon_fence", "dollarmath", "deflist"]
myst_heading_anchors = 3

autosummary_generate = True
autodoc_typehints = "none"  # the docstrings say what is taken
autodoc_default_options = {
    "members": True,
    "inherited-members": "BaseEstimator,ABC,Display,Enum,int",
}
numpydoc_show_class_members = False
numpydoc_validation_checks: set[str] = set()

sphinx_gallery_conf = {
    "examples_dirs": str(ROOT / "examples"),
    "gallery_dirs": "gallery",
    "filename_pattern": r"plot_",
    "abort_on_example_error": True,
    "download_all_examples": False,
    "show_memory": False,
    "show_signature": False,
    "min_reported_time": 10**6,
    "remove_config_comments": True,
    "reset_modules": ("matplotlib", "pictures.larger_letters"),
    "within_subsection_order": "FileNameSortKey",
    "write_computation_times": False,
}

html_theme = "pydata_sphinx_theme"
html_title = "laconic"
html_static_path = ["_static"]
html_css_files = ["laconic.css"]
html_extra_path = ["llms.txt"]
html_show_sourcelink = False
html_copy_source = False
html_sidebars = {page.stem: [] for page in HERE.glob("*.md")}  # pages of their own have no section to list
html_theme_options = {
    "show_prev_next": False,
    "navbar_align": "left",
    "navbar_end": ["theme-switcher"],
    "header_links_before_dropdown": 6,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "navigation_with_keys": False,
}

ROOMS = {
    "laconic": "The learners, and how to open a model file",
    "laconic.covering": "Families of features, and tables of flags on disk",
    "laconic.certificates": "Bounds, codes, statements and certificates",
    "laconic.rules": "Rules and models as frozen values",
    "laconic.halfspaces": "Separating two classes",
    "laconic.lists": "Steps of decision lists",
    "laconic.minimal": "The linear programmes of the minimal complexity machines",
    "laconic.auto": "What the default tried",
    "laconic.plotting": "Pictures",
    "laconic.report": "Reports",
    "laconic.export": "Models that leave Python",
    "laconic.model_file": "Model files",
    "laconic.datasets": "Shipped tables and generators",
    "laconic.exceptions": "Errors and warnings",
}
LATER = (
    "laconic.verifier",
    "laconic.verify",
    "laconic.watch",
    "laconic.monitor",
    "laconic.genomics",
    "laconic.dask",
    "laconic.scale",
)


def write_reference() -> None:
    """Write a page for each room, with everything that it exports and that no room before it has shown."""
    folder = HERE / "api"
    folder.mkdir(exist_ok=True)
    shown: set[int] = set()
    names = [*ROOMS, *(name for name in LATER if (ROOT / "src" / name.replace(".", "/")).exists())]
    for name in names:
        room = import_module(name)
        exported = [each for each in sorted(getattr(room, "__all__", vars(room))) if not each.startswith("_")]
        own = [each for each in exported if id(getattr(room, each)) not in shown and _documented(getattr(room, each))]
        shown |= {id(getattr(room, each)) for each in own}
        lines = [f"``{name}``", "=" * (len(name) + 4), "", inspect.getdoc(room) or "", ""]
        lines += [
            f".. currentmodule:: {name}",
            "",
            ".. autosummary::",
            "   :toctree: generated",
            "   :nosignatures:",
            "",
        ]
        lines += [f"   {each}" for each in own]
        _write(folder / f"{name}.rst", "\n".join(lines) + "\n")
    heading = [
        "Reference",
        "=========",
        "",
        "Everything that is public, room by room.",
        "",
        ".. toctree::",
        "   :maxdepth: 1",
        "",
    ]
    _write(folder / "index.rst", "\n".join([*heading, *(f"   {name}" for name in names)]) + "\n")


def _documented(thing: object) -> bool:
    """Return whether this is a class or a function of ours, rather than a constant or a type that is a union."""
    ours = str(getattr(thing, "__module__", "")).startswith("laconic")
    return ours and callable(thing) and bool(thing.__doc__) and hasattr(thing, "__name__")


def _write(path: Path, text: str) -> None:
    """Write only what has changed, so that a second build is quick."""
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


def copy_record() -> None:
    """Bring the record of the papers into the site: its pages, and their pictures."""
    folder = HERE / "record"
    folder.mkdir(exist_ok=True)
    for path in sorted((ROOT / "reproductions" / "results").iterdir()):
        if path.suffix == ".md":
            _write(folder / path.name, path.read_text(encoding="utf-8"))
        elif path.suffix in (".svg", ".png", ".csv"):
            shutil.copy2(path, folder / path.name)


def skip(app, what, name, obj, skipped, options):
    """Leave out what is scikit-learn's own, metadata routing among it; that has pages of its own there."""
    del app, what, options
    theirs = str(getattr(obj, "__module__", "")).startswith("sklearn.") or name.endswith("_request")
    return True if theirs else skipped


def setup(app) -> None:
    """Write what the build reads: the reference, and the pictures."""
    from pictures import write_pictures

    app.connect("autodoc-skip-member", skip)
    write_reference()
    copy_record()
    write_pictures(HERE / "_pictures")
