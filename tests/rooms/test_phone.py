"""The page of a phone: small, one text, and nothing in it from elsewhere."""

import gzip
import re
from html.parser import HTMLParser

from pages.shared.room import web

MOST = 30_000  # bytes, compressed


class Elements(HTMLParser):
    def __init__(self, page):
        super().__init__()
        self.tags, self.ids, self.labelled = [], [], set()
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        self.tags.append((tag, given))
        self.ids += [given["id"]] if "id" in given else []


def test_a_phone_is_sent_one_small_text():
    page = web.page()
    assert len(gzip.compress(page.encode(), 9)) < MOST
    tags = Elements(page).tags
    assert not [
        tag for tag, given in tags if tag == "link" and not given["href"].startswith("data:")
    ]
    assert not [tag for tag, given in tags if "src" in given]
    assert set(re.findall(r"https?://[^\s\"'`)]+", page)) == {"http://www.w3.org/2000/svg"}


def test_the_program_finds_every_part_of_the_page_and_writes_no_markup():
    page = web.page()
    ids = Elements(page).ids
    assert len(ids) == len(set(ids))
    program = page[page.index("<script>") :]
    asked = set(re.findall(r"""\$\("([\w-]+)"\)""", program)) | set(
        re.findall(r"""\bwrite\("([\w-]+)\"""", program)
    )
    assert len(asked) > 10
    assert asked <= {*ids}
    # Texts of others are set as text.
    assert not re.search(r"innerHTML|outerHTML|insertAdjacent|document\.write|\beval\b", program)
