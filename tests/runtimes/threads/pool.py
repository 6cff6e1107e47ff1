# SPDX-License-Identifier: GPL-2.0
# An executor of Python: its threads run loops of known length, one after the other.
import concurrent.futures
import ctypes
import os
import sys

spin = ctypes.CDLL(os.path.join(os.path.dirname(__file__), "spin.so")).spin
with concurrent.futures.ThreadPoolExecutor(2) as pool:
    list(pool.map(spin, [2000000] * 10))
sys.exit(7)
