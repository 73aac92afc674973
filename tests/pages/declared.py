"""Concept class -> its page, as the pages declare it."""

from pages.shared.frame.sitemap import classes
from pages.shared.page.declaration import declared

DECLARED = {page.concept: page for page in (declared(file) for _, file in classes())}
FILES = {declared(file).concept: file for _, file in classes()}
