"""Style sheets: what a rule may not do to every visitor's browser."""

import re
from itertools import accumulate
from pathlib import Path

PAGES = Path(__file__).parents[2] / "pages"

# With `:has` on what holds everything, each change anywhere restyles everything: measured at more
# than half of the time that a page took to open.
RESTYLES = re.compile(
    r'(?:\bhtml|\bbody|:root|#root|\[data-testid="stApp(?:ViewContainer)?"\])[^\s,{]*:has\('
)


def test_no_rule_restyles_the_whole_page_at_every_change():
    sheets = list(PAGES.rglob("*.css"))
    assert len(sheets) > 4
    for sheet in sheets:
        rules = re.sub(r"/\*.*?\*/", "", sheet.read_text(encoding="utf-8"), flags=re.DOTALL)
        assert not RESTYLES.search(rules), sheet.name
        # One brace too many, and the next rule is lost.
        depths = list(accumulate({"{": 1, "}": -1}.get(sign, 0) for sign in rules))
        assert min(depths) == depths[-1] == 0, sheet.name


def test_such_a_rule_is_noticed():
    assert RESTYLES.search('html:has(#pv-page[data-mode="present"]) { font-size: 2em; }')
    assert RESTYLES.search('[data-testid="stApp"]:has(#pv-page) h1 { padding: 0; }')
    assert not RESTYLES.search('[data-testid="stSlider"]:has(input:disabled) { color: inherit; }')
