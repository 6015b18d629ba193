"""Where a server's busiest thread spends its time, by room: reads what `perf record -g` of the process has left.

    perf record -F 5000 -g -p PID -o perf.data -- sleep 10      while a benchmark runs
    build/venv/bin/python benchmarks/oltp/rooms.py perf.data

A sample belongs to the room of the function at its top; of the C library, to that of the next one below that has a room; system calls
are told apart by what they are for. The busiest thread of a run with one client is the session's.
"""
import argparse
import collections
import re
import subprocess

# The first that matches a function's name, without the outermost namespace.
ROOMS = {
    "index": r"KeyHints|Index(Tree|Page|Cursor|Source)|storage::find(Suffix|Prefix|Position|Child)|KeyEncoder|EncodedKey|TableIndex|LookupSource|TupleSource::(take|open|claim)|readShape",
    "statistics": r"Statistics|ReservoirSample|HyperLogLog|value_hash|countChange|[sS]ampleRow|encodeSample",
    "relation": r"storage::Relation|Leaf|findEntry|readPageType|readValue|BufferManager|Frame\b|VersionedLatch|RowBefore",
    "log": r"wal::|PageChange|PageLog",
    "versions, transactions": r"txn::|SessionTransaction|EpochManager|LockManager",
    "execution around generated code": r"codegen::.*(Execution|Step|Source|Sink|Target|Buffer|Morsel|CodeUnit|Aggregation|JoinTable|Insert|Change)|RuntimeObject|QueryProgram",
    "statements of routines": r"server::(RoutineCall|QueryRun|Planner|ParkedExecutions|CompiledRoutine|HeldRows|PieceResult|TableUses)|RoutineFrame|rt::|plpgsql",
    "protocol, session": r"server::",
    "expressions, types": r"sql::|StringValue|Numeric|codegen::",
}
FRAMES_BELOW = 5  # of the C library that are asked for a room


def room_of(function: str) -> str | None:
    return next((room for room, pattern in ROOMS.items() if re.search(pattern, function)), None)


def classify(stack: list[tuple[str, str]]) -> str:
    """`stack`: functions and the files that they are in, innermost first."""
    function, file = stack[0]
    if any(re.match(r"__x64_sys_(send|recv|poll)", name) for name, _ in stack):
        return "system calls of the protocol"
    if "kernel" in file:
        return "kernel otherwise"
    if "perf-" in file or "JIT" in file or function.startswith("codegen::vm::run"):
        return "generated code"
    if "malloc" in file or re.match(r"(_int_)?(malloc|free)|operator (new|delete)", function):
        return "memory allocation"
    if "libc" in file or "libstdc" in file:
        return next((room for name, _ in stack[1 : 1 + FRAMES_BELOW] if (room := room_of(name))), "other")
    return room_of(function) or "other"


def stacks(file: str) -> dict[str, list[list[tuple[str, str]]]]:
    """By thread."""
    text = subprocess.run(["perf", "script", "-i", file, "-F", "comm,tid,ip,sym,dso"], capture_output=True, text=True, check=True).stdout
    found = collections.defaultdict(list)
    for block in text.split("\n\n"):
        lines = block.strip().split("\n")
        frames = [match.groups() for line in lines[1:] if (match := re.match(r"\s*[0-9a-f]+ (.*) \((.*)\)$", line))]
        if frames:
            found[lines[0].split()[1]].append([(re.sub(r"gnomon::|\(anonymous namespace\)::", "", name), place) for name, place in frames])
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file")
    busiest = max(stacks(parser.parse_args().file).values(), key=len)
    rooms = collections.Counter()
    functions = collections.defaultdict(collections.Counter)
    for stack in busiest:
        room = classify(stack)
        rooms[room] += 1
        functions[room][stack[0][0].split("(")[0]] += 1
    print("| room | share | most of it |\n| --- | ---: | --- |")
    for room, count in rooms.most_common():
        most = ", ".join(f"`{name}` {100 * number / len(busiest):.1f}" for name, number in functions[room].most_common(3))
        print(f"| {room} | {100 * count / len(busiest):.1f} % | {most} |")


if __name__ == "__main__":
    main()
