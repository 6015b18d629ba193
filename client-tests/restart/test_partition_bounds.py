"""Bounds of partitions are values: after restarts, clean and not, they are the same whatever wrote them, and whatever their labels and tables are called since."""
import pytest

from restart.comparing import require_same_after_restart

SETUP = """
create type mood as enum ('low', 'high')
create type felt as (m mood, d date)
create domain kept_mood as mood check (value is not null)
create table moods (m mood) partition by list (m)
create table moods_low partition of moods for values in ('low')
create table lists (m mood[]) partition by list (m)
create table lists_low partition of lists for values in ('{low}', '{low,high}', null)
create table rows (f felt) partition by range (f)
create table rows_part partition of rows for values from ('(low,2024-01-01)') to ('(high,2024-01-01)')
create table kept (m kept_mood) partition by list (m)
create table kept_high partition of kept for values in ('high')
alter type mood rename value 'low' to 'deep "down"'
alter type mood rename value 'high' to 'up, up'
create domain positive as int check (value > 0)
create table numbers (n positive) partition by list (n)
create table numbers_part partition of numbers for values in (1, 2)
alter domain positive add constraint not_two check (value <> 2) not valid
set datestyle = 'german'
set timezone = 'Europe/Berlin'
set intervalstyle = 'iso_8601'
set extra_float_digits = -10
create table times (d date, t timestamptz) partition by range (d, t)
create table times_part partition of times for values from ('01.02.2024', '01.02.2024 10:00') to ('05.03.2024', '05.03.2024 10:00:00.123456')
create table lengths (i interval, f float8) partition by range (i, f)
create table lengths_part partition of lengths for values from ('P1Y2M3DT4H', 0.1) to ('P3Y', 0.333333333333333333)
create table days (d date[]) partition by list (d)
create table days_part partition of days for values in ('{01.02.2024,02.03.2024}')
set datestyle = 'sql, dmy'
create table floats (f float8, d date) partition by range (f, d)
create table floats_part partition of floats for values from (0.123456789, '03/02/2024') to (0.12345678999, '05/02/2024')
create table hashed (a int) partition by hash (a)
create table hashed_part partition of hashed for values with (modulus 2, remainder 1)
create table others partition of moods default
insert into moods values ('deep "down"'), ('up, up')
insert into times values ('05/03/2024', '2024-03-05 10:00:00.123455+01')
""".strip().split("\n")
QUERIES = [
    "select relname, pg_get_expr(relpartbound, oid) from pg_class where relispartition order by 1",
    "select relname, pg_get_partition_constraintdef(oid) from pg_class where relispartition and relname !~ '^(hashed|lists)' order by 1",
    "select tableoid::regclass, * from moods order by m",
    "select * from times where d = '2024-03-05'",
]
TAKEN = [
    "insert into lists values (array['deep \"down\"', 'up, up']::mood[])",
    "insert into kept values ('up, up')",
    "insert into numbers values (1)",
    "insert into times values ('2024-02-01', '2024-02-01 10:00+01')",
    "insert into lengths values ('3 years', 0.333333333333333)",
    "insert into days values ('{2024-02-01,2024-03-02}')",
    "insert into floats values (0.123456789, '2024-02-03')",
]
REFUSED = [
    "insert into kept values ('deep \"down\"')",
    "insert into numbers values (2)",
    "insert into times values ('2024-03-05', '2024-03-05 10:00:00.123457+01')",
    "insert into lengths values ('3 years', 0.3333333333333333)",
    "insert into days values ('{2024-01-02,2024-03-02}')",
    "insert into floats values (0.123456788, '2024-02-03')",
]


@pytest.mark.parametrize("is_clean", [True, False])
def test_bounds_of_partitions_are_the_same_after_a_restart(server, is_clean):
    require_same_after_restart(server, SETUP, "insert into moods values ('up, up')", QUERIES, is_clean)
    with server.connect() as connection:
        for taken in TAKEN:
            connection.execute(taken)
        for refused in REFUSED:
            with pytest.raises(Exception) as failure:
                connection.execute(refused)
            assert failure.value.sqlstate == "23514", refused
