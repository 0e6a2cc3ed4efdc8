"""`python -m pbm.rules.abalone.protocol` is `pbm-rules`."""

import sys

from pbm.rules.abalone.protocol.program import main

sys.exit(main())
