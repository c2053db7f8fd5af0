"""What the page's tests stand on: a `dikast serve` of their own and Debian's Chromium without a window."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = os.environ.get("DIKAST_PROGRAM", ROOT / "build/dikast")
SCREENSHOTS = pathlib.Path(os.environ.get("DIKAST_SCREENSHOTS", ROOT / "build/page-screenshots"))
SKIPPED = 77  # ctest's SKIP_RETURN_CODE
START_SECONDS = 60
WAIT_SECONDS = 20
STATE = "I was charged twice, and nobody's \"support\" answers. <b>Refund</b> me today! \\ 退款"
VISIBLE_PERCENTS = """return [...document.querySelectorAll('.question')].map((card) =>
  [...card.querySelectorAll('.percent')].filter((one) => one.offsetParent).map((one) => one.textContent))"""


def require_browser():
    """Ends the program where Chromium is missing: skipped, or a failure when DIKAST_REQUIRE_CHROMIUM is set."""
    missing = [f"no program '{name}'" for name in ("chromium", "chromedriver") if shutil.which(name) is None]
    try:
        import selenium  # noqa: F401
    except ImportError:
        missing.append("no Python package 'selenium'")
    if missing:
        print(f"the page is not tested: {', '.join(missing)}; `tools/install_packages page` installs them")
        sys.exit(1 if os.environ.get("DIKAST_REQUIRE_CHROMIUM") else SKIPPED)


class Server:
    """A running `dikast serve` on a free port."""

    def __init__(self, *options):
        command = [PROGRAM, "serve", "--port", "0", "--model", ROOT / "models/dikast-mini-v1", *options]
        self.process = subprocess.Popen(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.lines = []
        self.url = None
        self.ready = threading.Event()
        threading.Thread(target=self._read, daemon=True).start()
        if not self.ready.wait(START_SECONDS) or self.url is None:
            self.stop()
            raise RuntimeError("dikast serve named no URL:\n" + "".join(self.lines))

    def _read(self):
        for line in self.process.stdout:
            self.lines.append(line)
            found = re.search(r"http://[\w.:\[\]-]+", line)
            if found and self.url is None:
                self.url = found.group(0).rstrip("/")
                self.ready.set()
        self.ready.set()

    def stop(self):
        self.process.terminate()
        try:
            self.process.wait(15)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process.stdout.close()

    def post(self, body):
        request = urllib.request.Request(self.url + "/v1/systemone", body.encode(),
                                         {"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=WAIT_SECONDS) as answer:
            return answer.read().decode()


class Browser:
    """One Chromium for all tests: each loads the page anew."""

    driver = None
    downloads = None

    @classmethod
    def start(cls):
        from selenium import webdriver
        from selenium.webdriver.chrome.service import Service

        cls.downloads = pathlib.Path(tempfile.mkdtemp(prefix="dikast-page-"))
        options = webdriver.ChromeOptions()
        options.binary_location = shutil.which("chromium")
        for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                         "--hide-scrollbars"):
            options.add_argument(argument)
        options.add_experimental_option("prefs", {"download.default_directory": str(cls.downloads)})
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        cls.driver = webdriver.Chrome(service=Service(shutil.which("chromedriver")), options=options)
        cls.driver.set_script_timeout(WAIT_SECONDS)

    @classmethod
    def stop(cls):
        if cls.driver is not None:
            cls.driver.quit()
            shutil.rmtree(cls.downloads)
            cls.driver = None


class Page:
    """The page of a server, freshly loaded."""

    def __init__(self, url, width=1360, height=900, scheme="light"):
        if Browser.driver is None:
            Browser.start()
        self.driver, self.downloads = Browser.driver, Browser.downloads
        self.complaints()
        self.resize(width, height)
        self.cdp("Emulation.setEmulatedMedia",
                 features=[{"name": "prefers-color-scheme", "value": scheme},
                           {"name": "prefers-reduced-motion", "value": "reduce"}])
        self.driver.get(url)
        self.wait("the model's identity", "return document.querySelector('#identity').dataset.state != 'starting'")

    def cdp(self, command, **parameters):
        return self.driver.execute_cdp_cmd(command, parameters)

    def resize(self, width, height):
        self.cdp("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def script(self, code, *arguments):
        return self.driver.execute_script(code, *arguments)

    def find(self, selector):
        return self.driver.find_element("css selector", selector)

    def all(self, selector):
        return self.driver.find_elements("css selector", selector)

    def text(self, selector):
        return self.find(selector).text

    def texts(self, selector):
        return [element.text for element in self.all(selector)]

    def values(self):
        """What stands in every field."""
        return self.script("return [...document.querySelectorAll('textarea, input:not([type=radio]), select')]"
                           ".filter((field) => !field.readOnly).map((field) => field.value)")

    def click(self, selector):
        element = self.find(selector)
        self.script("arguments[0].scrollIntoView({block: 'center'})", element)
        element.click()

    def choose(self, group, value):
        """Clicks one radio button of a group."""
        self.click(f"{group} label:has([value='{value}'])")

    def select(self, selector, value):
        """A list shown in a window of its own cannot be clicked without a screen."""
        self.script("""const [list, value] = arguments;
            list.value = value;
            list.dispatchEvent(new Event('input', {bubbles: true}));""", self.find(selector), value)

    def write(self, selector, text):
        from selenium.webdriver.common.keys import Keys

        field = self.find(selector)
        field.send_keys(Keys.CONTROL, "a")
        field.send_keys(text or Keys.DELETE)

    def press(self, *keys, times=1):
        """Keys to whatever has the focus; the first of several are held."""
        from selenium.webdriver.common.action_chains import ActionChains

        for _ in range(times):
            chain = ActionChains(self.driver)
            for key in keys[:-1]:
                chain.key_down(key)
            chain.send_keys(keys[-1])
            for key in reversed(keys[:-1]):
                chain.key_up(key)
            chain.perform()

    def wait(self, what, code):
        end = time.monotonic() + WAIT_SECONDS
        while not self.script(code):
            if time.monotonic() > end:
                raise AssertionError(f"waited {WAIT_SECONDS} s for {what}; the page says: {self.text('body')}")
            time.sleep(0.05)

    def wait_idle(self):
        self.wait("the end of the request", "return !document.body.classList.contains('asking')")

    def ask(self):
        self.click("#ask")
        self.wait_idle()

    def request(self):
        """The JSON text of the request that the page shows."""
        self.choose("#view", "request")
        return self.script("return document.querySelector('#code').textContent")

    def export(self, view):
        """The file that the export button saves."""
        self.choose("#view", view)
        before = set(self.downloads.iterdir())
        self.click("#export")
        end = time.monotonic() + WAIT_SECONDS
        while time.monotonic() < end:
            new = [path for path in set(self.downloads.iterdir()) - before if path.suffix in (".json", ".txt")]
            if new:
                return new[0]
            time.sleep(0.05)
        raise AssertionError("nothing was saved")

    def screenshot(self, name):
        """The whole page as an image in the build folder."""
        size = self.script("return [innerWidth, innerHeight, document.documentElement.scrollHeight]")
        self.resize(size[0], size[2])
        SCREENSHOTS.mkdir(parents=True, exist_ok=True)
        self.driver.save_screenshot(str(SCREENSHOTS / f"{name}.png"))
        self.resize(size[0], size[1])

    def complaints(self):
        """Errors in the browser's console since the last call."""
        return [entry["message"] for entry in self.driver.get_log("browser") if entry["level"] == "SEVERE"]


class PageTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server()

    @classmethod
    def tearDownClass(cls):
        cls.server.stop()

    def open(self, **options):
        return Page(options.pop("url", self.server.url), **options)

    def assert_quiet(self, page):
        self.assertEqual(page.complaints(), [])

    def fault_beside(self, page, selector):
        """The text of the fault that describes a field."""
        field = page.find(selector)
        self.assertEqual(field.get_attribute("aria-invalid"), "true")
        return page.text("#" + field.get_attribute("aria-describedby"))


def parse_pairs(text):
    """JSON with objects as lists of pairs, so that order and repeats count."""
    return json.loads(text, object_pairs_hook=list)
