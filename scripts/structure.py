#!/usr/bin/env python3
"""Figures of the structure of the code, for docs/architecture.md: structure.py [TREE] (default: this one).

lines: C of the product (common, ipc, procs) and of test; words: docs and README without the generated pages
circles: groups of folders of common/ that include each other, through any number of files
upward: includes from a folder of common/ to one above it in the order of common/meson.build (test layers)
members: of the largest struct that is not a message or a table row
callbacks: functions of procs/ that the loop of a stage calls, written by hand (int NAME(void *ctx))
"""
import pathlib
import re
import sys

tree = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parent.parent)


def files(top, *suffixes):
    return sorted(p for p in (tree / top).rglob("*") if p.suffix in suffixes and p.is_file())


def text_of(path):
    return path.read_text(errors="replace")


product = [p for top in ("common", "ipc", "procs") for p in files(top, ".c", ".h", ".def")]
tests = files("test", ".c", ".h")
docs = [p for p in [*files("docs", ".md"), tree / "README.md"] if p.name not in ("bus.md", "config.md")]


def lines(paths):
    return sum(text_of(p).count("\n") for p in paths)


def folder_of(name):
    return name.rsplit("/", 1)[0]


includes = {}  # folder -> folders
for path in product:
    here = folder_of(str(path.relative_to(tree)))
    for name in re.findall(r'^#include "((?:common|ipc|procs)/[^"]+)"', text_of(path), re.M):
        if folder_of(name) != here:
            includes.setdefault(here, set()).add(folder_of(name))


def reached(start):
    seen, todo = set(), [start]
    while todo:
        for there in includes.get(todo.pop(), ()):
            if there not in seen:
                seen.add(there)
                todo.append(there)
    return seen


def circles():
    groups = set()
    for folder in includes:
        group = frozenset([folder]) | {f for f in reached(folder) if folder in reached(f)}
        if len(group) > 1:
            groups.add(frozenset(group))
    return groups


def largest_struct():
    best = (0, "")
    for path in product:
        if path.suffix == ".def":
            continue
        for name, body in re.findall(r"^(?:static )?struct (\w+) \{\n(.*?)^\}", text_of(path), re.S | re.M):
            plain = re.sub(r"\{[^{}]*\}", "", re.sub(r"/\*.*?\*/", "", body, flags=re.S))
            count = sum(part.count(",") + 1 for part in plain.split(";")[:-1])
            best = max(best, (count, name))
    return best


order = re.findall(r"^  '([\w/]+)',", text_of(tree / "common/meson.build"), re.M) if (tree / "common/meson.build").exists() else []
rank = {f"common/{name}": i for i, name in enumerate(order)}
upward = sum(1 for a, bs in includes.items() for b in bs if a in rank and b in rank and rank[b] > rank[a])
by_hand = sum(len(re.findall(r"^(?:static )?int \w+\(void \*ctx\)\n\{", text_of(p), re.M)) for p in files("procs", ".c"))
large = [p for p in product + tests if text_of(p).count("\n") > 500]
count, name = largest_struct()
print(f"lines of C, product        {lines(product)}")
print(f"lines of C, tests          {lines(tests)}")
print(f"words of docs              {sum(len(text_of(p).split()) for p in docs)}")
print(f"circles between folders    {len(circles())}" + "".join(f"  ({', '.join(sorted(g))})" for g in circles()))
print(f"upward includes            {upward if order else 'no order'}")
print(f"members, largest struct    {count} ({name})")
print(f"C files over 500 lines     {len([p for p in large if p.suffix != '.def'])}")
print(f"callbacks by hand          {by_hand}")
