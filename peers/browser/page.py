"""Looks after an agent in a real browser, as a person does: logs in, browses, watches, changes, loses the connection and comes back.

    page.py chromium|firefox http|https PORT [names|groups]

The agent listens on 127.0.0.1:PORT and has the principals max, who may write, and ann, who may only read, with the password
`maple syrup`. Each step prints a line `ok STEP`. `stop` and `start` ask whoever started this to end the agent and to start it again on
the same port; each is answered with a line. With `names` it only looks at an
interface that is called <script>; with `groups` at the group `lan` of sw1, which answers, and gone, which does not, as the principal noc.
"""

import base64
import json
import ssl
import sys
import urllib.error
import urllib.request

from relay import Relay
from webdriver import Browser, Failed

PASSWORD = "maple syrup"
CONTACT = "/restconf/data/ietf-system:system/contact"
# What the form of the view, and that without scripts, say of each field: words, whether it is required, bounds.
FORMS = """
const [path, done] = arguments;
const of = root => Object.fromEntries([...root.querySelectorAll('table.leaves label')].map(it => [it.textContent, it.closest('tr')]).filter(([name]) => !name.startsWith('One of')).map(([name, row]) => {
  const field = row.querySelector('input, select');
  return [name, [row.querySelector('small')?.textContent.trim() ?? '', field.required, field.min ?? '', field.max ?? '']];
}));
const request = new XMLHttpRequest();
request.onload = () => done([of(document), of(request.response)]);
request.open('GET', 'plain/' + path + '?new');
request.responseType = 'document';
request.send();
"""
EVIL = "<script>document.title='owned'</script>"


def step(words):
    print("ok " + words, flush=True)


def ask(word):
    """Has the test do something to the agent."""
    print(word, flush=True)
    if not sys.stdin.readline():
        raise Failed("nobody answers")


def expect(found, expected, what):
    if found != expected:
        raise Failed("%s: %r, expected %r" % (what, found, expected))


