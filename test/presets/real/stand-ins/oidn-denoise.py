"""Takes the place of oidnDenoise, which Debian does not have: copies the picture, and wants those that are named."""

import os
import shutil
import sys

arguments = sys.argv[1:]
values = dict(zip(arguments[::2], arguments[1::2]))
for option in ("--hdr", "--alb", "--nrm"):
    if option in values and not os.path.getsize(values[option]) > 0:
        sys.exit("Error: %s is empty" % values[option])
print("Denoising")
shutil.copyfile(values["--hdr"], values["-o"])
