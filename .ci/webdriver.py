"""Chromium, driven as a user would, with only Python's standard library."""
import base64, json, socket, subprocess, time, urllib.error, urllib.request

END, HOME, DOWN, UP, LEFT, RIGHT = "\ue010", "\ue011", "\ue015", "\ue013", "\ue012", "\ue014"
ENTER, ESCAPE, TAB = "\ue007", "\ue00c", "\ue004"


class Browser:
    """A headless Chromium, driven over WebDriver."""

    def __init__(self):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.driver = subprocess.Popen(
            ["chromedriver", f"--port={port}"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        for line in self.driver.stdout:
            if b"started successfully" in line:
                break
        self.base = f"http://127.0.0.1:{port}"
        arguments = ["--headless=new", "--no-sandbox", "--disable-dev-shm-usage",
                     "--enable-precise-memory-info", "--window-size=1280,800"]
        capabilities = {"goog:chromeOptions": {"args": arguments},
                        "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"}}
        session = self.call("POST", "/session", {"capabilities": {"alwaysMatch": capabilities}})
        self.base += "/session/" + session["sessionId"]

    def call(self, method, path, body=None):
        data = None if method in ("GET", "DELETE") else json.dumps(body or {}).encode()
        request = urllib.request.Request(
            self.base + path, data, {"Content-Type": "application/json"}, method=method)
        try:
            with urllib.request.urlopen(request, timeout=120) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise RuntimeError(error.read().decode()[:800]) from None

    def open(self, address):
        self.call("POST", "/url", {"url": "about:blank"})
        self.call("POST", "/url", {"url": address})

    def run(self, code, *arguments):
        return self.call("POST", "/execute/sync", {"script": code, "args": list(arguments)})

    def until(self, condition):
        """Waits for asynchronous work of the page; a minute is only an upper bound."""
        for _ in range(1200):
            if self.run(condition):
                return
            time.sleep(0.05)
        raise AssertionError(f"never true: {condition}")

    def type(self, keys):
        strokes = [{"type": kind, "value": key} for key in keys for kind in ("keyDown", "keyUp")]
        self.call("POST", "/actions", {"actions": [{"type": "key", "id": "k", "actions": strokes}]})

    def click(self, selector):
        found = self.call(
            "POST", "/element", {"using": "css selector", "value": selector})
        self.call("POST", f"/element/{next(iter(found.values()))}/click")

    def text(self, selector):
        return self.run("return document.querySelector(arguments[0]).innerText", selector)

    def devtools(self, command, **parameters):
        return self.call("POST", "/goog/cdp/execute", {"cmd": command, "params": parameters})

    def log(self, kind):
        return self.call("POST", "/se/log", {"type": kind})

    def emulate(self, feature, value):
        """Makes the page see a user's preference."""
        self.devtools("Emulation.setEmulatedMedia", features=[{"name": feature, "value": value}])

    def picture(self, path, width=1280, height=800, scheme="light"):
        self.devtools("Emulation.setDeviceMetricsOverride", width=width, height=height,
                      deviceScaleFactor=1, mobile=False)
        self.emulate("prefers-color-scheme", scheme)
        self.run("return new Promise(done => requestAnimationFrame(() => setTimeout(done, 50)))")
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.call("GET", "/screenshot")))
        self.devtools("Emulation.clearDeviceMetricsOverride")

    def close(self):
        try:
            self.call("DELETE", "")
        finally:
            self.driver.terminate()
            self.driver.wait()


def expect(actual, wanted):
    if actual != wanted:
        raise AssertionError(f"expected {wanted!r}, got {actual!r}")


def expect_silence(browser, *addresses):
    """Checks that the console has no message, and only these requests and the page's own were made."""
    expect([entry["message"] for entry in browser.log("browser")], [])
    messages = [json.loads(entry["message"])["message"] for entry in browser.log("performance")]
    asked = {message["params"]["request"]["url"] for message in messages
             if message["method"] == "Network.requestWillBeSent"}
    asked = {url.split("#")[0] for url in asked if not url.startswith("blob:")}
    expect(asked - {"about:blank"} - set(addresses), set())
