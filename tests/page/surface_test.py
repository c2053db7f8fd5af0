"""Languages, keyboard, looks, and what the page must not do."""

import json
import re
import urllib.request

from browser import ROOT, STATE, VISIBLE_PERCENTS, PageTest, parse_pairs


class Languages(PageTest):
    def test_chinese_keeps_inputs_and_answers(self):
        page = self.open()
        page.write("#state", STATE)
        page.write(".question:nth-child(3) .outcomes li:nth-child(1) .text", "money back")
        page.click("#add")
        page.write(".question:nth-child(4) .instructions", "Half written")
        values, english = page.values(), page.texts("h2, .seg span, button, legend")
        page.choose("#language", "zh")
        self.assertEqual(page.values(), values)
        self.assertEqual(page.script("return document.documentElement.lang"), "zh-CN")
        self.assertEqual(page.texts("h2"), ["状态", "模型", "问题", "请求与回答"])
        same = {text for text in set(english) & set(page.texts("h2, .seg span, button, legend"))
                if re.search("[A-Za-z]", text)}
        self.assertEqual(same, {"English", "JSON", "curl"})
        page.click(".question:nth-child(4) .remove")
        page.ask()
        self.assertIn("已回答 3 个问题", page.text("#status"))
        page.screenshot("chinese")
        shown = page.script(VISIBLE_PERCENTS)
        page.choose("#language", "en")
        self.assertEqual(page.script(VISIBLE_PERCENTS), shown)
        self.assertIn("3 answered", page.text("#status"))

    def test_both_languages_have_every_text(self):
        page = self.open()
        texts = page.script((ROOT / "web/strings.js").read_text("utf-8") + "; return kTexts")
        self.assertEqual(sorted(texts["en"]), sorted(texts["zh"]))
        places = lambda text: sorted(re.findall(r"\{\w+\}", text))
        for key, text in texts["en"].items():
            self.assertEqual(places(text), places(texts["zh"][key]), key)
        used = page.script("""return ['t', 'aria', 'hint', 'tip'].flatMap((name) =>
            [document, ...[...document.querySelectorAll('template')].map((one) => one.content)].flatMap((root) =>
                [...root.querySelectorAll(`[data-${name}]`)].map((element) => element.dataset[name])))""")
        self.assertEqual(set(used) - set(texts["en"]), set())


class Keyboard(PageTest):
    def focus(self, page):
        return page.script("return document.activeElement.id || document.activeElement.className || "
                           "document.activeElement.name || document.activeElement.tagName")

    def test_everything_without_a_mouse(self):
        from selenium.webdriver.common.keys import Keys as K

        page = self.open()
        for _ in range(30):
            page.press(K.TAB)
            if self.focus(page) == "state":
                break
        self.assertEqual(self.focus(page), "state")
        page.press(K.CONTROL, "a")
        page.press("My invoice is wrong.")
        page.press(K.TAB, times=2)
        self.assertEqual(self.focus(page), "id")
        page.press(K.TAB)
        page.press(K.ARROW_RIGHT)  # choice to score
        page.press(K.ARROW_LEFT)
        page.press(K.TAB)
        self.assertEqual(self.focus(page), "icon down")
        page.press(K.ENTER)
        ids = [field.get_attribute("value") for field in page.all(".question .id")]
        self.assertEqual(ids, ["urgency", "department", "refund"])
        self.assertEqual(self.focus(page), "icon down")
        page.find(".question:nth-child(2) .options li:nth-child(4) .name").click()
        page.press(K.ENTER)  # past the last option: a new one
        page.press("legal")
        page.press(K.CONTROL, K.ENTER)
        page.wait_idle()
        self.assertIn("3 answered", page.text("#status"))
        criteria = dict(parse_pairs(page.request()))["questions"][1][1]
        self.assertEqual([name for name, _ in dict(criteria)["criteria"]],
                         ["billing", "technical", "sales", "other", "legal"])

    def test_the_focus_is_always_visible(self):
        from selenium.webdriver.common.keys import Keys as K

        page = self.open()
        seen = []
        for _ in range(80):
            page.press(K.TAB)
            name, visible = page.script("""const at = document.activeElement;
                const drawn = at.type === 'radio' ? at.nextElementSibling : at;
                const style = getComputedStyle(drawn), box = drawn.getBoundingClientRect();
                return [at.tagName + '.' + at.className + at.id + at.name, style.outlineStyle !== 'none' && box.width > 0 &&
                        box.bottom > 0 && box.top < innerHeight && style.opacity > 0]""")
            if name.startswith("BODY"):
                break
            seen.append(name)
            self.assertTrue(visible, f"no visible focus on {name}")
        self.assertGreater(len(seen), 35, seen)


