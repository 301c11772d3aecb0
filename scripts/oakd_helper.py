#!/usr/bin/env python3
"""An OAK-D camera for the stage camera-bridge: colour, and depth that lies on it (docs/cameras.md).

    pip install 'depthai>=3'
    oakd_helper.py /run/cairn-camera --size 640x400 --fps 15

UNTRIED: written by the documentation of depthai 3 and run against a stand-in for it; no such camera has been connected.

Socket: a listening stream socket; one reader at a time, which gets each pair with the time of its exposure. A camera that is unplugged is
looked for again, every two seconds. Its IMU is not told: the base has one.
"""
import argparse
import sys
import time

from camera_helper import HEADER, MAGIC, VERSION, listen

RGB, DEPTH = 4, 3
SEND_S = 1.0
AGAIN_S = 2.0


class Reader:
    """The other end of the socket, if there is one."""

    def __init__(self, path):
        self.listener = listen(path)
        self.listener.setblocking(False)
        self.reader, self.sequence = None, 0

    def look(self):
        """The newest who has connected; the one before is let go."""
        try:
            newest, _ = self.listener.accept()
        except BlockingIOError:
            return
        if self.reader is not None:
            self.reader.close()
        newest.settimeout(SEND_S)
        self.reader = newest

    def send(self, pictures):
        """(format, width, height, bytes of a row, monotonic ns, payload) of each."""
        self.look()
        if self.reader is None:
            return
        self.sequence += 1
        try:
            for kind, width, height, stride, t_ns, payload in pictures:
                self.reader.sendall(HEADER.pack(MAGIC, VERSION, kind, width, height, stride, t_ns, self.sequence, len(payload)))
                self.reader.sendall(payload)
        except OSError:  # gone, or too slow for a second
            self.reader.close()
            self.reader = None


def start(dai, pipeline, size, fps):
    """Colour and the depth on it, in pairs; the queue of them."""
    colour = pipeline.create(dai.node.Camera).build(dai.CameraBoardSocket.CAM_A)
    left = pipeline.create(dai.node.Camera).build(dai.CameraBoardSocket.CAM_B)
    right = pipeline.create(dai.node.Camera).build(dai.CameraBoardSocket.CAM_C)
    stereo = pipeline.create(dai.node.StereoDepth)
    pairs = pipeline.create(dai.node.Sync)
    # Without distortion: cairn takes a camera for a pinhole.
    picture = colour.requestOutput(size, dai.ImgFrame.Type.RGB888i, fps=fps, enableUndistortion=True)
    left.requestOutput((640, 400), fps=fps).link(stereo.left)
    right.requestOutput((640, 400), fps=fps).link(stereo.right)
    stereo.setLeftRightCheck(True)  # alignment needs it
    picture.link(stereo.inputAlignTo)
    picture.link(pairs.inputs["colour"])
    stereo.depth.link(pairs.inputs["depth"])
    queue = pairs.out.createOutputQueue(maxSize=2, blocking=False)
    pipeline.start()
    return queue


def monotonic_ns(dai, frame):
    """Exposure by CLOCK_MONOTONIC: depthai tells it by a clock of its own on this host."""
    age = dai.Clock.now() - frame.getTimestamp()
    return time.clock_gettime_ns(time.CLOCK_MONOTONIC) - int(age.total_seconds() * 1e9)


def pair(dai, group):
    """Both as the socket has them. Depth of another size than the picture lies on nothing, and is an error."""
    colour, depth = group["colour"].getFrame(), group["depth"].getFrame()
    height, width = colour.shape[:2]
    if tuple(depth.shape[:2]) != (height, width):
        raise ValueError(f"depth of {depth.shape[1]} x {depth.shape[0]} does not lie on a picture of {width} x {height}")
    t_ns = monotonic_ns(dai, group["colour"])
    return [(RGB, width, height, 3 * width, t_ns, colour.tobytes()), (DEPTH, width, height, 2 * width, t_ns, depth.tobytes())]


def serve(dai, path, size, fps):
    reader, said = Reader(path), None
    while True:
        try:
            with dai.Pipeline() as pipeline:
                queue = start(dai, pipeline, size, fps)
                said = None
                print("oakd_helper: the camera runs", file=sys.stderr, flush=True)
                while pipeline.isRunning():
                    reader.send(pair(dai, queue.get()))
        except RuntimeError as why:  # as depthai has it: no device, or one that was unplugged
            if str(why) != said:
                print(f"oakd_helper: {why}; looking again every {AGAIN_S:g} s", file=sys.stderr, flush=True)
            said = str(why)
        time.sleep(AGAIN_S)


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n")[0], epilog="UNTRIED with a camera.")
    arguments.add_argument("socket")
    arguments.add_argument("--size", default="640x400", help="of the pictures, WIDTHxHEIGHT")
    arguments.add_argument("--fps", type=float, default=15.0, help="pairs a second; on USB 2 the line carries about 15 of the default size")
    given = arguments.parse_args()
    try:
        width, height = (int(part) for part in given.size.split("x"))
    except ValueError:
        sys.exit(f"oakd_helper: --size: '{given.size}' is not WIDTHxHEIGHT")
    try:
        import depthai
    except ImportError:
        sys.exit("oakd_helper: no module depthai: pip install 'depthai>=3'")
    try:
        serve(depthai, given.socket, (width, height), given.fps)
    except ValueError as why:
        sys.exit(f"oakd_helper: {why}")
    except KeyboardInterrupt:
        pass


if __name__ == "__main__":
    main()
