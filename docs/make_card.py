"""Make docs/card-*.png, a model in a notebook, and docs/report.png, the top of a report, from the model: ``make card``.

The page that the first is taken of stays beside it as docs/card.html, and a test compares that page with what the
model gives today. It shows the card twice, in light and in dark, each in a frame of its own so that neither's style
reaches the other. Chromium takes the picture (``apt-get install chromium`` on Debian).
"""

from __future__ import annotations

import html
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from matplotlib.image import imread, imsave

from laconic import SetCoveringClassifier
from laconic.datasets import load_breast_cancer_wisconsin

HERE = Path(__file__).resolve().parent
PAGE, REPORT = HERE / "card.html", HERE / "report.png"
CARDS = HERE / "card-light.png", HERE / "card-dark.png"
REPORT_SIZE = (1000, 1180)  # of what is shown of a report, in CSS pixels
WIDTH, HEIGHT = 780, 266  # of one card and the paper around it, in CSS pixels
SHARPNESS = 2  # pixels for each of them
DARK = "(prefers-color-scheme: dark)"
SHADES = (("white", "not all"), ("#0d1117", "all"))  # the paper, and when the card's dark colours hold
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
    f"--force-device-scale-factor={SHARPNESS}",
)


def fitted() -> tuple[Any, Any, Any]:
    """Fit the model that the documentation fits, and give its rows."""
    X, y = load_breast_cancer_wisconsin(return_X_y=True, as_frame=True)
    return SetCoveringClassifier(form="disjunction", features="stumps", max_rules=2).fit(X, y), X, y


def page() -> str:
    """Put the card of the model on a page."""
    card = fitted()[0]._repr_html_()
    if DARK not in card:
        raise ValueError(f"The card has no colours for {DARK!r}: make_card.py must learn how it is dark now.")
    head = '<!doctype html>\n<meta charset="utf-8">\n<title>A model, as a notebook shows it</title>\n'
    style = f"<style>body {{margin: 0}} iframe {{border: 0; display: block; width: 100%; height: {HEIGHT}px}}</style>\n"
    return head + style + "".join(_frame(card.replace(DARK, holds), paper) for paper, holds in SHADES)


def _frame(card: str, paper: str) -> str:
    inner = f'<!doctype html><body style="margin: 12px; background: {paper}">{card}'
    return f'<iframe srcdoc="{html.escape(inner)}"></iframe>\n'


def main() -> None:
    """Write the page and take the pictures."""
    browser = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if browser is None:
        raise SystemExit("No Chromium was found: install it, as in `apt-get install chromium`, and run this again.")
    PAGE.write_text(page(), encoding="utf-8")
    model, X, y = fitted()
    with tempfile.TemporaryDirectory() as folder:
        both = Path(folder, "both.png")
        _take(browser, folder, PAGE, both, WIDTH, HEIGHT * len(SHADES))
        for place, picture in enumerate(CARDS):
            part = slice(SHARPNESS * HEIGHT * place, SHARPNESS * HEIGHT * (place + 1))
            imsave(picture, imread(both)[part], pil_kwargs={"optimize": True})
        report = Path(folder, "report.html")
        model.report(X, y, rows=True).write_html(report)
        _take(browser, folder, report, REPORT, *REPORT_SIZE)


def _take(browser: str, folder: str, page: Path, picture: Path, width: int, height: int) -> None:
    """Take a picture of the top of a page."""
    taken = Path(folder, "taken.png")
    size = f"--window-size={width},{height + 200}"  # a part of which is for bars that nobody sees
    words = [browser, *FLAGS, size, f"--user-data-dir={folder}/profile", f"--screenshot={taken}", page.as_uri()]
    subprocess.run(words, check=True, capture_output=True, timeout=120)
    imsave(picture, imread(taken)[: SHARPNESS * height], pil_kwargs={"optimize": True})


if __name__ == "__main__":
    main()
