"""`python -m agent_trust_registry` is `atr-verify`."""

import sys

from .cli import main

sys.exit(main())
