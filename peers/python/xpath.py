"""XPath as libxml2 has it: a document and expressions as JSON on standard input, the value of each on standard output.

A set of nodes is a list of numbers: that of an element in document order, twice, and one more for its text.
"""

import json
import sys

from lxml import etree

given = json.load(sys.stdin)
root = etree.fromstring(given["document"])
numbers = {element: at for at, element in enumerate(root.iter())}


def node(found):
    if isinstance(found, str):
        return 2 * numbers[found.getparent()] + 1
    return 2 * numbers[found]


def value(expression):
    try:
        found = root.getroottree().xpath(expression)
    except etree.XPathError as error:
        return {"error": str(error)}
    if isinstance(found, list):
        return {"nodes": [node(it) for it in found]}
    if isinstance(found, bool):
        return {"boolean": found}
    if isinstance(found, float):
        return {"number": repr(found)}
    return {"text": str(found)}


json.dump([value(expression) for expression in given["expressions"]], sys.stdout)
