"""The product's settings for a test run: a key, plain HTTP, and a data folder that is thrown away."""

import atexit
import os
import shutil
import tempfile

os.environ.setdefault("SECRET_KEY", "a-key-for-tests-only-that-is-long-enough-0123456789")
os.environ.setdefault("FX_HTTPS", "0")
if "FX_DATA_DIR" not in os.environ:
    os.environ["FX_DATA_DIR"] = tempfile.mkdtemp(prefix="fx-planner-tests-")
    atexit.register(shutil.rmtree, os.environ["FX_DATA_DIR"], ignore_errors=True)

from webapp.settings import *  # noqa: F403
