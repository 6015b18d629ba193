"""Sends the same SQL to PostgreSQL and to Gnomon and says where the answers differ.

An answer is what the wire carries: column names, type ids, values (as text, or as bytes when asked for in binary),
command tag, or SQLSTATE with message, detail and the other fields of an error; and the transaction status that follows.
"""
import collections
import dataclasses
import decimal
import math
import struct

from psycopg import pq

from statements import Statement

FLOAT4, FLOAT8, NUMERIC = 700, 701, 1700
ROWS_SHOWN_MAX = 8
ERROR_WORDS = ("position", "message", "detail", "hint", "context", "objects", "internal")  # fields of an error that a file may ask for


@dataclasses.dataclass
class Notice:
    """What NoticeResponse carries, its fields named as those of an error's Answer."""

    severity: str
    sqlstate: str
    message: str = ""
    detail: str = ""
    hint: str = ""
    context: str = ""
    objects: tuple = ()
    internal: tuple = ()
    position: str = ""

    def compared(self, words):
        asked = tuple(getattr(self, word) for word in ERROR_WORDS if word in words)
        return self.severity, self.sqlstate, self.message, asked


@dataclasses.dataclass
class Answer:
    tag: str = ""
    columns: list = dataclasses.field(default_factory=list)  # (name, type id)
    rows: list = dataclasses.field(default_factory=list)  # tuples of bytes or None
    copied: bytes | None = None  # what COPY TO STDOUT sent
    sqlstate: str | None = None
    message: str = ""
    detail: str = ""
    hint: str = ""
    context: str = ""
    objects: tuple = ()  # schema, table, column, type, constraint
    internal: tuple = ()  # a statement within a routine, and the position in it
    position: str = ""
    binary: bool = False
    status: str = ""  # of the transaction, afterwards: IDLE, INTRANS, INERROR
    notices: list = dataclasses.field(default_factory=list)  # of Notice

    def describe(self) -> str:
        after = "".join(f"\n  {notice.severity} {notice.sqlstate}: {told(notice)}" for notice in self.notices) + f"\n  {self.status}"
        if self.sqlstate:
            return f"error {self.sqlstate}: {told(self)}{after}"
        lines = [f"{self.tag}: " + ", ".join(f"{name}:{type_id}" for name, type_id in self.columns)]
        lines += ["  " + " | ".join("NULL" if v is None else show(v) for v in row) for row in self.rows[:ROWS_SHOWN_MAX]]
        if len(self.rows) > ROWS_SHOWN_MAX:
            lines.append(f"  ... {len(self.rows)} rows")
        if self.copied is not None:
            lines.append(repr(self.copied[:500]))
        return "\n".join(lines) + after


def told(source) -> str:
    """The texts of an error or notice in one line, its context in lines of its own."""
    detail = f" ({source.detail})" if source.detail else ""
    hint = f" (hint: {source.hint})" if source.hint else ""
    place = f" at {source.position}" if source.position else ""
    objects = f" {'.'.join(source.objects)}" if any(source.objects) else ""
    internal = f" in {source.internal[0]!r} at {source.internal[1]}" if any(source.internal) else ""
    context = "".join(f"\n    {line}" for line in source.context.splitlines())
    return source.message + detail + hint + place + objects + internal + context


FIRST_USER_OID = 16384


def show(value: bytes) -> str:
    text = value.decode(errors="backslashreplace")
    return text if text.isprintable() else repr(value)


def field(result, which) -> str:
    value = result.error_field(which)
    return value.decode() if value else ""


def error_fields(result) -> dict:
    """The fields that errors and notices share."""
    fields = pq.DiagnosticField
    objects = (fields.SCHEMA_NAME, fields.TABLE_NAME, fields.COLUMN_NAME, fields.DATATYPE_NAME, fields.CONSTRAINT_NAME)
    internal = (fields.INTERNAL_QUERY, fields.INTERNAL_POSITION)
    return {
        "sqlstate": field(result, fields.SQLSTATE),
        "message": field(result, fields.MESSAGE_PRIMARY),
        "detail": field(result, fields.MESSAGE_DETAIL),
        "hint": field(result, fields.MESSAGE_HINT),
        "context": field(result, fields.CONTEXT),
        "objects": tuple(field(result, which) for which in objects),
        "internal": tuple(field(result, which) for which in internal),
        "position": field(result, fields.STATEMENT_POSITION),
    }


def error_answer(result) -> Answer:
    answer = Answer(**error_fields(result))
    answer.sqlstate = answer.sqlstate or "?????"
    answer.message = answer.message or result.error_message.decode()
    return answer


def rows_answer(result) -> Answer:
    answer = Answer(tag=(result.command_status or b"").decode(), binary=result.nfields > 0 and result.fformat(0) == 1)
    # Types that users made have other oids on each server.
    answer.columns = [(result.fname(i).decode(), min(result.ftype(i), FIRST_USER_OID)) for i in range(result.nfields)]
    answer.rows = [tuple(result.get_value(row, i) for i in range(result.nfields)) for row in range(result.ntuples)]
    return answer


def drain_copy_out(connection) -> bytes:
    chunks = []
    while True:
        size, data = connection.get_copy_data(0)
        if size < 0:
            return b"".join(chunks)
        chunks.append(bytes(data))


def run(connection, text: str, copy_data: bytes | None = None, binary: bool = False) -> Answer:
    """One statement over a raw libpq connection, by the simple protocol, or by the extended one with binary results."""
    notices = []

    def notice(result):
        notices.append(Notice(field(result, pq.DiagnosticField.SEVERITY_NONLOCALIZED), **error_fields(result)))

    connection.notice_handler = notice
    answer = run_to_its_end(connection, text, copy_data, binary)
    answer.status, answer.notices = pq.TransactionStatus(connection.transaction_status).name, notices
    return answer


