"""Sends the same SQL to PostgreSQL and to Gnomon and says where the answers differ.

An answer is what the wire carries: column names, type ids, values (as text, or as bytes when asked for in binary),
command tag, or SQLSTATE with message, detail and position; and the transaction status that follows.
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


@dataclasses.dataclass
class Answer:
    tag: str = ""
    columns: list = dataclasses.field(default_factory=list)  # (name, type id)
    rows: list = dataclasses.field(default_factory=list)  # tuples of bytes or None
    copied: bytes | None = None  # what COPY TO STDOUT sent
    sqlstate: str | None = None
    message: str = ""
    detail: str = ""
    position: str = ""
    binary: bool = False
    status: str = ""  # of the transaction, afterwards: IDLE, INTRANS, INERROR
    notices: list = dataclasses.field(default_factory=list)  # (severity, SQLSTATE, message)

    def describe(self) -> str:
        after = "".join(f"\n  {severity} {sqlstate}: {message}" for severity, sqlstate, message in self.notices) + f"\n  {self.status}"
        if self.sqlstate:
            place = f" at {self.position}" if self.position else ""
            detail = f" ({self.detail})" if self.detail else ""
            return f"error {self.sqlstate}: {self.message}{detail}{place}{after}"
        lines = [f"{self.tag}: " + ", ".join(f"{name}:{type_id}" for name, type_id in self.columns)]
        lines += ["  " + " | ".join("NULL" if v is None else show(v) for v in row) for row in self.rows[:ROWS_SHOWN_MAX]]
        if len(self.rows) > ROWS_SHOWN_MAX:
            lines.append(f"  ... {len(self.rows)} rows")
        if self.copied is not None:
            lines.append(repr(self.copied[:500]))
        return "\n".join(lines) + after


FIRST_USER_OID = 16384


def show(value: bytes) -> str:
    text = value.decode(errors="backslashreplace")
    return text if text.isprintable() else repr(value)


def field(result, which) -> str:
    value = result.error_field(which)
    return value.decode() if value else ""


def error_answer(result) -> Answer:
    fields = pq.DiagnosticField
    return Answer(
        sqlstate=field(result, fields.SQLSTATE) or "?????",
        message=field(result, fields.MESSAGE_PRIMARY) or result.error_message.decode(),
        detail=field(result, fields.MESSAGE_DETAIL),
        position=field(result, fields.STATEMENT_POSITION),
    )


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
    fields, notices = pq.DiagnosticField, []

    def notice(result):
        notices.append(tuple(field(result, which) for which in (fields.SEVERITY_NONLOCALIZED, fields.SQLSTATE, fields.MESSAGE_PRIMARY)))

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
    for word in ("position", "message", "detail"):
        if word in words and getattr(expected, word) != getattr(actual, word):
            return f"another {word} of the error"
    return ""


def difference(expected: Answer, actual: Answer, ordered: bool = False, words=frozenset()) -> str:
    """Empty when the answers agree, otherwise what differs first."""
    if "notices" in words and expected.notices != actual.notices:
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
