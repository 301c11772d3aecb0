#!/usr/bin/env python3
"""Puts the files of a folder into a C file, for procs/web/page.h.

embed.py --list FOLDER          their paths, one a line
embed.py OUT FILE...            writes OUT
"""
import os
import sys

TYPES = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".webmanifest": "application/manifest+json",
}


def wanted(folder):
    return sorted(os.path.join(folder, n) for n in os.listdir(folder) if os.path.splitext(n)[1] in TYPES)


def write(out, files):
    with open(out, "w", encoding="ascii") as c:
        c.write('#include "procs/web/page.h"\n\n')
        for i, path in enumerate(files):
            with open(path, "rb") as f:
                data = f.read()
            c.write(f"static const unsigned char file_{i}[] = {{\n")
            for k in range(0, len(data), 24):
                c.write("".join(f"{b}," for b in data[k:k + 24]) + "\n")
            c.write("0};\n")
        c.write("\nconst struct web_page_file web_page_files[] = {\n")
        for i, path in enumerate(files):
            name = os.path.basename(path)
            kind = TYPES[os.path.splitext(name)[1]]
            c.write(f'\t{{"{name}", "{kind}", file_{i}, sizeof(file_{i}) - 1}},\n')
        c.write("};\nconst int web_page_count = sizeof(web_page_files) / sizeof(web_page_files[0]);\n")


if sys.argv[1] == "--list":
    print("\n".join(wanted(sys.argv[2])))
else:
    write(sys.argv[1], sys.argv[2:])
