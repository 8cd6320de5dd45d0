"""Check a built site: every internal link leads somewhere, and no page asks the network for anything.

``python -m tests.site build/docs``
"""

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

LOADED = {("script", "src"), ("img", "src"), ("link", "href"), ("iframe", "src"), ("source", "src")}
NOT_LOADED = {"canonical", "author", "license", "next", "prev", "index", "search"}  # of links: nothing is fetched


class Page(HTMLParser):
    """Collects the places that a page names, those that it links to, and those that it loads."""

    def __init__(self, path):
        super().__init__()
        self.ids, self.links, self.loads = set(), [], []
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        self.ids |= {given[name] for name in ("id", "name") if given.get(name)}
        for name, value in attrs:
            if (tag, name) in LOADED and not NOT_LOADED & {*(given.get("rel") or "").split()}:
                self.loads.append(value)
            if name in ("href", "src") and value:
                self.links.append(value)


def problems(folder):
    """Yield what is wrong, one sentence each."""
    pages = {path.resolve(): Page(path) for path in sorted(folder.rglob("*.html")) if "_static" not in path.parts}
    for path, page in pages.items():
        where = path.relative_to(folder.resolve())
        for load in page.loads:
            if urlsplit(load).scheme in ("http", "https") or load.startswith("//"):
                yield f"{where} loads {load} from the network"
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            place = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            place = place / "index.html" if place.is_dir() else place
            if not place.exists():
                yield f"{where} links to {link}, which is not there"
            elif parts.fragment and place in pages and unquote(parts.fragment) not in pages[place].ids:
                yield f"{where} links to {link}, and there is no such place on that page"


def main():
    """Say what is wrong."""
    folder = Path(sys.argv[1])
    found = sorted(set(problems(folder)))
    print(*found, sep="\n")
    n_pages = len(list(folder.rglob("*.html")))
    print(f"{n_pages} pages, {len(found)} problems")
    sys.exit(bool(found) or not n_pages)


if __name__ == "__main__":
    main()