def run_to_its_end(connection, text: str, copy_data: bytes | None, binary: bool) -> Answer:
    status = pq.ExecStatus
    result = connection.exec_params(text.encode(), None, result_format=1) if binary else connection.exec_(text.encode())
    if result is None:
        return Answer(sqlstate="lost", message=connection.get_error_message())
    copied = None
    if result.status == status.COPY_IN:
        for start in range(0, len(copy_data or b""), 65_536):
            connection.put_copy_data(copy_data[start : start + 65_536])
        connection.put_copy_end()
        result = connection.get_result()
    elif result.status == status.COPY_OUT:
        copied = drain_copy_out(connection)
        result = connection.get_result()
    last = result
    while (extra := connection.get_result()) is not None:
        last = extra
        if connection.status != pq.ConnStatus.OK:
            break
    if last.status in (status.FATAL_ERROR, status.NONFATAL_ERROR, status.BAD_RESPONSE):
        if connection.status != pq.ConnStatus.OK:
            answer = error_answer(last)
            answer.sqlstate = answer.sqlstate if answer.sqlstate != "?????" else "lost"
            return answer
        return error_answer(last)
    answer = rows_answer(last)
    answer.copied = copied
    return answer


def float_of(value: bytes, type_id: int, binary: bool) -> float:
    if not binary:
        return float(value)
    return struct.unpack("!d" if type_id == FLOAT8 else "!f", value)[0]


def same_value(left, right, type_id: int, binary: bool, relaxed: bool) -> bool:
    if left == right:
        return True
    if not relaxed or left is None or right is None or type_id not in (FLOAT4, FLOAT8):
        return False
    a, b = float_of(left, type_id, binary), float_of(right, type_id, binary)
    return math.isclose(a, b, rel_tol=1e-12 if type_id == FLOAT8 else 1e-6)


def sort_key(row):
    return tuple((value is None, value or b"") for value in row)


def rows_difference(expected: Answer, actual: Answer, ordered: bool, relaxed: bool) -> str:
    if len(expected.rows) != len(actual.rows):
        return f"{len(actual.rows)} rows instead of {len(expected.rows)}"
    left, right = expected.rows, actual.rows
    if left == right or (not ordered and collections.Counter(left) == collections.Counter(right)):
        return ""
    if not ordered:
        left, right = sorted(left, key=sort_key), sorted(right, key=sort_key)
    for number, (a, b) in enumerate(zip(left, right), 1):
        for (name, type_id), x, y in zip(expected.columns, a, b):
            if not same_value(x, y, type_id, expected.binary, relaxed):
                shown = ["NULL" if v is None else show(v) for v in (y, x)]
                return f"row {number}, column {name}: {shown[0]} instead of {shown[1]}"
    return ""


def order_key(row, columns, types) -> tuple:
    """The values by which a row is ordered, such that those of rows that tie are equal: -0 is 0, and 1.50 is 1.5."""
    return tuple(same_for_ties(row[column], types[column]) for column in columns)


def same_for_ties(value: bytes | None, type_id: int):
    if value is None or type_id not in (FLOAT4, FLOAT8, NUMERIC):
        return value
    number = decimal.Decimal(value.decode())
    return str(number) if number.is_nan() else number + 0


def ordered_difference(expected: Answer, actual: Answer, columns) -> str:
    """Of answers in text whose rows are ordered by these columns: those that tie may come in any order."""
    what = answer_difference(expected, actual, ordered=False, words=frozenset())
    if what or expected.sqlstate or not columns:
        return what or ("" if expected.status == actual.status else "another transaction status")
    types = [type_id for _, type_id in expected.columns]
    for number, (left, right) in enumerate(zip(expected.rows, actual.rows), 1):
        if order_key(left, columns, types) != order_key(right, columns, types):
            return f"row {number} is not in its place"
    return ""


def error_difference(expected: Answer, actual: Answer, words) -> str:
    if expected.sqlstate != actual.sqlstate:
        return "another error"
    for word in ERROR_WORDS:
        if word in words and getattr(expected, word) != getattr(actual, word):
            return f"another {word} of the error"
    return ""


def notices_compared(answer: Answer, words) -> list:
    return [notice.compared(words) for notice in answer.notices]


def difference(expected: Answer, actual: Answer, ordered: bool = False, words=frozenset()) -> str:
    """Empty when the answers agree, otherwise what differs first."""
    if "notices" in words and notices_compared(expected, words) != notices_compared(actual, words):
        return "other notices"
    return answer_difference(expected, actual, ordered, words) or ("" if expected.status == actual.status else "another transaction status")


def answer_difference(expected: Answer, actual: Answer, ordered: bool, words) -> str:
    if expected.sqlstate and actual.sqlstate:
        return error_difference(expected, actual, words)
    if expected.sqlstate or actual.sqlstate:
        return "an error on one side only"
    if expected.columns != actual.columns:
        return "other columns"
    if expected.tag != actual.tag:
        return "another command tag"
    if expected.copied != actual.copied:
        return "other copied data"
    return rows_difference(expected, actual, ordered and "multiset" not in words, "float" in words)


def report(statement: Statement, expected: Answer, actual: Answer, what: str) -> str:
    return (
        f"line {statement.line}: {what}\n{statement.text}\n"
        f"postgresql: {expected.describe()}\ngnomon:     {actual.describe()}\n"
    )
