"""Tests that need no server. They run on `src`, or with PLACAR_INSTALLED on what is installed."""
import os
import sys
from pathlib import Path

if not os.environ.get("PLACAR_INSTALLED"):
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "src"))
