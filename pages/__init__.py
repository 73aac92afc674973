"""The pages, one script each, and what they share.

Sessions that begin together on a new server run their scripts in threads. One that asks for a module
of a package while another still runs what the package begins with may wait for it in a circle, which
Python ends with an error in one of them. So packages that begin with modules of their own are loaded
here, whole, and every script says ``import pages`` first: that waits until this is done, where to ask
for a part of ``pages`` would not.
"""

import privsc_core.draw
import privsc_core.export
import privsc_core.sweep  # noqa: F401 - see above
from privsc_core import catalog

catalog.load()
