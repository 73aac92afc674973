"""Take it away: everything that leaves the page as a file, a text or a command."""

from pages.shared.takeaway.section import PARTS, credit, show

__all__ = ["PARTS", "credit", "show"]
