# TensorIO for Swift
# Copyright the TensorIO for Swift authors
# Licensed under the Apache License, Version 2.0
# SPDX-License-Identifier: Apache-2.0
"""Imports or updates a model of a repository on Net Runner's page, with the keyboard alone.

    browse_repository.py ADDRESS MODEL [--size 390x844] [--screenshots DIR]

Prints what the script saw as a JSON object.
"""

import json
import sys

from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from page import Page, opened, page_arguments


def browse(page: Page, address: str, model: str) -> dict:
    seen: dict = {}
    selector = f"#repository-list [data-repository-model='{model}']"

    def row_state() -> str:
        return page.driver.execute_script(
            """return [...document.querySelectorAll("#repository-list li")]
              .find((row) => row.querySelector(".card-name").textContent === arguments[0])
              ?.dataset.state ?? "";""", model)

    page.driver.get(address + "#/models")
    page.wait(lambda: page.driver.find_elements(By.CSS_SELECTOR, selector))
    region = page.find("#repository")
    seen["is_shown"] = region.is_displayed()
    seen["region"] = [region.aria_role, region.accessible_name]
    seen["place"] = page.text("#repository-place")
    page.look("repository")
    button = page.find(selector)
    seen["button"] = [button.text, button.accessible_name]
    # Keyboard users get there from the button before it.
    page.driver.execute_script("document.querySelector('#repository-refresh').focus()")
    page.driver.switch_to.active_element.send_keys(Keys.TAB)
    seen["is_reached_by_tab"] = page.driver.switch_to.active_element == button
    # Progress may disappear before the script looks, so an observer keeps everything that the page showed.
    page.driver.execute_script(
        """window.shown = [];
        new MutationObserver(() => window.shown.push(
          document.querySelector("#import-state").textContent,
          document.querySelector("#import-state progress")?.max,
        )).observe(document.querySelector("#import-state"),
          { childList: true, subtree: true, characterData: true, attributes: true });""")
    page.driver.switch_to.active_element.send_keys(Keys.ENTER)
    seen["imports"] = page.wait(lambda: row_state() == "imported") is not None
    seen["keeps_focus"] = page.wait(
        lambda: page.driver.switch_to.active_element == page.find("#repository-refresh")) is not None
    shown = page.driver.execute_script("return window.shown")
    seen["tells_progress"] = any("Downloading" in str(text) for text in shown)
    seen["has_no_button"] = not page.driver.find_elements(By.CSS_SELECTOR, selector)
    seen["is_a_model"] = "hosted" in page.models()
    page.driver.get(address + "#/models/hosted")
    page.wait(lambda: "channel stable" in page.text("#model-details"))
    seen["origin"] = page.driver.execute_script(
        """return [...document.querySelectorAll("#model-details dt")]
          .find((term) => term.textContent === "Origin")?.nextElementSibling.textContent;""")
    seen["axe"] = page.found
    seen["console"] = page.console()
    return seen


def main() -> None:
    parser = page_arguments()
    parser.add_argument("model")
    arguments = parser.parse_args()
    with opened(arguments) as (page, _):
        json.dump(browse(page, arguments.address, arguments.model), sys.stdout)


if __name__ == "__main__":
    main()
