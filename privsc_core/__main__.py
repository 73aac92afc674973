"""`python -m privsc_core …` is `privsc …`."""

import sys

from privsc_core.cli import main

if __name__ == "__main__":
    sys.exit(main())
