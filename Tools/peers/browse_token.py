# TensorIO for Swift
# Copyright the TensorIO for Swift authors
# Licensed under the Apache License, Version 2.0
# SPDX-License-Identifier: Apache-2.0
"""Uses Net Runner's page in headless Chromium with a server that needs a token.

    browse_token.py ADDRESS TOKEN [--size 390x844]

ADDRESS is what the server printed, with the token. The server must have the folder Demo/digits-training. The
script prints what it saw as a JSON object.
"""

import json
import sys
import urllib.request

from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from page import Page, opened, page_arguments

# Counts the blobs that the page has made and not released.
COUNT_BLOBS = """
const { createObjectURL, revokeObjectURL } = URL;
const blobs = window.openBlobs = new Set();
URL.createObjectURL = (object) => {
  const address = createObjectURL.call(URL, object);
  blobs.add(address);
  return address;
};
URL.revokeObjectURL = (address) => {
  blobs.delete(address);
  revokeObjectURL.call(URL, address);
};
"""

# What a browser does that forbids the page to store anything.
FORBID_STORAGE = """
for (const name of ["sessionStorage", "localStorage"]) {
  Object.defineProperty(window, name, { get() { throw new DOMException("No.", "SecurityError"); } });
}
"""

# Counts the listeners of a signal during and after pauses.
PAUSES = """
const done = arguments[0];
import("/js/frames.js").then(async ({ pause }) => {
  const stopper = new AbortController();
  const { signal } = stopper;
  let count = 0;
  const { addEventListener: add, removeEventListener: remove } = signal;
  signal.addEventListener = (...rest) => { count += 1; add.apply(signal, rest); };
  signal.removeEventListener = (...rest) => { count -= 1; remove.apply(signal, rest); };
  for (let each = 0; each < 10; each += 1) await pause(1, signal);
  const pausing = pause(60_000, signal);
  const during = count;
  stopper.abort();
  await pausing;
  done([during, count]);
});
"""


def starts(page: Page) -> bool:
    """Returns whether the page shows the models, which need the token."""
    return page.wait(lambda: "digits" in page.models(), 20) is not None


def fresh(page: Page, address: str) -> None:
    """Opens an address in a tab without a token."""
    page.driver.execute_script("try { sessionStorage.clear(); } catch {}")
    page.driver.get("about:blank")
    page.driver.get(address)


def asks(page: Page) -> bool:
    return page.wait(lambda: page.find("#token").is_displayed(), 20) is not None


def dialog(page: Page, address: str, token: str, seen: dict) -> None:
    """Closes the dialog with Esc, and gives it a wrong token and the right one."""
    fresh(page, address.split("#")[0])
    seen["asks"] = asks(page)
    for _ in range(3):
        ActionChains(page.driver).send_keys(Keys.ESCAPE).perform()
    seen["asks_after_escape"] = asks(page)
    page.type("#token input", "wrong\N{EURO SIGN}" + Keys.ENTER)
    seen["refuses"] = page.wait(lambda: page.find("#token [data-refused]").is_displayed(), 20) is not None
    page.find("#token input").send_keys(token + Keys.ENTER)
    seen["takes_the_right_one"] = starts(page)


def thumbnails(page: Page, address: str, token: str, seen: dict) -> None:
    """Looks at a page of results, whose images are fetched when they come near the window."""
    base = address.split("#")[0]
    body = json.dumps({"models": ["digits"], "folder": "digits-training", "limit": 60}).encode()
    request = urllib.request.Request(base + "api/v1/evaluations", body, {
        "Content-Type": "application/json",
        # A header field has bytes, and Python takes them as characters up to U+00FF.
        "Authorization": "Bearer " + token.encode().decode("latin-1")})
    with urllib.request.urlopen(request) as response:
        identifier = json.load(response)["evaluation"]["id"]
    script = page.send("Page.addScriptToEvaluateOnNewDocument", source=COUNT_BLOBS)
    page.driver.get("about:blank")
    page.driver.get(f"{base}#/evaluate/{identifier}")

    def fetched() -> int:
        return page.driver.execute_script(
            "return performance.getEntriesByType('resource').filter(({ name }) => name.includes('/pictures/')).length")

    def shown() -> int:
        return len(page.driver.find_elements(By.CSS_SELECTOR, "#rows li img[src]"))

    page.wait(lambda: len(page.driver.find_elements(By.CSS_SELECTOR, "#rows li")) == 48)
    # The samples are below the report.
    page.driver.execute_script("document.querySelector('#rows').scrollIntoView()")
    page.wait(lambda: shown() > 0)
    seen["fetches_near_images"] = page.wait(lambda: 0 < fetched() == shown()) is not None and fetched() < 48
    page.driver.execute_script("document.querySelector('#rows li:last-child').scrollIntoView()")
    seen["fetches_later_images"] = page.wait(lambda: page.driver.execute_script(
        "return document.querySelector('#rows li:last-child img').complete "
        "&& document.querySelector('#rows li:last-child img').naturalWidth > 0")) is not None
    page.driver.execute_script("document.querySelector('.pager button:last-of-type').click()")
    page.wait(lambda: page.text(".pager [role=status]").startswith("49 to 60"))
    seen["releases_blobs"] = page.wait(
        lambda: page.driver.execute_script("return openBlobs.size === 0"), 20) is not None
    page.send("Page.removeScriptToEvaluateOnNewDocument", identifier=script["identifier"])


def browse(page: Page, address: str, token: str) -> dict:
    seen: dict = {}
    page.driver.get(address)
    seen["takes_the_printed_address"] = starts(page)
    seen["hides_it"] = "token" not in page.driver.current_url
    seen["pauses_leave_no_listeners"] = page.driver.execute_async_script(PAUSES) == [1, 0]
    thumbnails(page, address, token, seen)
    dialog(page, address, token, seen)
    fresh(page, address.split("#")[0] + "#token=a%0Ab")
    seen["asks_instead_of_a_token_that_cannot_be_sent"] = asks(page)
    page.send("Page.addScriptToEvaluateOnNewDocument", source=FORBID_STORAGE)
    fresh(page, address)
    seen["starts_without_storage"] = starts(page)
    return seen


def main() -> None:
    parser = page_arguments()
    parser.add_argument("token")
    arguments = parser.parse_args()
    with opened(arguments) as (page, _):
        json.dump(browse(page, arguments.address, arguments.token), sys.stdout)


if __name__ == "__main__":
    main()