class Scenario:
    def __init__(self, kind, scheme, port):
        self.kind = kind
        self.agent = "%s://127.0.0.1:%d" % (scheme, port)
        self.relay = Relay(port)
        self.page = "%s://127.0.0.1:%d/browser/" % (scheme, self.relay.port)
        self.is_protected = scheme == "https"

    def put(self, path, value):
        """A change by somebody else."""
        proof = base64.b64encode(("max:" + PASSWORD).encode()).decode()
        fields = {"Authorization": "Basic " + proof, "Content-Type": "application/yang-data+json"}
        request = urllib.request.Request(self.agent + path, json.dumps(value).encode(), fields, method="PUT")
        # Whether its certificate is right is not the question here.
        https = urllib.request.HTTPSHandler(context=ssl._create_unverified_context())
        urllib.request.build_opener(urllib.request.ProxyHandler({}), https).open(request, timeout=60).close()

    def log_in(self, browser, name, password=PASSWORD):
        browser.go(self.page)
        self.fill_in(browser, name, password)

    def fill_in(self, browser, name, password=PASSWORD):
        browser.find("input[name=name]").type(name)
        browser.find("input[name=password]").type(password)
        browser.find("button", "Log in").click()

    def run(self):
        with Browser(self.kind) as browser:
            step("started " + browser.version)
            self.logging_in(browser)
            self.transactions(browser)
            self.browsing(browser)
            self.charting(browser)
            self.changing(browser)
            self.conflicting(browser)
            self.setting(browser)
            self.events(browser)
            self.keyboard(browser)
            self.restarting(browser)
            self.reading_only(browser)
        self.scriptless()

    def names(self):
        with Browser(self.kind) as browser:
            self.log_in(browser, "max")
            browser.find("tbody th a", "<script>").click()
            browser.find("h1", "Rates of <script>")
            browser.go(self.page + "#/data/IF-MIB:IF-MIB/ifTable/ifEntry?in=ifDescr&how=is&has=%3Cscript%3E")
            browser.find("td", "<script>")
            browser.go(self.page + "#/data/ietf-interfaces:interfaces/interface")
            browser.find("td a", "<script>").click()
            browser.find("h1", "interface <script>")
            expect(browser.run("return document.scripts.length"), 1, "scripts")
            step("a name is text")

    def groups(self):
        with Browser(self.kind) as browser:
            self.log_in(browser, "noc")
            browser.find("nav a", "Groups").click()
            browser.find("h1", "Groups")
            browser.find("td .is-down")
            browser.find("td .is-up", "up")
            # The only group is shown as a whole, the worst members first.
            expect([it.text() for it in browser.all("[aria-label=Members] tbody th a")], ["gone", "sw1"], "the members")
            browser.find("dd .is-up", "this agent")
            browser.find("[aria-label=Members] time")
            step("saw a group")
            browser.find("form.filter select option[value=groupMemberState]").click()
            browser.find("form.filter input[type=search]").type("up\ue007")
            browser.find("nav.pages", "Rows 1 to 1 of 1")
            expect([it.text() for it in browser.all("[aria-label=Members] tbody th a")], ["sw1"], "the members that are up")
            browser.go(self.page + "#/groups")
            browser.find("th button", "Member").click()
            browser.find("th[aria-sort=ascending]", "Member")
            browser.find("th button", "Member").click()
            browser.find("th[aria-sort=descending]", "Member")
            expect([it.text() for it in browser.all("[aria-label=Members] tbody th a")], ["sw1", "gone"], "the members from the last one")
            step("sorted and filtered members")
            browser.find("th a[href*=aggregate]").click()
            browser.find("h1", "interfaces of lan")
            drawn = "return [...document.querySelectorAll('.plot path.line0')].some(it => it.getAttribute('d').includes('L'))"
            browser.wait(lambda: browser.run(drawn), "a line")
            browser.find("p", "Measured")
            step("charted an aggregate")
            browser.go(self.page + "#/groups/lan")
            browser.find("tbody th a", "sw1").click()
            browser.find("h1", "old switch")
            step("went to the page of a member")
            device = browser.url().split("#")[0]
            browser.go(self.page + "#/access")
            facts = "return Object.fromEntries([...document.querySelectorAll('.facts > div')].map(it => [it.firstChild.textContent, it.lastChild.textContent]))"
            browser.find("dt", "You may write on this machine")
            within = "yes, within the rules of your roles"
            found = browser.run(facts)
            expect((found["You may write on this machine"], found["You may set objects of devices"]), ("no", within + ", as far as they let this manager"), "what noc may write")
            browser.go(device + "#/access")
            browser.find("dt", "You may set objects of lan.sw1")
            expect(browser.run(facts)["You may set objects of lan.sw1"], within + ", as far as lan.sw1 lets the manager", "what noc may set")
            browser.find("p", "access policy of the manager")
            browser.go(device + "#/events")
            browser.find("h1", "Events of lan.sw1")
            browser.find("p", "lan.sw1 must send traps here")
            # A bookmark has the name too, and a time is one.
            browser.go("about:blank")
            browser.go(self.page + "#/data/SNMPv2-MIB:SNMPv2-MIB/system")
            browser.find("td span[title*=hundredths]")
            expect(browser.run("return document.title.includes('Trunkline') && document.title !== 'Trunkline'"), True, "the title after a bookmark")
            step("texts of a device are about the device, and bookmarks have a name")
            asked = "return performance.getEntriesByType('resource').filter(it => it.name.includes('/devices/lan.sw1/')).length"
            browser.go(self.page + "#/devices")
            browser.find("td .is-up", "answers")
            browser.find("td .is-down", "no answer")
            expect([it.text() for it in browser.all("tbody th a")], ["lan.gone", "lan.sw1"], "the devices, those without an answer first")
            expect(browser.run("return document.activeElement.id"), "main", "the focus after a view")
            count = browser.run(asked)
            browser.go(self.page + "#/access")
            browser.find("h1", "Access")
            browser.go(self.page + "#/devices")
            browser.find("td .is-up", "answers")
            expect(browser.run(asked), count, "requests to a device that is known")
            browser.find("th button", "Device").click()
            browser.find("th[aria-sort=ascending]", "Device")
            browser.find("th button", "Device").click()
            browser.find("th[aria-sort=descending]", "Device")
            browser.wait(lambda: [it.text() for it in browser.all("tbody th a")] == ["lan.sw1", "lan.gone"], "the devices from the last one")
            step("came back to the devices, which were not asked again")
            browser.size(390, 844)
            browser.go(self.page + "#/groups")
            browser.find("[aria-label=Members] td", "no answer")
            wide = "return [...document.querySelectorAll('.scroll')].filter(it => it.scrollWidth > it.clientWidth).map(it => it.ariaLabel)"
            expect((browser.run("return innerWidth"), browser.run(wide)), (390, []), "the width of a phone, and what is wider")
            step("saw all columns on a phone")
        with Browser(self.kind) as browser:
            self.log_in(browser, "nil")
            browser.find("h1", "This machine")
            browser.go(self.page + "#/events")
            browser.find("p", "Your role may read nothing here, and so no events.")
            expect([it.text() for it in browser.all(".stream") if it.is_shown()], [], "the state of a stream that nobody may have")
            step("told who may read nothing that there are no events for them")
        with Browser(self.kind, scripts=False) as browser:
            self.log_in(browser, "noc")
            browser.find("a", "Groups").click()
            browser.find("td", "no answer")
            browser.find("th a", "sw1").click()
            browser.find("h1", "All data")
            step("read groups without scripts")

    def scriptless(self):
        with Browser(self.kind, scripts=False) as browser:
            self.without_scripts(browser)

    def logging_in(self, browser):
        self.log_in(browser, "max", "wrong")
        browser.find("[role=alert]", "Wrong name or password.")
        before = self.relay.received
        self.log_in(browser, "max")
        browser.find("#interfaces", "Interfaces")
        browser.find("#who", "max" if self.is_protected else "max not encrypted")
        cookie = browser.call("GET", browser.session + "/cookie")[0]
        expect((cookie["name"].startswith("__Host-"), cookie["secure"]), (self.is_protected, self.is_protected), "the cookie")
        expect((cookie["httpOnly"], cookie["sameSite"], cookie["path"]), (True, "Strict", "/"), "the cookie")
        loaded = self.relay.received - before
        if loaded > 60_000:
            raise Failed("the first load has %d bytes" % loaded)
        step("logged in, %d bytes" % loaded)
        requests = browser.run("return performance.getEntriesByType('resource').map(it => it.name)")
        if len(requests) > 14 or any("127.0.0.1" not in name for name in requests):
            raise Failed("requests: %r" % requests)
        # The second visit revalidates.
        before = self.relay.received
        browser.go(self.page)
        browser.find("#interfaces", "Interfaces")
        if self.relay.received - before > loaded:
            raise Failed("the second load has %d bytes" % (self.relay.received - before))
        step("loaded again, %d bytes" % (self.relay.received - before))

    def transactions(self, browser):
        # A view that asks for nothing meanwhile.
        browser.go(self.page + "#/access")
        browser.find("h1", "Access")
        for path, most in [("SNMPv2-MIB:SNMPv2-MIB/system/sysName", 1_500), ("IF-MIB:IF-MIB/ifTable/ifEntry?limit=25&fields=ifDescr;ifOperStatus", 2_500)]:
            before = self.relay.sent, self.relay.received
            browser.later("const done = arguments[1]; import('./data.js').then(it => it.restconf('data/' + arguments[0])).then(it => done(true))", path)
            sent, received = self.relay.sent - before[0], self.relay.received - before[1]
            if sent + received > most:
                raise Failed("%s has %d bytes out and %d in" % (path, sent, received))
            step("read %s: %d bytes out, %d in" % (path.split("?")[0], sent, received))

    def browsing(self, browser):
        browser.go(self.page + "#/data")
        browser.find("a", "IF-MIB").click()
        browser.find("a", "ifTable").click()
        browser.find("h1", "ifEntry")
        browser.find("td", "lo")
        browser.find("th button", "ifDescr").click()
        browser.find("th[aria-sort=ascending]", "ifDescr")
        browser.find("th button", "ifDescr").click()
        browser.find("th[aria-sort=descending]", "ifDescr")
        browser.go(self.page + "#/data/IF-MIB:IF-MIB/ifTable/ifEntry?in=ifDescr&how=is&has=lo")
        browser.find("nav.pages", "Rows 1 to 1 of 1")
        browser.find("td a", "1").click()
        browser.find("h1", "ifEntry 1")
        browser.find("td", "softwareLoopback")
        step("browsed")
        browser.find("input[type=search]").type("ifhcinoct")
        browser.find(".hits a", "ifHCInOctets").click()
        browser.find("h1", "ifEntry")
        browser.go(self.page + "#/data/IF-MIB:IF-MIB/ifTable/ifEntry?columns=ifIndex,ifHCInOctets")
        browser.find("th", "ifHCInOctets")
        expect([it.text().split()[0] for it in browser.all("thead th")], ["ifIndex", "ifHCInOctets"], "columns")
        step("searched")

    def charting(self, browser):
        browser.go(self.page + "#/chart?if=1")
        browser.find("h1", "Rates of lo")
        # The requests of the chart themselves are what lo counts.
        drawn = "return [...document.querySelectorAll('.plot path.line0')].some(it => it.getAttribute('d').includes('L'))"
        browser.wait(lambda: browser.run(drawn), "a line")
        browser.find(".legend td", "bit/s")
        step("charted")
        rates = browser.later(RATES)
        expect(rates, [100, None, None, None, 429496728.5, None], "rates")
        step("rates are right")

    def changing(self, browser):
        browser.go(self.page + "#/data/ietf-system:system")
        browser.find("a.button[href$='/contact']", "Edit").click()
        browser.find("#new").clear()
        browser.find("#new").type(EVIL)
        browser.find("button", "Review").click()
        browser.find(".difference ins", EVIL)
        browser.find("button", "Apply").click()
        browser.find("[role=status].done", "Applied.")
        expect(browser.find("p.value").text(), EVIL, "the value")
        browser.find("#new").clear()
        browser.find("#new").type("noc")
        browser.find("button", "Review").click()
        browser.find(".difference del", EVIL)
        browser.find(".difference ins", "noc")
        expect(browser.run("return document.title.includes('owned')"), False, "a name is run")
        browser.go(self.page + "#/")
        browser.find("dd", EVIL)
        expect(browser.run("return document.scripts.length"), 1, "scripts")
        step("changed, and names are text")

    def conflicting(self, browser):
        browser.go(self.page + "#/data/ietf-system:system/contact")
        browser.find("#new").clear()
        browser.find("#new").type("mine")
        browser.find("button", "Review").click()
        browser.find(".difference ins", "mine")
        self.put(CONTACT, {"ietf-system:contact": "theirs"})
        browser.find("button", "Apply").click()
        browser.find("[role=alert]", "Nothing was written.")
        expect(browser.find("p.value").text(), "theirs", "the value")
        expect(browser.run("return document.getElementById('new').value"), "mine", "what was typed")
        browser.find("button", "Review").click()
        browser.find(".difference del", "theirs")
        expect(browser.all("[role=alert]"), [], "the old message")
        step("overwrote nothing, and kept what was typed")

    def setting(self, browser):
        browser.go(self.page + "#/data/SNMPv2-MIB:SNMPv2-MIB/system")
        browser.find("a.button[href$='/sysLocation']", "Edit").click()
        browser.find("#new").type(EVIL)
        browser.find("button", "Review").click()
        browser.find(".difference ins", EVIL)
        browser.find("button", "Apply").click()
        browser.find("[role=status].done", "Applied.")
        expect(browser.find("p.value").text(), EVIL, "the value")
        browser.go(self.page + "#/data/SNMPv2-MIB:SNMPv2-MIB/system/sysContact")
        browser.find("#new").clear()
        browser.find("#new").type("mine")
        browser.find("button", "Review").click()
        browser.find(".difference ins", "mine")
        self.put(CONTACT, {"ietf-system:contact": "theirs too"})
        browser.find("button", "Apply").click()
        browser.find("[role=alert]", "Nothing was written.")
        expect(browser.find("p.value").text(), "theirs too", "the value")
        browser.go(self.page + "#/data/IF-MIB:IF-MIB/ifTable/ifEntry=1/ifAdminStatus")
        browser.wait(lambda: [it.text() for it in browser.all("#new option")] == ["up", "down", "testing"], "the choices")
        step("set objects, and overwrote nothing")
        browser.go(self.page + "#/data/ietf-snmp:snmp/community")
        browser.find("a.button", "New entry").click()
        for name, value in [("index", "<b>"), ("text-name", "quiet"), ("security-name", "quiet")]:
            browser.find("#new-" + name).type(value)
        browser.find("button", "Review").click()
        browser.find(".difference ins", "<b>")
        browser.find("button", "Apply").click()
        browser.find("h1", "community <b>")
        hidden = "return [...document.querySelectorAll('table.leaves tr')].filter(it => it.cells[1].textContent === 'not shown').map(it => it.cells[0].textContent)"
        expect(browser.run(hidden), ["text-name", "binary-name"], "secrets")
        browser.find("button", "Remove this entry").click()
        browser.find(".difference", "will be removed")
        browser.find("button", "Apply").click()
        browser.find("a.button", "New entry")
        browser.wait(lambda: "<b>" not in [it.text() for it in browser.all("td a")], "the entry is gone")
        step("made an entry of a list, and removed it")
        lists = ["ietf-snmp:snmp/community", "ietf-snmp:snmp/target", "SNMP-NOTIFICATION-MIB:SNMP-NOTIFICATION-MIB/snmpNotifyTable/snmpNotifyEntry"]
        for path in lists + ["SNMP-TARGET-MIB:SNMP-TARGET-MIB/snmpTargetAddrTable/snmpTargetAddrEntry"]:
            browser.go(self.page + "#/data/" + path + "?new=1")
            browser.find("h1", "New ")
            with_scripts, without = browser.later(FORMS, path)
            expect(with_scripts, without, "what the forms of " + path + " say of their fields")
        expect(with_scripts["snmpTargetAddrTimeout"], ["a number from 0 to 2147483647", False, "0", "2147483647"], "a field")
        step("saw what is required, the bounds and the defaults, as without scripts")
        browser.go(self.page + "#/data/ietf-snmp:snmp/target?new=1")
        browser.find("#one-of-udp option", "tls").click()
        browser.find("[id='new-tls/server-identity']").type("left out")
        browser.find("#one-of-udp option", "udp").click()
        for name, value in [("name", "noc"), ("udp/ip", "192.0.2.9"), ("target-params", "p")]:
            browser.find("[id='new-" + name + "']").type(value)
        browser.find("button", "Review").click()
        browser.find(".difference ins", "192.0.2.9")
        expect([it.text() for it in browser.all(".difference ins")], ["noc", "192.0.2.9", "p"], "the difference")
        browser.find("button", "Apply").click()
        browser.find("h1", "target noc")
        used = "return [...document.querySelectorAll('ul.links li')].map(it => it.textContent)"
        expect(browser.run(used), ["udp", "tls not used", "dtls not used", "ssh not used"], "the cases")
        browser.go(self.page + "#/data/SNMP-TARGET-MIB:SNMP-TARGET-MIB/snmpTargetAddrTable/snmpTargetAddrEntry=noc")
        browser.find("button", "Remove this row").click()
        browser.find(".difference del", "snmpTargetAddrTAddress: c0:00:02:09:00:a2")
        browser.find("button", "Cancel").click()
        browser.go(self.page + "#/data/ietf-snmp:snmp/target=noc/tls/ip")
        browser.find("#new").type("192.0.2.8")
        browser.find("button", "Review").click()
        browser.find(".difference del", "udp/ip: 192.0.2.9")
        browser.find("button", "Apply").click()
        browser.find("[role=status].done", "Applied.")
        browser.go(self.page + "#/data/ietf-snmp:snmp/target=noc")
        browser.find("ul.links li", "udp not used")
        browser.find("button", "Remove this entry").click()
        browser.find(".difference", "will be removed")
        browser.find("button", "Apply").click()
        browser.find("p", "It is empty.")
        step("made an entry with a case of a choice, and changed the case")
        for there in ["ietf-snmp:snmp/target=noc", "ietf-snmp:snmp/target=noc/tls/ip", "SNMP-TARGET-MIB:SNMP-TARGET-MIB/snmpTargetAddrTable/snmpTargetAddrEntry=noc"]:
            browser.go(self.page + "#/data/" + there)
            browser.find("p", "There is no such entry")
            expect(browser.all("main form, main a.button"), [], "what changes it")
        step("found nothing to change where there is no entry")
        browser.go(self.page + "#/data/SNMP-NOTIFICATION-MIB:SNMP-NOTIFICATION-MIB/snmpNotifyTable/snmpNotifyEntry")
        browser.find("a.button", "New entry").click()
        browser.find("#new-snmpNotifyName").type("<i>")
        browser.find("#new-snmpNotifyTag").type("noc")
        browser.find("button", "Review").click()
        browser.find(".difference ins", "<i>")
        browser.find("button", "Apply").click()
        browser.find("h1", "snmpNotifyEntry <i>")
        browser.find("td", "noc")
        browser.find("button", "Remove this row").click()
        browser.find(".difference", "will be removed")
        browser.find("button", "Apply").click()
        browser.find("a.button", "New entry")
        browser.wait(lambda: "<i>" not in [it.text() for it in browser.all("td a")], "the row is gone")
        step("made a row of a MIB table, and removed it")

    def events(self, browser):
        browser.go(self.page + "#/events")
        browser.find(".stream.is-up", "Connected")
        self.put(CONTACT, {"ietf-system:contact": "one"})
        browser.find(".events li", "netconf-config-change")
        before = len(browser.all(".events li"))
        self.relay.cut()
        browser.find(".stream.is-down", "Disconnected")
        self.put(CONTACT, {"ietf-system:contact": "two"})
        self.put(CONTACT, {"ietf-system:contact": "three"})
        self.relay.join()
        browser.find(".stream.is-up", "Connected")
        browser.wait(lambda: len(browser.all(".events li")) == before + 2, "the events that were missed, once each")
        self.put(CONTACT, {"ietf-system:contact": "four"})
        browser.wait(lambda: len(browser.all(".events li")) == before + 3, "the next event")
        step("lost the connection, and no event")

    def keyboard(self, browser):
        browser.go(self.page + "#/access")
        browser.find("h1", "Access")
        browser.run("document.activeElement.blur(); document.querySelector('.skip').focus()")
        tab, enter = "\ue004", "\ue007"
        browser.keys(tab + tab + tab)
        expect(browser.run("return document.activeElement.textContent"), "Data", "the third stop")
        expect(browser.run("return getComputedStyle(document.activeElement).outlineStyle"), "solid", "the focus")
        browser.keys(enter)
        browser.find("h1", "Data")
        expect(browser.run("return document.activeElement.id"), "main", "the focus after a view")
        step("used the keyboard")

    def restarting(self, browser):
        browser.go(self.page + "#/data/SNMPv2-MIB:SNMPv2-MIB/system")
        browser.find("h1", "system")
        browser.wait(lambda: browser.run("return document.title").startswith("system – "), "the title of a view")
        browser.go(self.page + "#/")
        browser.find("#interfaces", "Interfaces")
        browser.go(self.page + "#/data/SNMPv2-MIB:SNMPv2-MIB/system")
        browser.find("h1", "system")
        ask("stop")
        browser.go(self.page + "#/")
        browser.find("#state", "Disconnected")
        browser.go(self.page + "#/data/SNMPv2-MIB:SNMPv2-MIB/system")
        ask("start")
        # Sessions are not kept, and the place is.
        browser.find("h1", "Log in")
        self.fill_in(browser, "max")
        browser.find("h1", "system")
        step("came back to where it was")
        browser.find("button", "Log out").click()
        browser.find("h1", "Log in")
        step("logged out")

    def reading_only(self, browser):
        self.log_in(browser, "ann")
        browser.find("#interfaces", "Interfaces")
        browser.find("p", "may only read")
        browser.go(self.page + "#/data/ietf-system:system")
        browser.find("td", "four")
        expect(len(browser.all("a.button")), 0, "buttons to edit")
        browser.go(self.page + "#/access")
        browser.find("dd", "reader")
        browser.find("button", "Log out").click()
        browser.find("h1", "Log in")
        step("a reader has no buttons to write")

    def without_scripts(self, browser):
        self.log_in(browser, "ann")
        browser.find("h1", "All data")
        browser.find("a", "IF-MIB").click()
        browser.find("a", "ifTable").click()
        browser.find("a", "ifEntry").click()
        browser.find("td", "softwareLoopback")
        browser.find("td a", "1").click()
        browser.find("h1", "ifEntry 1")
        step("read a table without scripts")
        browser.find("button", "Log out").click()
        browser.find("h1", "Log in")
        self.log_in(browser, "max")
        browser.find("h1", "All data")
        browser.find("a", "SNMPv2-MIB").click()
        browser.find("a", "system").click()
        browser.find("a.button[href$='/sysLocation']", "Edit").click()
        browser.find("#new").clear()
        browser.find("#new").type(EVIL + "&\"'")
        browser.find("button", "Review").click()
        browser.find(".difference ins", EVIL + "&\"'")
        browser.find("button", "Apply").click()
        browser.find("[role=status].done", "Applied.")
        expect(browser.find("p.value").text(), EVIL + "&\"'", "the value")
        step("set an object without scripts")
        browser.go(self.page + "plain/SNMP-NOTIFICATION-MIB:SNMP-NOTIFICATION-MIB/snmpNotifyTable/snmpNotifyEntry")
        browser.find("a.button", "New entry").click()
        browser.find("[name='v.snmpNotifyName']").type("plain")
        browser.find("[name='v.snmpNotifyTag']").type("noc")
        browser.find("button", "Review").click()
        browser.find(".difference ins", "noc")
        browser.find("button", "Apply").click()
        browser.find("h1", "snmpNotifyEntry plain")
        step("made a row without scripts")
        browser.go(self.page + "plain/ietf-system:system")
        browser.find("a.button[href$='/contact']", "Edit").click()
        browser.find("[name='v.contact']").clear()
        browser.find("[name='v.contact']").type(EVIL)
        browser.find("button", "Review").click()
        browser.find(".difference ins", EVIL)
        self.put(CONTACT, {"ietf-system:contact": "theirs"})
        browser.find("button", "Apply").click()
        browser.find("[role=alert]", "Nothing was written.")
        browser.find("p.value", "theirs")
        browser.find("button", "Review").click()
        browser.find(".difference del", "theirs")
        browser.find("button", "Apply").click()
        browser.find("[role=status].done", "Applied.")
        expect(browser.find("p.value").text(), EVIL, "the value")
        browser.find("button", "Remove").click()
        browser.find(".difference", "will be removed")
        browser.find("button", "Apply").click()
        browser.find("p.value", "not set")
        step("configured a leaf without scripts, and overwrote nothing")
        browser.go(self.page + "plain/ietf-snmp:snmp/community")
        browser.find("a.button", "New entry").click()
        for name, value in [("index", "<b>"), ("text-name", "quiet"), ("security-name", "quiet")]:
            browser.find("[name='v.%s']" % name).type(value)
        browser.find("button", "Review").click()
        browser.find(".difference ins", "<b>")
        browser.find("button", "Apply").click()
        browser.find("h1", "community <b>")
        browser.find("button", "Remove this entry").click()
        browser.find(".difference", "will be removed")
        browser.find("button", "Apply").click()
        browser.find("a.button", "New entry")
        expect("<b>" in [it.text() for it in browser.all("td a")], False, "the entry is still there")
        step("made an entry without scripts, and removed it")


