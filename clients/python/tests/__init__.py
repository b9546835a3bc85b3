"""Tests without a Placar server. They import from `src`, or the installed package if PLACAR_INSTALLED is set."""
import os
import sys
from pathlib import Path

if not os.environ.get("PLACAR_INSTALLED"):
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "src"))
