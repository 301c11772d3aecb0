"""A stand-in for depthai 3, as far as scripts/oakd_helper.py uses it: names, arguments and what links to what are those of its documentation,
and anything else is an error. Pictures are made up: a grey that changes, and depth that is 1500 mm with a hole.

OAKD=absent: there is no device. OAKD=unplugged: gone after 20 pairs, and there again at the next try. OAKD=narrow: depth of another size.
"""
import os
import time
from datetime import timedelta

KIND = os.environ.get("OAKD", "")
opened = 0


class CameraBoardSocket:
    CAM_A, CAM_B, CAM_C = "CAM_A", "CAM_B", "CAM_C"


class Clock:
    @staticmethod
    def now():
        return timedelta(seconds=time.monotonic() - 1000.0)  # a clock of its own


class Array:
    """What the helper uses of a numpy.ndarray."""

    def __init__(self, data, *shape):
        assert len(data) == shape[0] * shape[1] * (shape[2] if len(shape) > 2 else 2)
        self.data, self.shape = data, shape

    def tobytes(self):
        return self.data


class ImgFrame:
    class Type:
        RGB888i = "RGB888i"

    def __init__(self, array, t):
        self.array, self.t = array, t

    def getFrame(self):
        return self.array

    def getTimestamp(self):
        return self.t


class Input:
    def __init__(self):
        self.source = None


class Output:
    def __init__(self, node, size=None):
        self.node, self.size = node, size

    def link(self, to):
        assert isinstance(to, Input) and to.source is None
        to.source = self

    def createOutputQueue(self, maxSize=16, blocking=False):
        assert isinstance(self.node, node.Sync) and not blocking
        return Queue(self.node, maxSize)


class Queue:
    def __init__(self, sync, maxSize):
        self.sync, self.count = sync, 0

    def get(self):
        pipeline = self.sync.pipeline
        assert pipeline.started
        colour, depth = self.sync.inputs["colour"].source, self.sync.inputs["depth"].source
        stereo = depth.node
        assert stereo.inputAlignTo.source is colour and stereo.checked
        assert stereo.left.source.node.socket == "CAM_B" and stereo.right.source.node.socket == "CAM_C"
        assert colour.node.socket == "CAM_A"
        time.sleep(1.0 / colour.fps)
        self.count += 1
        if KIND == "unplugged" and opened == 1 and self.count > 20:
            raise RuntimeError("Communication exception: device was disconnected")
        width, height = colour.size
        grey = bytes([self.count % 251]) * (width * height * 3)
        if KIND == "narrow":
            height //= 2
        far = (1500).to_bytes(2, "little") * (width * height - 1) + self.count.to_bytes(2, "little")
        t = Clock.now() - timedelta(milliseconds=30)
        return {"colour": ImgFrame(Array(grey, colour.size[1], width, 3), t), "depth": ImgFrame(Array(far, height, width), t)}


class Node:
    def __init__(self, pipeline):
        self.pipeline = pipeline


class node:
    class Camera(Node):
        def build(self, socket):
            self.socket = socket
            return self

        def requestOutput(self, size, type=None, fps=None, enableUndistortion=None):
            assert type in (None, ImgFrame.Type.RGB888i) and fps > 0
            out = Output(self, size)
            out.fps = fps
            return out

    class StereoDepth(Node):
        def __init__(self, pipeline):
            super().__init__(pipeline)
            self.left, self.right, self.inputAlignTo, self.depth, self.checked = Input(), Input(), Input(), Output(self), False

        def setLeftRightCheck(self, on):
            self.checked = on

    class Sync(Node):
        def __init__(self, pipeline):
            super().__init__(pipeline)
            self.inputs, self.out = {"colour": Input(), "depth": Input()}, Output(self)


class Pipeline:
    def __init__(self):
        global opened
        if KIND == "absent":
            raise RuntimeError("No available devices")
        opened += 1
        self.started = False

    def __enter__(self):
        return self

    def __exit__(self, *_):
        return False

    def create(self, kind):
        return kind(self)

    def start(self):
        self.started = True

    def isRunning(self):
        return self.started
