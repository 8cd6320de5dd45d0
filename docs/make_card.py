"""Make docs/card.png, the picture of a model in a notebook, from the model itself: ``make card``.

The page that the picture is taken of stays beside it as docs/card.html, and a test compares that page with what the
model gives today. It shows the card twice, in light and in dark, each in a frame of its own so that neither's style
reaches the other. Chromium takes the picture (``apt-get install chromium`` on Debian).
"""

from __future__ import annotations

import html
import shutil
import subprocess
import tempfile
from pathlib import Path

from matplotlib.image import imread, imsave

from laconic import SetCoveringClassifier
from laconic.datasets import load_breast_cancer_wisconsin

PAGE, PICTURE = (Path(__file__).resolve().with_name(name) for name in ("card.html", "card.png"))
WIDTH, HEIGHT = 780, 244  # of one card and the paper around it, in CSS pixels
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
    f"--window-size={WIDTH},{HEIGHT * len(SHADES) + 200}",  # a part of which is for bars that nobody sees
)


def page() -> str:
    """Fit the model that the README fits in Python, and put its card on a page."""
    X, y = load_breast_cancer_wisconsin(return_X_y=True, as_frame=True)
    card = SetCoveringClassifier(form="disjunction", features="stumps", max_rules=2).fit(X, y)._repr_html_()
    if DARK not in card:
        raise ValueError(f"The card has no colours for {DARK!r}: make_card.py must learn how it is dark now.")
    head = '<!doctype html>\n<meta charset="utf-8">\n<title>A model, as a notebook shows it</title>\n'
    style = f"<style>body {{margin: 0}} iframe {{border: 0; display: block; width: 100%; height: {HEIGHT}px}}</style>\n"
    return head + style + "".join(_frame(card.replace(DARK, holds), paper) for paper, holds in SHADES)


def _frame(card: str, paper: str) -> str:
    inner = f'<!doctype html><body style="margin: 12px; background: {paper}">{card}'
    return f'<iframe srcdoc="{html.escape(inner)}"></iframe>\n'


def main() -> None:
    """Write the page and take the picture."""
    browser = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if browser is None:
        raise SystemExit("No Chromium was found: install it, as in `apt-get install chromium`, and run this again.")
    PAGE.write_text(page(), encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        taken = Path(folder, "taken.png")
        words = [browser, *FLAGS, f"--user-data-dir={folder}/profile", f"--screenshot={taken}", PAGE.as_uri()]
        subprocess.run(words, check=True, capture_output=True, timeout=120)
        picture = imread(taken)[: SHARPNESS * HEIGHT * len(SHADES)]
        imsave(PICTURE, picture, pil_kwargs={"optimize": True})


if __name__ == "__main__":
    main()
