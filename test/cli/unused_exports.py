#!/usr/bin/env python3
"""Every function and variable that a header of common/, ipc/ or procs/ declares is used somewhere: by the product or by a test.

    unused_exports.py SOURCE

What is declared, defined and called by nobody is read, kept correct and built for nothing. A name counts as used where it stands
inside a function other than itself, in an initializer, or in a macro. Exit 1 with the names when there are any. The check is
tried on a few lines of its own.
"""
import pathlib
import re
import sys

# Declared for programs outside this repository that link the libraries (the headers that `meson install` installs), and used by
# none of ours: name and reason. Nothing at present.
ALLOWED = {}

NOISE = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'', re.S)
TOKEN = re.compile(r"[A-Za-z_]\w*|[{}();=,\[\]]|[^\s\w]")
WORD = re.compile(r"[A-Za-z_]\w*")
PASTED = re.compile(r"\b(\w+_) *##")
NO_NAMES = {"__attribute__", "_Static_assert", "_Alignas", "_Atomic", "sizeof", "__printf__", "format", "defined"}


def without_noise(text):
    """The text without comments and literals, lines joined at backslashes."""
    return NOISE.sub(lambda m: '""' if m.group()[0] in "\"'" else " ", text.replace("\\\n", " "))


def read(text):
    """What one file declares at its top level (functions, extern variables) and which words it uses, and within which function."""
    declared, used, pasted, code = set(), set(), set(), []
    for line in without_noise(text).split("\n"):
        if line.lstrip().startswith("#"):
            if not line.lstrip().startswith("#include"):
                used.update(WORD.findall(line))
                pasted.update(PASTED.findall(line))
        else:
            code.append(line)
    depth, parens, statement, function = 0, 0, [], None
    for token in TOKEN.findall("\n".join(code)):
        if token == "{":
            if depth == 0:
                function = name_of(statement)
                if function:
                    declared.add(function)
            depth += 1
        elif token == "}":
            depth -= 1
            if depth == 0 and function:
                statement, function = [], None
        elif depth > 0:
            if token != function and WORD.match(token):
                used.add(token)
        elif token == ";":
            name = name_of(statement) or variable_of(statement)
            if name:
                declared.add(name)
            statement = []
        else:
            parens += {"(": 1, ")": -1}.get(token, 0)
            if parens > 0 or "=" in statement: # TAKE(topic, function(x)), = function
                used.add(token)
            statement.append(token)
    return declared, used, pasted


def name_of(statement):
    """Of a function's declaration: the first word before a parenthesis that is not an attribute. None: it is something else."""
    if not statement or statement[0] == "typedef" or "=" in statement:
        return None
    depth = 0
    for at, token in enumerate(statement[1:], 1):
        if token == "(" and depth == 0 and WORD.match(statement[at - 1]) and statement[at - 1] not in NO_NAMES:
            return statement[at - 1]
        depth += {"(": 1, ")": -1}.get(token, 0)
    return None


def variable_of(statement):
    if "extern" not in statement:
        return None
    words = [t for t in statement[: statement.index("[") if "[" in statement else None] if WORD.match(t)]
    return words[-1]


def unused(files):
    """Of (path, text): the names that headers outside test/ declare, and of these {name: path} that nobody uses."""
    declared, used, pasted = {}, set(), set()
    for path, text in files:
        names, words, prefixes = read(text)
        used |= words
        pasted |= prefixes
        if path.suffix == ".h" and path.parts[0] != "test":
            for name in names:
                declared.setdefault(name, path)
        if path.suffix == ".def":
            used |= names
    made = {prefix + word for prefix in pasted for word in used}
    return declared, {n: p for n, p in declared.items() if n not in used and n not in made and n not in ALLOWED}


EXAMPLE = {
    "common/a.h": "extern const int cairn_table[2];\nbool cairn_used(int cairn_arg);\n"
    "struct cairn_s *cairn_gone(const struct cairn_s *s) __attribute__((format(printf, 1, 2)));\n"
    "static inline int cairn_inline(void)\n{\n\treturn 1;\n}\nint cairn_row_one(void);\nint cairn_macro(int x);\n"
    "int cairn_self(int n); /* calls itself alone: cairn_gone() */\nextern int cairn_left;\n",
    "common/a.c": "bool cairn_used(int cairn_arg)\n{\n\treturn cairn_table[0] != cairn_arg;\n}\n"
    "struct cairn_s *cairn_gone(const struct cairn_s *s)\n{\n\treturn s; // cairn_inline, \"cairn_left\"\n}\n"
    "int cairn_self(int n)\n{\n\treturn n > 0 ? cairn_self(n - 1) : 0;\n}\n",
    "test/b.c": "#define ROW(name) cairn_row_##name()\nTAKE(topic, cairn_macro(m))\nint main(void)\n{\n"
    "\treturn cairn_used(ROW(one)) ? '\\'' : 0; /* cairn_left */\n}\n",
}


def main():
    tree = pathlib.Path(sys.argv[1])
    paths = [p for top in ("common", "ipc", "procs", "test") for p in sorted((tree / top).rglob("*"))]
    paths = [p for p in paths if p.suffix in (".c", ".h", ".def", ".cpp")]
    declared, found = unused([(p.relative_to(tree), p.read_text(errors="replace")) for p in paths])
    for name, path in sorted(found.items(), key=lambda item: (str(item[1]), item[0])):
        print(f"{path}: nobody uses {name}: remove it, or say in ALLOWED of unused_exports.py whom it is for")
    if len(declared) < 2000:
        print(f"only {len(declared)} declarations found: the check looks at the wrong place")
        return 1
    needless = [name for name in ALLOWED if name not in declared]
    if needless:
        print("ALLOWED of unused_exports.py names what no header declares:", *needless)
    example = sorted(unused([(pathlib.Path(path), text) for path, text in EXAMPLE.items()])[1])
    if example != ["cairn_gone", "cairn_inline", "cairn_left", "cairn_self"]:
        print("unused_exports.py: its own example was not judged as it should be:", *example)
        return 1
    return 1 if found or needless else 0


if __name__ == "__main__":
    sys.exit(main())
