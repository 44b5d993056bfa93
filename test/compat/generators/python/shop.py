"""The fourteen steps, for both Python clients: what each must show, and how it is reported."""

import os
import sys

BASE_URL = os.environ["BASE_URL"]
TOKEN = os.environ["TOKEN"]
ADMIN_KEY = os.environ["ADMIN_KEY"]
ACCOUNT = os.environ["ACCOUNT"]


def step(name, action):
    """Runs one step and prints its outcome."""
    try:
        action()
        print(f"ok {name}", flush=True)
    except Exception as error:  # every failure is a finding
        words = " ".join(f"{type(error).__name__}: {error}".split())
        print(f"no {name}: {words[:300]}", flush=True)


def same(found, wanted):
    if found != wanted:
        raise AssertionError(f"{found!r} is not {wanted!r}")


sys.stdout.reconfigure(line_buffering=True)
