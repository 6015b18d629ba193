"""Reads an SQL file of the comparison harness: its statements, their COPY data, and what its comments ask for.

A comment line right before a statement may hold words that change how the answers are compared:

    -- float       floating-point values may differ by 1e-12 relative
    -- position    an error's position must be PostgreSQL's too
    -- message     an error's message must be PostgreSQL's too
    -- detail      an error's detail must be PostgreSQL's too
    -- hint        an error's hint must be PostgreSQL's too
    -- context     an error's context, the lines that say where in which routine, must be PostgreSQL's too
    -- objects     the schema, table, column, type and constraint that an error names must be PostgreSQL's too
    -- internal    the statement within a routine that an error shows, and the position in it, must be PostgreSQL's too
    -- notices     the notices and warnings must be PostgreSQL's too: SQLSTATE, message, and what other words ask of errors
    -- multiset    the order of rows is open although ORDER BY is there (ties)

"-- file: position message" at the top asks the same of every statement of the file. Other comments are only comments.
The lines after COPY ... FROM STDIN, up to one that is just "\\.", are the data of that COPY.
"""
import dataclasses
import re

WORDS = frozenset(("float", "position", "message", "detail", "hint", "context", "objects", "internal", "notices", "multiset"))
COPY_IN = re.compile(r"\s*copy\b.*\bfrom\s+stdin\b", re.IGNORECASE | re.DOTALL)
TOKEN = re.compile(
    r"""
      (?P<line_comment>--[^\n]*)
    | (?P<block_comment>/\*)
    | (?P<escape_string>\b[eE]'(?:[^'\\]|\\.|'')*')
    | (?P<string>'(?:[^']|'')*')
    | (?P<name>"(?:[^"]|"")*")
    | (?P<dollar>\$(?P<tag>[A-Za-z_]\w*|)\$.*?\$(?P=tag)\$)
    | (?P<word>[A-Za-z_]\w*)
    | (?P<open>[(\[])
    | (?P<close>[)\]])
    | (?P<end>;)
    | (?P<other>.)
    """,
    re.VERBOSE | re.DOTALL,
)


@dataclasses.dataclass(frozen=True)
class Statement:
    text: str
    line: int
    words: frozenset = frozenset()
    copy_data: bytes | None = None
    ordered: bool = False


def tokens(text: str, start: int = 0):
    """(kind, start, end) of each token; nested block comments are one token."""
    position = start
    while position < len(text):
        match = TOKEN.match(text, position)
        kind, end = match.lastgroup, match.end()
        if match.group("dollar") is not None:
            kind = "dollar"
        if kind == "block_comment":
            depth = 1
            while depth and end < len(text):
                if text.startswith("/*", end):
                    depth, end = depth + 1, end + 2
                elif text.startswith("*/", end):
                    depth, end = depth - 1, end + 2
                else:
                    end += 1
        yield kind, position, end
        position = end


def is_ordered(text: str) -> bool:
    """Whether ORDER BY stands at the top level of the statement."""
    depth, previous = 0, ""
    for kind, start, end in tokens(text):
        if kind == "open":
            depth += 1
        elif kind == "close":
            depth -= 1
        elif kind == "word":
            word = text[start:end].lower()
            if depth == 0 and previous == "order" and word == "by":
                return True
            previous = word
    return False


def parse(text: str) -> list[Statement]:
    """The statements of a file, in order."""
    found, asked, file_words = [], set(), set()
    begin, position, depth = None, 0, 0  # depth: of BEGIN ATOMIC, and of CASE in it
    while position < len(text):
        for kind, start, end in tokens(text, position):
            if kind == "line_comment" and begin is None:
                words = text[start + 2 : end].split()
                if words[:1] == ["file:"]:
                    file_words |= WORDS & set(words[1:])
                elif words and set(words) <= WORDS:
                    asked |= set(words)
            elif kind == "end" and begin is not None and depth == 0:
                body = text[begin:start]
                data = None
                if COPY_IN.match(body):
                    end = text.index("\n", end) + 1
                    stop = end if text.startswith("\\.\n", end) else text.index("\n\\.\n", end) + 1
                    data, end = text[end:stop].encode(), stop + len("\\.\n")
                line = text.count("\n", 0, begin) + 1
                found.append(Statement(body, line, frozenset(asked | file_words), data, is_ordered(body)))
                asked, begin, position = set(), None, end
                break
            elif kind == "end" or (kind == "other" and text[start].isspace()) or kind == "block_comment":
                continue
            elif kind != "line_comment":
                begin = start if begin is None else begin
                word = text[start:end].lower() if kind == "word" else ""
                if word == "atomic" and text[begin:start].lower().rstrip().endswith("begin") or word == "case" and depth > 0:
                    depth += 1
                elif word == "end" and depth > 0:
                    depth -= 1
        else:
            if begin is not None:
                line = text.count("\n", 0, begin) + 1
                raise ValueError(f"line {line}: the last statement of the file has no semicolon")
            break
    return found
