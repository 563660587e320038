"""What an XML file holds and its reader does not take, found by going through the whole file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from xml.etree.ElementTree import Element


def not_taken(root: Element, read: Mapping[str, tuple[str, ...]]) -> list[str]:
    """One remark that names all elements a reader does not read, with their numbers; none if it reads all.

    Elements that hold nothing, such as ``<groups/>``, are not named.

    Parameters
    ----------
    root : Element
    read : mapping
        By the tag of an element, the tags of its children that are read.  Elements without an entry are read whole.

    Examples
    --------
    >>> from xml.etree import ElementTree
    >>> from tangency.interop.formats.not_taken import not_taken
    >>> root = ElementTree.fromstring("<robot><link><mass>1</mass><shape/></link><link><mass>2</mass></link></robot>")
    >>> not_taken(root, {"robot": ("link",), "link": ("shape",)})
    ['not taken over: 2 <mass> of <link>']
    """
    found: Counter[tuple[str, str]] = Counter()
    waiting = [root]
    while waiting:
        element = waiting.pop()
        if element.tag not in read:
            continue
        for child in element:
            if child.tag in read[element.tag]:
                waiting.append(child)
            elif len(child) or child.attrib or (child.text or "").strip():
                found[element.tag, child.tag] += 1
    listed = [f"{count} <{tag}> of <{parent}>" for (parent, tag), count in sorted(found.items())]
    return [f"not taken over: {', '.join(listed)}"] if listed else []
