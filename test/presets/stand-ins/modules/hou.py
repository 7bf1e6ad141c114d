"""Stands in for the module of Houdini: records the calls that matter, and fires the events of a render."""

import os
import select
import signal
from stand_in import act


class Error(Exception):
    pass


class OperationFailed(Error):
    pass


class hipFile:
    @staticmethod
    def load(path, suppress_save_prompt, ignore_load_warnings):
        if act(["hou.load", path], "hou.load") != 0:
            raise OperationFailed("The attempted operation failed.")


class takes:
    @staticmethod
    def findTake(name):
        return None if name == "missing" else name

    @staticmethod
    def setCurrentTake(take):
        act(["hou.take", take], "hou.take")


class ropRenderEventType:
    PostFrame = "post-frame"


class Node:
    def __init__(self, path):
        self.path = path
        self.callbacks = []

    def addRenderEventCallback(self, callback):
        self.callbacks.append(callback)

    def removeRenderEventCallback(self, callback):
        self.callbacks.remove(callback)

    def render(self, frame_range, ignore_inputs=False, verbose=False, output_progress=False):
        code = act(["hou.render", self.path, "%d-%d:%d" % tuple(frame_range), str(ignore_inputs)], "hou.render")
        if code == 2:
            die_after_this_task()
        elif code != 0:
            raise OperationFailed("The attempted operation failed.")
        for frame in range(frame_range[0], frame_range[1] + 1, frame_range[2]):
            for callback in self.callbacks:
                callback(self, ropRenderEventType.PostFrame, frame)


def die_after_this_task():
    """Kills this process when the reader of its output, which is the task, has gone."""
    program = os.getpid()
    if os.fork() == 0:
        poll = select.poll()
        poll.register(1, 0)
        poll.poll()
        os.kill(program, signal.SIGKILL)
        os._exit(0)


def node(path):
    return None if path == "/out/missing" else Node(path)


def putenv(name, value):
    act(["hou.putenv", name, value], "hou.putenv")
