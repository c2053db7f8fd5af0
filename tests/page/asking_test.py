"""Asking, editing, export and faults."""

import json
import re
import shlex
import tempfile

from browser import STATE, VISIBLE_PERCENTS, PageTest, Server, parse_pairs

QUESTIONS = ["department", "urgency", "refund"]
WIDTHS_OF_BARS = """return [...document.querySelectorAll('.option')].filter((row) => row.offsetParent).map((row) => {
  return parseFloat(getComputedStyle(row, '::before').width) / row.offsetWidth;
})"""


class Asking(PageTest):
    def test_three_questions_have_bars(self):
        page = self.open()
        page.write("#state", STATE)
        page.ask()
        answers = json.loads(self.server.post(page.request()))["answers"]
        self.assertEqual(list(answers), QUESTIONS)
        expected = [list(answers["department"]["probabilities"].values()),
                    list(answers["urgency"]["probabilities"].values()),
                    [answers["refund"]["noul"], 1 - answers["refund"]["noul"]]]
        for shown, numbers in zip(page.script(VISIBLE_PERCENTS), expected, strict=True):
            self.assertEqual(shown, [f"{100 * p:.1f}%" if p >= 0.0005 else "<0.1%" for p in numbers])
        widths = page.script(WIDTHS_OF_BARS)
        for width, p in zip(widths, [p for numbers in expected for p in numbers], strict=True):
            self.assertAlmostEqual(width, p, delta=0.005)
        headlines = page.texts(".headline b")
        self.assertEqual(headlines[0], answers["department"]["choice"])
        self.assertEqual(headlines[1], f"{answers['urgency']['score']:.2f} of 2")
        self.assertIn("true", headlines[2])
        self.assertIn(f"{answers['department']['confidence']:.2f}", page.text(".confidence"))
        self.assertIn("3 answered", page.text("#status"))
        self.assertEqual(len(page.all(".headline .confidence:not([hidden])")), 2)  # a noul has no confidence
        page.screenshot("answers")
        self.assert_quiet(page)

    def test_timing_names_the_stages(self):
        page = self.open()
        page.ask()
        self.assertEqual(page.texts("#timing dt"), ["queue", "tokenise", "forward", "decode", "network, page"])
        for value in page.texts("#timing dd"):
            self.assertRegex(value, r"^\d+(\.\d)? ms$")

    def test_old_answers_fade_when_the_input_changes(self):
        page = self.open()
        page.ask()
        page.write(".question:nth-child(2) .instructions", "How angry is the customer?")
        page.click("#add")
        page.click(".question:nth-child(1) .down")
        self.assertEqual(len(page.all(".question.stale")), 1)  # the others do not depend on it
        page.click(".question:nth-child(4) .remove")
        self.assertIn("Changed", page.text("#status"))
        page.write("#state", "Thank you.")
        self.assertEqual(len(page.all("body.stale")), 1)
        page.ask()
        self.assertEqual(page.all(".stale"), [])

    def test_every_example_is_answered(self):
        page = self.open()
        names = page.texts("#examples .chip")
        self.assertEqual(names, ["ticket", "agent trace", "email", "guard", "moderation", "support", "blank"])
        for i, name in enumerate(names[:-1]):
            page.click(f"#examples .chip:nth-child({i + 1})")
            page.ask()
            self.assertEqual(page.text("#failure"), "", name)
            questions = dict(parse_pairs(page.request()))["questions"]
            self.assertEqual(len(page.all(".question.answered")), len(questions), name)
        self.assert_quiet(page)

    def test_token_budget_follows_the_typing(self):
        page = self.open()
        page.wait("the budget", "return !document.querySelector('#budget').hidden")
        first = page.text("#budget-text")
        self.assertRegex(first, r"^\d+ tokens of state \+ \d+ of the longest question; room for \d+$")
        self.assertRegex(page.text(".question .tokens"), r"^\d+ of \d+ tokens$")
        page.find("#state").send_keys(" And a few words more.")
        page.wait("another budget", f"return document.querySelector('#budget-text').textContent != {json.dumps(first)}")
        page.script("document.querySelector('#state').value = 'word '.repeat(3000)")
        page.find("#state").send_keys(".")
        page.wait("a warning", "return document.querySelector('#budget').classList.contains('over')")
        page.screenshot("over-budget")
        page.select("#over-length", "truncate")
        page.wait("what is kept", "return document.querySelector('#budget-text').textContent.startsWith('Only ')")
        self.assertRegex(page.text(".question .tokens"), r"^(\d+) of \1 tokens · the state keeps \d+ of 3001 tokens$")
        page.select("#over-length", "window")
        page.wait("windows", "return document.querySelector('#budget-text').textContent.includes('in pieces of')")


