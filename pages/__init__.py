"""The pages, one script each, and what they share.

Sessions that begin together run scripts in threads of their own. One that asks for a module of a
package while another still runs what the package begins with may wait for it in a circle, which Python
ends with an error in one of them. Here all begin: so packages that load modules are loaded here, whole,
before any thread can ask for a part.
"""

import privsc_core.draw
import privsc_core.export
import privsc_core.sweep  # noqa: F401 - see above
