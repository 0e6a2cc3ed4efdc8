"""`python -m pbm.rules.abalone.matches` is `pbm-engine`."""

import sys

from pbm.rules.abalone.matches.program import main

sys.exit(main())
