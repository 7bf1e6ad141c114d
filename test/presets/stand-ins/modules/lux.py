"""Stands in for the module of KeyShot: it records each picture. An exit code other than 0 makes the render fail."""

import stand_in

RENDER_OUTPUT_PNG = "png"
RENDER_OUTPUT_EXR = "exr"

frame = None


class RenderOptions:
    def setAddToQueue(self, value):
        self.is_queued = value


def getRenderOptions():
    return RenderOptions()


def setAnimationFrame(value):
    global frame
    frame = value


def renderImage(path, opts, format):
    if opts.is_queued:
        raise ValueError("the picture would only be put into the render queue")
    return stand_in.act(["lux.renderImage", path, format, "frame %d" % frame], "lux.renderImage") == 0