class Editing(PageTest):
    def test_questions_are_added_moved_removed_and_brought_back(self):
        page = self.open()
        ids = lambda: [field.get_attribute("value") for field in page.all(".question .id")]
        page.click(".question:nth-child(1) .down")
        self.assertEqual(ids(), ["urgency", "department", "refund"])
        page.click(".question:nth-child(3) .up")
        self.assertEqual(ids(), ["urgency", "refund", "department"])
        page.click(".question:nth-child(1) .remove")
        self.assertEqual(ids(), ["refund", "department"])
        page.click("#undo")
        self.assertEqual(ids(), ["urgency", "refund", "department"])
        while page.find("#add").is_enabled():
            page.click("#add")
        self.assertEqual(len(ids()), 16)
        self.assertEqual(len(set(ids())), 16)
        self.assertEqual(page.text("#count"), "16 of 16")

    def test_options_become_levels(self):
        page = self.open()
        page.write(".question:nth-child(1) .options li:nth-child(4) .text", "")
        page.choose(".question:nth-child(1) .type", "score")
        questions = dict(dict(parse_pairs(page.request()))["questions"])
        self.assertEqual(dict(questions["department"])["criteria"],
                         ["invoices, payments, refunds", "bugs, outages, system errors", "pricing, new contracts", "other"])

    def test_order_numbers_and_names_reach_the_request_as_written(self):
        page = self.open()
        page.choose("#state-mode", "json")
        page.write("#state", '{"b": 1.0, "a": 12345678901234567890, "2": null, "1": [1e2, {}]}')
        for row, name in ((1, "10"), (2, "9"), (3, "__proto__"), (4, "it's")):
            page.write(f".question:nth-child(1) .options li:nth-child({row}) .name", name)
        text = page.request()
        self.assertIn('"b": 1.0,', text)
        self.assertIn('"a": 12345678901234567890,', text)
        self.assertIn("1e2", text)
        request = dict(parse_pairs(text))
        self.assertEqual([name for name, _ in request["state"]], ["b", "a", "2", "1"])
        criteria = dict(dict(request["questions"])["department"])["criteria"]
        self.assertEqual([name for name, _ in criteria], ["10", "9", "__proto__", "it's"])
        page.ask()
        self.assertEqual(page.text("#failure"), "")
        shown = page.script(VISIBLE_PERCENTS)[0]
        self.assertTrue(all(re.fullmatch(r"<?\d+\.\d%", percent) for percent in shown), shown)


class Export(PageTest):
    def test_request_answer_and_curl_are_saved(self):
        page = self.open()
        page.write("#state", STATE)
        page.ask()
        request = page.export("request").read_text()
        self.assertEqual(request.rstrip("\n"), page.request())
        self.assertEqual(json.loads(request)["state"], STATE)
        answer = page.export("answer").read_text()
        self.assertEqual(answer, self.server.post(request))  # byte for byte
        words = shlex.split(page.export("curl").read_text())
        self.assertEqual(words[:2], ["curl", self.server.url + "/v1/systemone"])
        self.assertEqual(parse_pairs(words[words.index("-d") + 1]), parse_pairs(request))

    def test_nothing_to_export_before_there_is_something(self):
        page = self.open()
        usable = lambda: page.find("#export").is_enabled() and page.find("#copy").is_enabled()
        self.assertTrue(usable())
        page.choose("#view", "answer")
        self.assertFalse(usable())
        page.ask()
        self.assertTrue(usable())
        page.choose("#view", "request")
        page.write(".question:nth-child(1) .id", "")
        self.assertFalse(usable())

    def test_copy_says_that_it_did(self):
        page = self.open()
        page.cdp("Browser.grantPermissions", permissions=["clipboardReadWrite"])
        page.click("#copy")
        page.wait("the word", "return document.querySelector('#copy').textContent === 'Copied'")
        copied = page.driver.execute_async_script("navigator.clipboard.readText().then(arguments[0])")
        self.assertEqual(copied, page.request())