# Wraps, restarts and discontinuities, in the module that the page uses.
RATES = """
const done = arguments[arguments.length - 1];
import('./rates.js').then(({ rate, sample }) => {
  const at = (value, bits, up, mark, seconds) => sample(value, bits, up, mark, seconds * 1000);
  done([
    rate(at(4294967196, 32, 1000, '0', 0), at(100, 32, 1200, '0', 2)),
    rate(at(1000, 32, 90000, '0', 0), at(5, 32, 200, '0', 2)),
    rate(at(1000, 32, 1000, '0', 0), at(2000, 32, 1200, '7', 2)),
    rate(at('100', 64, 1000, '0', 0), at('50', 64, 1200, '0', 2)),
    rate(at('18446744072850558159', 64, 4294967246, '0', 0), at('18446744073709551616', 64, 150, '0', 2)),
    rate(at(4294967196, 32, 1000, '0', 0), at(100, 32, 7000, '0', 60)),
  ]);
});
"""

if __name__ == "__main__":
    try:
        scenario = Scenario(sys.argv[1], sys.argv[2], int(sys.argv[3]))
        {"names": scenario.names, "groups": scenario.groups}.get("".join(sys.argv[4:]), scenario.run)()
    except (Failed, OSError, urllib.error.URLError) as error:
        print("failed: %s" % error, flush=True)
        sys.exit(1)
    print("done", flush=True)
