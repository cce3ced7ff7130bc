"""A client of W3C WebDriver, with Python's standard library alone.

    with Browser("chromium") as browser:
        browser.go("http://127.0.0.1:8080/browser/")
        browser.find("input[name=name]").type("max")
"""

import base64
import http.client
import json
import os
import shutil
import socket
import subprocess
import tempfile
import time

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
PATIENCE = 60


class Failed(Exception):
    """An error of WebDriver, or something that did not happen in time."""


def driver_of(kind):
    """The program that speaks WebDriver; None if it is not installed."""
    if kind == "chromium":
        return shutil.which("chromedriver")
    here = os.path.dirname(os.path.abspath(__file__))
    ours = os.path.join(here, "../../target/peers/geckodriver/bin/geckodriver")
    return ours if os.path.exists(ours) else shutil.which("geckodriver")


class Browser:
    """A browser with a profile of its own, without a window."""

    def __init__(self, kind, scripts=True, dark=False, width=1280, height=900):
        self.kind = kind
        self.folder = tempfile.mkdtemp(prefix="browser-")
        self.port = free_port()
        program = driver_of(kind)
        options = ["--port=%d" % self.port] if kind == "chromium" else ["--port", str(self.port), "--host", "127.0.0.1"]
        environment = dict(os.environ, HOME=self.folder, TMPDIR=self.folder)
        self.log = open(os.path.join(self.folder, "driver.log"), "wb")
        self.driver = subprocess.Popen([program, *options], stdout=self.log, stderr=self.log, env=environment)
        self.session = None
        try:
            self.wait(lambda: self.is_ready(), "the driver to start")
            capabilities = chromium(self.folder, scripts, dark, width, height) if kind == "chromium" else firefox(scripts, dark, width, height)
            answer = self.call("POST", "/session", {"capabilities": {"alwaysMatch": capabilities}})
            self.session = "/session/" + answer["sessionId"]
            self.version = answer["capabilities"]["browserName"] + " " + answer["capabilities"]["browserVersion"]
        except BaseException:
            self.close()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        if self.session:
            try:
                self.call("DELETE", self.session)
            except (Failed, OSError):
                pass
        self.driver.terminate()
        try:
            self.driver.wait(20)
        except subprocess.TimeoutExpired:
            self.driver.kill()
            self.driver.wait()
        self.log.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def is_ready(self):
        if self.driver.poll() is not None:
            raise Failed("the driver has ended: " + open(self.log.name).read())
        try:
            return self.call("GET", "/status")["ready"]
        except OSError:
            return False

    def call(self, method, path, body=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE * 2)
        text = None if method != "POST" else json.dumps(body or {})
        connection.request(method, path, text, {"Content-Type": "application/json"})
        answer = json.loads(connection.getresponse().read())
        connection.close()
        value = answer.get("value")
        if isinstance(value, dict) and "error" in value:
            raise Failed("%s: %s" % (value["error"], value.get("message", "")))
        return value

    def wait(self, condition, what):
        """Until a condition holds; returns what it returns."""
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            found = condition()
            if found:
                return found
            time.sleep(0.05)
        raise Failed("waited in vain for " + what)

    def go(self, url):
        self.call("POST", self.session + "/url", {"url": url})

    def url(self):
        return self.call("GET", self.session + "/url")

    def all(self, selector):
        found = self.call("POST", self.session + "/elements", {"using": "css selector", "value": selector})
        return [Element(self, it[ELEMENT]) for it in found]

    def find(self, selector, containing=""):
        """The first element that is shown, once it is there."""

        def look():
            for element in self.all(selector):
                try:
                    if element.is_shown() and containing in element.text():
                        return element
                except Failed:
                    pass  # It has been replaced meanwhile.
            return None

        what = selector + (" with %r" % containing if containing else "")
        try:
            return self.wait(look, what)
        except Failed as failed:
            raise Failed("%s; the page has: %s" % (failed, self.run("return document.body.innerText"))) from None

    def run(self, script, *arguments):
        return self.call("POST", self.session + "/execute/sync", {"script": script, "args": list(arguments)})

    def later(self, script, *arguments):
        """The same of a script that calls its last argument with the result."""
        return self.call("POST", self.session + "/execute/async", {"script": script, "args": list(arguments)})

    def keys(self, text):
        actions = [{"type": kind, "value": it} for it in text for kind in ("keyDown", "keyUp")]
        self.call("POST", self.session + "/actions", {"actions": [{"type": "key", "id": "keyboard", "actions": actions}]})

    def size(self, width, height):
        self.call("POST", self.session + "/window/rect", {"width": width, "height": height})

    def picture(self, path):
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.call("GET", self.session + "/screenshot")))

    def printed(self, path):
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.call("POST", self.session + "/print", {"background": False})))


class Element:
    """An element of the page."""

    def __init__(self, browser, identifier):
        self.browser = browser
        self.path = "%s/element/%s" % (browser.session, identifier)

    def click(self):
        self.browser.call("POST", self.path + "/click")

    def type(self, text):
        self.browser.call("POST", self.path + "/value", {"text": text})

    def clear(self):
        self.browser.call("POST", self.path + "/clear")

    def text(self):
        return self.browser.call("GET", self.path + "/text")

    def is_shown(self):
        return self.browser.call("GET", self.path + "/displayed")

    def attribute(self, name):
        return self.browser.call("GET", self.path + "/attribute/" + name)


def chromium(folder, scripts, dark, width, height):
    arguments = ["--headless=new", "--user-data-dir=" + os.path.join(folder, "profile"), "--window-size=%d,%d" % (width, height), "--disable-gpu",
                 "--disable-dev-shm-usage", "--no-first-run", "--disable-background-networking", "--disable-component-update"]
    if os.geteuid() == 0:
        arguments.append("--no-sandbox")
    if dark:
        arguments.append("--force-dark-mode")
        arguments.append("--blink-settings=preferredColorScheme=0")
    options = {"args": arguments}
    if not scripts:
        options["prefs"] = {"profile.managed_default_content_settings.javascript": 2}
    return {"browserName": "chrome", "goog:chromeOptions": options, "acceptInsecureCerts": True, "goog:loggingPrefs": {"browser": "ALL"}}


def firefox(scripts, dark, width, height):
    preferences = {"javascript.enabled": scripts, "layout.css.prefers-color-scheme.content-override": 0 if dark else 1, "app.update.enabled": False}
    options = {"args": ["-headless", "--width=%d" % width, "--height=%d" % height], "prefs": preferences}
    return {"browserName": "firefox", "moz:firefoxOptions": options, "acceptInsecureCerts": True}


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