class Looks(PageTest):
    def test_narrow_screens_do_not_scroll_sideways(self):
        for language in ("en", "zh"):
            page = self.open(width=340, height=740, scheme="dark" if language == "zh" else "light")
            page.choose("#language", language)
            page.ask()
            self.assertLessEqual(page.script("return document.documentElement.scrollWidth"), 340)
            page.screenshot(f"narrow-{language}")

    def test_nothing_covers_the_request_when_scrolled(self):
        page = self.open()
        page.script("document.querySelector('#state').value = 'word '.repeat(3000)")
        for y in (0, 150, 400, 800, 5000):
            side, wire = page.script("""scrollTo(0, arguments[0]);
                return [document.querySelector('.side').getBoundingClientRect().bottom,
                        document.querySelector('.wire').getBoundingClientRect().top]""", y)
            self.assertLess(side, wire)

    def test_colours_follow_the_system_and_the_switch(self):
        page = self.open(scheme="dark")
        background = lambda: page.script("return getComputedStyle(document.body).backgroundColor")
        brightness = lambda: sum(map(int, re.findall(r"\d+", background())[:3]))
        self.assertLess(brightness(), 150)
        page.ask()
        page.screenshot("dark")
        page.choose("#theme", "light")
        self.assertGreater(brightness(), 600)
        page.choose("#theme", "auto")
        self.assertLess(brightness(), 150)

    def test_fields_and_buttons_have_names(self):
        page = self.open()
        nameless = [node["role"]["value"] for node in page.cdp("Accessibility.getFullAXTree")["nodes"]
                    if not node.get("ignored") and not node.get("name", {}).get("value") and node["role"]["value"]
                    in ("button", "textbox", "radio", "radiogroup", "combobox", "link", "region", "navigation")]
        self.assertEqual(nameless, [])

    def test_model_and_certificate_are_named(self):
        page = self.open()
        with urllib.request.urlopen(self.server.url + "/status") as answer:
            status = json.load(answer)
        self.assertEqual(page.text("#identity-text"), status["model"]["name"])
        facts = page.text("#facts")
        self.assertIn(status["model"]["sha256"], facts)
        self.assertIn(status["protocol_sha256"], facts)
        self.assertIn(status["certificate"]["state"], page.find("#certificate").get_attribute("class"))
        self.assertEqual(page.text("#certificate"), "original weights")


class Closed(PageTest):
    def test_it_loads_nothing_from_elsewhere(self):
        page = self.open()
        page.ask()
        loaded = page.script("return performance.getEntriesByType('resource').map((one) => one.name)")
        self.assertTrue(loaded)
        self.assertEqual([name for name in loaded if not name.startswith(self.server.url + "/")], [])
        self.assert_quiet(page)

    def test_the_policy_stops_other_scripts(self):
        with urllib.request.urlopen(self.server.url + "/") as answer:
            policy = answer.headers["Content-Security-Policy"]
        for rule in ("default-src 'none'", "script-src 'sha256-", "style-src 'sha256-", "frame-ancestors 'none'"):
            self.assertIn(rule, policy)
        page = self.open()
        page.script("""const script = document.createElement('script');
            script.textContent = 'window.strange = true'; document.body.append(script);""")
        self.assertIsNone(page.script("return window.strange ?? null"))
        self.assertTrue(any("Content Security Policy" in line for line in page.complaints()))

    def test_text_of_the_user_is_never_markup(self):
        page = self.open()
        evil = "<img src=x onerror=window.strange=1>"
        page.write(".question:nth-child(1) .options li:nth-child(1) .name", evil)
        page.write("#state", evil)
        page.ask()
        for view in ("request", "answer", "curl"):
            page.choose("#view", view)
            self.assertIn(evil, page.text("#code"))
        self.assertEqual(page.all("main img"), [])
