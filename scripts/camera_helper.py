#!/usr/bin/env python3
"""Any camera that a program can make JPEGs of, for the stage camera-bridge (docs/cameras.md).

    ffmpeg -loglevel error -f v4l2 -input_format mjpeg -i /dev/video0 -c copy -f mjpeg - | camera_helper.py RUN/dev/camera

Standard input: JPEGs one behind the other. Socket: a listening stream socket; one reader at a time, which gets the newest picture
with the time at which it had arrived here. Ends with its input.
"""
import os
import select
import socket
import stat
import struct
import sys
import time

START, END = b"\xff\xd8\xff", b"\xff\xd9"
LARGEST = 16 << 20
HEADER = struct.Struct("<IHHIIIQII")  # magic, version, format, width, height, stride, monotonic ns, sequence, payload bytes
MAGIC, VERSION, JPEG = 0x4D414343, 1, 1


def size_of(jpeg):
    """Width and height from the frame header (SOF0 to SOF2) of a JPEG; None when there is none."""
    at = 2
    while at + 9 < len(jpeg) and jpeg[at] == 0xFF:
        marker, length = jpeg[at + 1], int.from_bytes(jpeg[at + 2:at + 4], "big")
        if marker in (0xC0, 0xC1, 0xC2):
            return int.from_bytes(jpeg[at + 7:at + 9], "big"), int.from_bytes(jpeg[at + 5:at + 7], "big")
        at += 2 + length
    return None


def cut(buffer):
    """The newest whole JPEG in the buffer, or None; what is before its end is taken out."""
    newest = None
    while True:
        start = buffer.find(START)
        end = buffer.find(END, start + 3) if start >= 0 else -1
        if end < 0:
            if start > 0:
                del buffer[:start]
            return newest
        newest = bytes(buffer[start:end + 2])
        del buffer[:end + 2]


def listen(path):
    """A listening socket at path, in place of one that a helper before left there. Anything else there is left as it is."""
    if os.path.lexists(path):
        if not stat.S_ISSOCK(os.lstat(path).st_mode):
            sys.exit(f"{path}: is no socket, and is left as it is; name a path that is free")
        os.unlink(path)
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    listener.bind(path)
    listener.listen(1)
    return listener


def serve(path):
    listener = listen(path)
    reader, buffer, sequence = None, bytearray(), 0
    while True:
        ready, _, _ = select.select([0, listener], [], [])
        if listener in ready:
            if reader is not None:
                reader.close()
            reader, _ = listener.accept()
            reader.settimeout(1.0)
        if 0 not in ready:
            continue
        data = os.read(0, 1 << 20)
        if not data:
            return
        buffer += data
        jpeg = cut(buffer)
        if len(buffer) > LARGEST:
            sys.exit("camera_helper.py: no end of a picture in 16 MB: standard input is no MJPEG")
        size = size_of(jpeg) if jpeg is not None else None
        if size is None or reader is None:
            continue
        sequence += 1
        head = HEADER.pack(MAGIC, VERSION, JPEG, *size, 0, time.clock_gettime_ns(time.CLOCK_MONOTONIC), sequence, len(jpeg))
        try:
            reader.sendall(head + jpeg)
        except OSError:  # gone, or too slow for a second
            reader.close()
            reader = None


if __name__ == "__main__":
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    try:
        serve(sys.argv[1])
    except KeyboardInterrupt:
        pass