class Faults(PageTest):
    def test_faults_stand_beside_their_fields(self):
        page = self.open()
        page.write(".question:nth-child(1) .options li:nth-child(2) .name", "billing")
        page.write(".question:nth-child(2) .options li:nth-child(1) .text", "")
        page.write(".question:nth-child(3) .id", "urgency")
        page.ask()
        self.assertIn("this name", self.fault_beside(page, ".question:nth-child(1) .options li:nth-child(2) .name"))
        self.assertIn("needs a text", self.fault_beside(page, ".question:nth-child(2) .options li:nth-child(1) .text"))
        self.assertIn("this name", self.fault_beside(page, ".question:nth-child(3) .id"))
        self.assertEqual(page.script("return document.activeElement.value"), "billing")
        page.screenshot("faults")
        page.write(".question:nth-child(1) .options li:nth-child(2) .name", "technical")
        self.assertEqual(page.all(".fault"), [])

    def test_a_state_that_is_no_json(self):
        page = self.open()
        page.choose("#state-mode", "json")
        for text, fault in (('{"a": }', "Not valid JSON"), ("12", "object or an array"), ("null", "object or an array")):
            page.write("#state", text)
            page.ask()
            self.assertIn(fault, self.fault_beside(page, "#state"))

    def test_the_words_of_the_server_stand_beside_the_field(self):
        page = self.open()
        page.choose("#state-mode", "json")
        page.write("#state", '{"a": 1e999}')  # JSON to a browser, past the range of a double to the server
        page.ask()
        self.assertRegex(self.fault_beside(page, "#state"), "^the number is past the range")
        page.choose("#state-mode", "text")
        page.script("document.querySelector('#state').value = 'word '.repeat(3000)")
        page.ask()
        self.assertRegex(page.text(".fault"), r"\d+.*tokens")
        self.assertEqual(page.text("#failure"), "")
        page.screenshot("too-long")
        page.select("#over-length", "truncate")
        page.ask()
        self.assertEqual(page.all(".fault"), [])
        self.assertIn("3 answered", page.text("#status"))

    def answer_with(self, page, status, body, headers=None):
        page.script("""const [status, body, headers] = arguments;
            window.fetch = async () => new Response(body, {status, headers});""", status, body, headers or {})
        page.ask()

    def test_every_place_that_a_server_names(self):
        places = {
            ("state", "a"): "#state",
            ("questions", "department", "instructions"): ".question:nth-child(1) .instructions",
            ("questions", "department", "criteria", "sales"): ".question:nth-child(1) .options li:nth-child(3) .text",
            ("questions", "department", "choice", "criteria"): ".question:nth-child(1) .id",
            ("questions", "urgency", "criteria", 1): ".question:nth-child(2) .options li:nth-child(2) .text",
            ("questions", "refund", "criteria", "false"): ".question:nth-child(3) .outcomes li:nth-child(2) .text",
            ("over_length",): "#over-length",
        }
        page = self.open()
        for place, selector in places.items():
            detail = [{"loc": ["body", *place], "msg": f"fault at {place}", "type": "value_error"}]
            self.answer_with(page, 422, json.dumps({"detail": detail}))
            self.assertEqual(self.fault_beside(page, selector), f"fault at {place}")
            self.assertEqual(len(page.all(".fault")), 1)

    def test_what_names_no_place_stands_beside_the_button(self):
        page = self.open()
        for status, body, headers, shown in (
                (400, '{"detail": "no such model"}', {}, "no such model"),
                (422, '{"detail": [{"loc": ["body"], "msg": "a"}, {"loc": ["body", "x"], "msg": "b"}]}', {}, "a\nb"),
                (529, '{"detail": {"message": "The queue is full."}}', {"Retry-After": "2"},
                 "The queue is full. Try again in 2 s."),
                (502, "<h1>Bad gateway</h1>", {}, "<h1>Bad gateway</h1>"),
                (500, "", {}, "HTTP 500")):
            self.answer_with(page, status, body, headers)
            self.assertEqual(page.text("#failure"), shown)
            self.assertEqual(page.all(".fault"), [])

    def test_a_request_is_stopped(self):
        page = self.open()
        page.script("""window.fetch = (path, {signal}) => new Promise((yes, no) =>
            signal.addEventListener('abort', () => no(new DOMException('', 'AbortError'))));""")
        page.click("#ask")
        self.assertEqual((page.text("#ask span"), page.text("#status")), ("Stop", "Asking…"))
        page.ask()
        self.assertEqual((page.text("#ask span"), page.text("#status")), ("Ask", "Stopped."))

    def test_a_server_that_went_away(self):
        server = Server()
        page = self.open(url=server.url)
        server.stop()
        page.ask()
        self.assertIn("does not answer", page.text("#failure"))
        self.assertEqual(page.text("#ask span"), "Ask")


class Keys(PageTest):
    def test_a_key_is_asked_for_and_not_kept(self):
        with tempfile.NamedTemporaryFile("w", suffix=".keys") as keys:
            keys.write("correct-horse-battery\n")
            keys.flush()
            server = Server("--keys", keys.name)
            self.addCleanup(server.stop)
            page = self.open(url=server.url)
            page.ask()
            self.assertIn("needs a key", page.text(".fault"))
            self.assertEqual(page.script("return document.activeElement.id"), "key")
            page.write("#key", "correct-horse-battery")
            page.ask()
            self.assertIn("3 answered", page.text("#status"))
            page.wait("the model's name", "return document.querySelector('#identity').dataset.state === 'ready'")
            self.assertEqual(page.script("return localStorage.length + sessionStorage.length + document.cookie.length"), 0)
            self.assertNotIn("correct-horse", page.export("curl").read_text())
