#!/usr/bin/env python3
"""The C files that comments of common/, ipc/ and procs/ and the pages of docs/ name are there.

    named_files.py SOURCE

A comment that sends its reader to a file that was renamed or removed is worse than none. Checked are the comments of C files and
tables and the whole text of the pages: NAME.c and NAME.h with or without folders in front, and paths that begin with common/,
ipc/ or procs/, whatever they end in (without an ending: the file's name alone, or a folder). Exit 1 with place and name of each
that is missing.
"""
import pathlib
import re
import sys

TOPS = ("common", "ipc", "procs", "test")
ELSEWHERE = {  # names of files that are not ours: where they are
    "sl_lidar_cmd.h": "Slamtec/rplidar_sdk",
    "sl_lidar_protocol.h": "Slamtec/rplidar_sdk",
    "onnxruntime_c_api.h": "ONNX Runtime",
    "linux/sched/types.h": "the kernel",
    "contact_sheet.c": "the reader's own program in docs/consumers.md",
}
COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.S)
INCLUDE = re.compile(r"#include [<\"][^>\"\n]*[>\"]")  # of an example in a page
FILE = re.compile(r"(?<![\w./~-])(\w[\w./-]*\.[ch])(?![\w.(-])")
PATH = re.compile(r"(?<![\w./~-])((?:common|ipc|procs)/[\w./-]*\w)")


def named_in(path, text):
    """(line, name) of each file that the text names."""
    parts = [(0, text)] if path.suffix == ".md" else [(m.start(), m.group()) for m in COMMENT.finditer(text)]
    for start, part in parts:
        part = INCLUDE.sub(lambda m: " " * len(m.group()), part)
        for found in sorted({(m.start(), m.group(1)) for rule in (FILE, PATH) for m in rule.finditer(part)}):
            yield text.count("\n", 0, start + found[0]) + 1, found[1]


def missing(tree, pages):
    """Lines that say what is named and not there, and the number of names looked at."""
    there = set()  # every path and every end of one, with the file's ending and without; and the folders
    for top in TOPS:
        for path in (tree / top).rglob("*"):
            parts = path.relative_to(tree).parts
            there.update("/".join(parts[at:]) for at in range(len(parts)))
            there.add("/".join(parts).rpartition(".")[0])
    lines, count = [], 0
    for path, text in pages:
        for line, name in named_in(path, text):
            count += 1
            ours = name not in ELSEWHERE and name.rpartition("/")[2] not in ELSEWHERE and "NAME" not in name
            if ours and name not in there:
                lines.append(f"{path}:{line}: there is no {name}")
    return lines, count


def main():
    tree = pathlib.Path(sys.argv[1])
    paths = [p for top in TOPS[:3] for p in sorted((tree / top).rglob("*")) if p.suffix in (".c", ".h", ".def")]
    paths += sorted((tree / "docs").rglob("*.md"))
    pages = [(p.relative_to(tree), p.read_text(errors="replace")) for p in paths]
    lines, count = missing(tree, pages)
    if count < 500:
        lines.append(f"only {count} names found: the check looks at the wrong place")
    print("\n".join(lines), end="\n" if lines else "")

    # It does notice, in comments and pages alone.
    example = [
        (pathlib.Path("a.c"), "/* (motor_gate.c, gone.c)\n * common/safety/gone */\nchar *s = \"no_comment.c\"; // lost.h\n"),
        (pathlib.Path("b.md"), "`motor_gate.c`, `common/safety`\n`slam/gone.c`, x.cpp\n#include <stdio.h>\n"),
    ]
    noticed = ["a.c:1: there is no gone.c", "a.c:2: there is no common/safety/gone", "a.c:3: there is no lost.h",
               "b.md:2: there is no slam/gone.c"]
    if missing(tree, example)[0] != noticed:
        print("named_files.py: its own example was not judged as it should be:", *missing(tree, example)[0], sep="\n  ")
        return 1
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
