"""HTML as a tree of elements, which escape what they hold: no words of a table can become markup."""

from __future__ import annotations

from xml.etree import ElementTree


def element(tag: str, *inside: str | ElementTree.Element, **attributes: str) -> ElementTree.Element:
    """Make an element of HTML from texts and other elements; the attribute ``class`` is named ``class_`` here.

    Examples
    --------
    >>> written(element("p", "a < b", element("br"), element("small", "& more"), class_="note"))
    '<p class="note">a &lt; b<br><small>&amp; more</small></p>'
    """
    made = ElementTree.Element(tag, {name.rstrip("_"): value for name, value in attributes.items()})
    for each in inside:
        if isinstance(each, ElementTree.Element):
            made.append(each)
        elif len(made):
            made[-1].tail = (made[-1].tail or "") + each
        else:
            made.text = (made.text or "") + each
    return made


def written(*elements: ElementTree.Element) -> str:
    """Write elements as HTML, one after the other."""
    return "".join(ElementTree.tostring(each, encoding="unicode", method="html") for each in elements)
