"""zeep as a client of web services: what to call comes as JSON on standard input, what came of it goes out the same way.

In:  {"wsdl": URL, "authority": FILE, "certificate": [FILE, FILE], "user": [NAME, PASSWORD], "token": TEXT,
      "encoding": NAME, "port": NAME, "calls": [{"operation": NAME, "arguments": {...}}, ...]}
Out: {"ports": [NAME...], "operations": [NAME...], "answers": [{"value": ...} or {"fault": {...}}, ...]}
"""

import base64
import datetime
import decimal
import json
import sys

import requests
import zeep
from lxml import etree
from zeep.helpers import serialize_object


def plain(value):
    """A value as JSON has it."""
    if isinstance(value, etree._Element):
        # What the schema leaves open.
        return {etree.QName(value).localname: plain(list(value)) or value.text}
    value = serialize_object(value, dict)
    if isinstance(value, dict):
        return {name: plain(part) for name, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(part) for part in value]
    if isinstance(value, bytes):
        return base64.b16encode(value).decode()
    if isinstance(value, decimal.Decimal):
        return int(value) if value == value.to_integral_value() else str(value)
    if isinstance(value, (datetime.date, datetime.time)):
        return str(value)
    return value


def typed_fault(client, fault):
    """A fault's code, words and detail; the detail is decoded by the WSDL's types."""
    details = []
    if fault.detail is not None:
        details = [plain(client.wsdl.types.deserialize(part)) for part in fault.detail]
    codes = [etree.QName(code).localname if "}" in str(code) else str(code) for code in fault.subcodes or []]
    return {"code": str(fault.code), "subcodes": codes, "reason": fault.message, "details": details}


def main():
    plan = json.load(sys.stdin)
    session = requests.Session()
    # Neither proxies nor certificates of the environment.
    session.trust_env = False
    if plan.get("authority"):
        session.verify = plan["authority"]
    if plan.get("certificate"):
        session.cert = tuple(plan["certificate"])
    if plan.get("user"):
        session.auth = tuple(plan["user"])
    if plan.get("token"):
        session.headers["Authorization"] = "Bearer " + plan["token"]
    if plan.get("encoding"):
        session.headers["Accept-Encoding"] = plan["encoding"]
    coded = set()
    session.hooks["response"].append(lambda answer, **_: coded.add(answer.headers.get("Content-Encoding")))
    client = zeep.Client(plan["wsdl"], transport=zeep.Transport(session=session, timeout=60))
    (service,) = client.wsdl.services.values()
    port = service.ports[plan["port"]]
    bound = client.bind(service.name, port.name)
    coded.clear()
    answers = []
    for call in plan["calls"]:
        try:
            answers.append({"value": plain(bound[call["operation"]](**call["arguments"]))})
        except zeep.exceptions.Fault as fault:
            answers.append({"fault": typed_fault(client, fault)})
        except Exception as error:
            answers.append({"error": f"{type(error).__name__}: {error}"})
    found = {
        "ports": sorted(service.ports),
        "operations": sorted(port.binding._operations),
        "coded": sorted(str(coding) for coding in coded),
        "answers": answers,
    }
    json.dump(found, sys.stdout)


main()
