# SPDX-License-Identifier: GPL-2.0
"""A program that runs and was not prepared loads the module coroprof, as Python 3.14 lets another process ask for.
usage: python-attach.py FOLDER-OF-MODULE MOCK LOG"""
import os
import subprocess
import sys

PROGRAM = """
import asyncio, sys
async def light():
    for _ in range(3):
        await asyncio.sleep(0)
async def main():
    print("runs", flush=True)
    while "coroprof" not in sys.modules:
        await asyncio.sleep(0.001)
    # What runs as the module is loaded is known from its next step.
    await asyncio.sleep(0.001)
    await asyncio.gather(light(), light())
asyncio.run(main())
sys.exit(9)
"""

folder, mock, log = sys.argv[1:]
file = f"{log}.attach.py"
with open(file, "w", encoding="utf-8") as to:
    to.write(f"import sys; sys.path.insert(0, {folder!r}); import coroprof\n")
environment = os.environ | {"LD_PRELOAD": mock, "MOCK_RECORD": "1", "MOCK_LOG": log}
with subprocess.Popen([sys.executable, "-c", PROGRAM], env=environment, stdout=subprocess.PIPE, text=True) as program:
    try:
        program.stdout.readline()
        sys.remote_exec(program.pid, file)
        print("status", program.wait(60))
    finally:
        program.kill()
