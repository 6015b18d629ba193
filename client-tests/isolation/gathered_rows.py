"""Interleavings of routines that insert rows in loops. "begin" stands for BEGIN at the level that is tested.

Tables: held (k primary key, v) with (1, 0); note (id primary key, v) with (1, 10), (2, 20). Functions: fills(low, high) inserts the keys from low to
high; fills_handling() the same, and says how many were there; takes(k, n) takes the key n times, reads note 1 behind each and gives the key back;
fills_changing(low, high, id) changes that note after each key; gives(low, high, lock) gives an advisory lock back after the keys, by a query or in an
assignment; fills_asking() asks for one; makes(low, high) is a procedure that commits behind each third key.
"""

TABLES = (
    "create table held (k integer primary key, v integer)",
    "create table note (id integer primary key, v integer)",
    """create function fills(low integer, high integer) returns integer language plpgsql as '
    begin
      for i in low .. high loop
        insert into held values (i, 1);
      end loop;
      return (select count(*) from held);
    end'""",
    """create function fills_handling(low integer, high integer) returns text language plpgsql as '
    declare
      there integer := 0;
      reached integer;
    begin
      for i in low .. high loop
        begin
          for j in i .. i + 1 loop
            insert into held values (i * 10 + j, 1);
          end loop;
          reached := 0;
          for j in i .. i + 2 loop
            reached := reached + 1;
            insert into held values (j, 2);
          end loop;
        exception when unique_violation then
          there := there + reached;
        end;
      end loop;
      return there;
    end'""",
    """create function takes(key integer, rounds integer) returns text language plpgsql as '
    declare
      found_v integer;
      said text := '''';
    begin
      for i in 1 .. rounds loop
        insert into held values (key, i);
        select v into found_v from note where id = 1;
        said := said || found_v || '' '';
        update note set v = v + 1 where id = 1;
        delete from held where k = key;
      end loop;
      return said;
    end'""",
    """create function reads_beside(low integer, high integer) returns text language plpgsql as '
    declare
      found_v integer;
      said text := '''';
    begin
      for i in low .. high loop
        insert into held values (i, 1);
        select v into found_v from note where id = 1;
        said := said || found_v || '' '';
      end loop;
      return said;
    end'""",
    "create table shares (a integer)",
    "create index on shares ((1 / a))",
    "create table products (id integer primary key, b bigint, n numeric)",
    """create function fills_dividing(divisors integer[], keys integer[]) returns integer language plpgsql as '
    begin
      for i in 1 .. array_length(keys, 1) loop
        insert into shares values (divisors[i]);
        insert into held values (keys[i] + (select min(id) - 1 from note), 1);
      end loop;
      return 0;
    end'""",
    """create function fills_multiplying(low integer, high integer) returns integer language plpgsql as '
    begin
      for i in low .. high loop
        insert into shares values (i);
        insert into products values (i + 10, 1), (i, 1)
          on conflict (id) do update set n = (products.b * 1.01) * (products.b * 1.01) * (products.b * 1.01);
      end loop;
      return 0;
    end'""",
    """create function fills_changing(low integer, high integer, note_id integer) returns integer language plpgsql as '
    begin
      for i in low .. high loop
        insert into held values (i, 1);
        if i = high then update note set v = v + i where id = note_id; end if;
      end loop;
      return 0;
    end'""",
    """create function gives(low integer, high integer, how text) returns integer language plpgsql as '
    declare
      given boolean;
    begin
      for i in low .. high loop
        insert into held values (i, 1);
      end loop;
      case how
        when ''query'' then select pg_advisory_unlock(1) into given;
        when ''assignment'' then given := pg_advisory_unlock(1);
        when ''perform'' then perform pg_advisory_unlock(1);
        when ''nothing'' then null;
      end case;
      return (select v from note where id = 1 and pg_advisory_xact_lock_shared(2) is not null);
    end'""",
    """create function fills_asking(low integer, high integer, how text) returns integer language plpgsql as '
    declare
      x text;
    begin
      for i in low .. high loop
        insert into held values (i, 1);
        if i = high then
          case how
            when ''query'' then select pg_advisory_xact_lock(3) into x;
            when ''assignment'' then x := concat(''got '', pg_advisory_xact_lock(3));
            when ''perform'' then perform pg_advisory_xact_lock(3);
            when ''lock'' then lock table note;
            when ''nothing'' then null;
          end case;
        end if;
      end loop;
      return 0;
    end'""",
    """create procedure makes(low integer, high integer) language plpgsql as '
    begin
      for i in low .. high loop
        insert into held values (i, 1);
        if i % 3 = 0 then commit; end if;
      end loop;
    end'""",
)
DROP = """drop table held, note, shares, products; drop procedure makes;
    drop function fills, fills_handling, fills_dividing, fills_multiplying, takes, reads_beside, fills_changing, gives, fills_asking"""
SETUP = (
    "truncate held, note, shares, products",
    "insert into held values (1, 0)",
    "insert into note values (1, 10), (2, 20)",
    "insert into products values (2, 7), (3, 7), (4, 7), (5, 9000000000000000000)",
)
SHOWN = ("select * from held", "select * from note", "select k from held where k > -1000000")

# Outcomes, and when each came, must be PostgreSQL's.
EXACT = {
    "a key that another has in hand, and keeps": """
        -- b waits, and gets 23505.
        begin                              |
                                           | select fills(20, 25)
        insert into held values (7, 7)     |
                                           | begin
                                           | select fills(5, 9)
        commit                             |
                                           | commit
    """,
    "a key that another has in hand, and does not keep": """
        begin                              |
                                           | select fills(20, 25)
        insert into held values (7, 7)     |
                                           | begin
                                           | select fills(5, 9)
        rollback                           |
                                           | commit
    """,
    "the same without a block": """
        begin                              |
                                           | select fills(20, 25)
        insert into held values (7, 7)     |
                                           | select fills(5, 9)
        commit                             |
        begin                              |
        insert into held values (8, 7)     |
                                           | select fills(8, 10)
        rollback                           |
    """,
    "a key that another takes away": """
        -- RC: the key is free behind the commit. RR: likewise, a key is no row.
        begin                              |
                                           | select fills(20, 25)
        delete from held where k = 1       |
                                           | begin
                                           | select fills(0, 3)
        commit                             |
                                           | commit
    """,
    "a key that another does not take away after all": """
        begin                              |
                                           | select fills(20, 25)
        delete from held where k = 1       |
                                           | begin
                                           | select fills(0, 3)
        rollback                           |
                                           | commit
    """,
    "two loops": """
        select fills(30, 35)               |
                                           | select fills(20, 25)
        begin                              |
        select fills(3, 6)                 |
                                           | begin
                                           | select fills(5, 9)
        rollback                           |
                                           | commit
        select fills(10, 12)               |
    """,
    "two loops, of which the first one stays": """
        select fills(30, 35)               |
                                           | select fills(20, 25)
        begin                              |
        select fills(3, 6)                 |
                                           | begin
                                           | select fills(5, 9)
        commit                             |
                                           | rollback
                                           | select fills(7, 9)
    """,
    "a handler meets what another has kept": """
        begin                              |
                                           | select fills_handling(100, 104)
        insert into held values (7, 7), (9, 9) |
                                           | begin
                                           | select fills_handling(5, 9)
        commit                             |
                                           | select * from held where k < 100
                                           | commit
    """,
    "a handler meets what another has not kept": """
        begin                              |
                                           | select fills_handling(100, 104)
        insert into held values (7, 7), (9, 9) |
                                           | begin
                                           | select fills_handling(5, 9)
        rollback                           |
                                           | select * from held where k < 100
                                           | commit
    """,
    "a key keeps others out, and what they read is what was committed": """
        -- RC: b reads 11 and more. RR: b's snapshot is older, and its update is refused.
        begin                                |
                                             | select takes(50, 5)
        insert into held values (5, 5)       |
        update note set v = 100 where id = 1 |
                                             | begin
                                             | select takes(5, 5)
        delete from held where k = 5         |
        commit                               |
                                             | commit
    """,
    "a key keeps others out, whose transaction has begun before": """
        begin                                |
        insert into held values (5, 5)       |
                                             | select takes(50, 5)
        update note set v = 100 where id = 1 |
                                             | begin
                                             | select v from note where id = 1
                                             | select takes(5, 5)
        delete from held where k = 5         |
        commit                               |
                                             | commit
    """,
    "one waits for each of several keys, and reads what was committed": """
        -- RC: b reads 10, 10, 100, 100, 100. RR: 10.
        begin                                |
                                             | select reads_beside(50, 55)
        insert into held values (7, 7)       |
        update note set v = 100 where id = 1 |
                                             | begin
                                             | select reads_beside(5, 9)
        rollback                             |
                                             | rollback
        begin                                |
        insert into held values (7, 7)       |
        update note set v = 100 where id = 1 |
                                             | select reads_beside(5, 9)
        delete from held where k = 7         |
        commit                               |
    """,
    "three take turns": """
        begin                                |                                      | select takes(60, 5)
                                             | select takes(50, 5)                  |
        insert into held values (5, 5)       |                                      |
        update note set v = 100 where id = 1 |                                      |
                                             | begin                                |
                                             | select takes(5, 2)                   |
        delete from held where k = 5         |                                      |
        commit                               |                                      |
                                             |                                      | select takes(5, 3)
                                             | commit                               |
    """,
    "a key that is in hand is seen before a note that is waited for": """
        -- c waits for b's key, which b has although it waits itself.
        begin                                |                                      |
                                             | select fills_changing(50, 55, 2)     |
                                             | begin                                |
        update note set v = 100 where id = 1 |                                      |
                                             | select fills_changing(5, 8, 1)       |
                                             |                                      | insert into held values (6, 6)
        rollback                             |                                      |
                                             | commit                               |
    """,
    "a key that is there already is told before a note is waited for": """
        begin                                |
                                             | select fills_changing(50, 55, 2)
        update note set v = 100 where id = 1 |
                                             | begin
                                             | select fills_changing(0, 3, 1)
        commit                               |
                                             | rollback
    """,
    "an advisory lock is given back by a query, and the keys are in hand": """
        -- b waits for the lock, then for the key.
        select gives(50, 55, 'nothing')      |
        begin                                |
        select pg_advisory_lock(1)           |
                                             | begin
                                             | select pg_advisory_lock(1)
        select gives(5, 8, 'query')          |
                                             | insert into held values (7, 7)
        commit                               |
                                             | rollback
                                             | select pg_advisory_unlock_all()
    """,
    "an advisory lock is given back in an assignment, and the keys are in hand": """
        -- b waits for the lock, then for the key.
        select gives(50, 55, 'nothing')      |
        begin                                |
        select pg_advisory_lock(1)           |
                                             | begin
                                             | select pg_advisory_lock(1)
        select gives(5, 8, 'assignment')     |
                                             | insert into held values (7, 7)
        commit                               |
                                             | rollback
                                             | select pg_advisory_unlock_all()
    """,
    "an advisory lock is asked for by a query, and the keys are in hand": """
        -- c waits for b's key, who waits for the lock.
        begin                                |                                        |
                                             | select fills_asking(50, 55, 'nothing') |
        select pg_advisory_xact_lock(3)      |                                        |
                                             | begin                                  |
                                             | select fills_asking(5, 8, 'query')     |
                                             |                                        | insert into held values (6, 6)
        rollback                             |                                        |
                                             | commit                                 |
    """,
    "an advisory lock is asked for in an assignment, and the keys are in hand": """
        begin                                |                                         |
                                             | select fills_asking(50, 55, 'nothing')  |
        select pg_advisory_xact_lock(3)      |                                         |
                                             | begin                                   |
                                             | select fills_asking(5, 8, 'assignment') |
                                             |                                         | insert into held values (6, 6)
        rollback                             |                                         |
                                             | commit                                  |
    """,
    "an advisory lock is asked for by PERFORM, and the keys are in hand": """
        begin                                |                                        |
                                             | select fills_asking(50, 55, 'nothing') |
        select pg_advisory_xact_lock(3)      |                                        |
                                             | begin                                  |
                                             | select fills_asking(5, 8, 'perform')   |
                                             |                                        | insert into held values (6, 6)
        rollback                             |                                        |
                                             | commit                                 |
    """,
    "a table is asked for, and the keys are in hand": """
        begin                                |                                        |
                                             | select fills_asking(50, 55, 'nothing') |
        update note set v = 100 where id = 1 |                                        |
                                             | begin                                  |
                                             | select fills_asking(5, 8, 'lock')      |
                                             |                                        | insert into held values (6, 6)
        rollback                             |                                        |
                                             | commit                                 |
    """,
    "a procedure commits while another waits for its keys": """
        -- b gets 23505 at the first commit.
        call makes(30, 35)                   |                                | begin
                                             |                                | insert into held values (8, 8)
                                             | begin                          |
                                             | select v from held             |
        call makes(5, 10)                    |                                |
                                             | insert into held values (6, 6) |
                                             |                                | rollback
                                             | rollback                       |
        select * from held where k < 20      |                                |
    """,
    "the keys of a procedure are another's": """
        call makes(30, 35)                   |
                                             | begin
                                             | insert into held values (8, 8)
        call makes(5, 10)                    |
                                             | commit
        select * from held where k < 20      |
    """,
    "a row that is changed by another meanwhile": """
        -- RR: b's update is refused with 40001, but for a key that is there already.
        update note set v = 100 where id = 1 |
                                             | select fills_changing(50, 55, 2)
                                             | begin
                                             | select * from note where id = 1
                                             | savepoint s
                                             | select fills_changing(5, 8, 1)
                                             | rollback to s
                                             | select fills_changing(0, 3, 1)
                                             | rollback to s
                                             | select * from held where k < 20
                                             | commit
    """,
    "rows are not seen by others before the commit": """
        select fills(50, 55)                 |
        begin                                |
        select fills(5, 9)                   |
                                             | begin
                                             | select * from held
        commit                               |
                                             | select * from held
                                             | insert into held values (6, 6) on conflict do nothing
                                             | rollback
    """,
    "an error of a row comes while a statement of subqueries waits": """
                                             | select fills_dividing(array[5, 5, 5], array[40, 41, 42])
        begin                                |
        insert into held values (5, 5)       |
                                             | begin
                                             | select fills_dividing(array[5, 5, 5, 0], array[50, 51, 52, 5])
        rollback                             |
                                             | rollback
                                             | select * from shares
    """,
    "a statement that waits begins again with larger numerics": """
                                             | select fills_multiplying(2, 3)
        begin                                |
        insert into products values (15, 1)  |
                                             | begin
                                             | select fills_multiplying(4, 5)
        rollback                             |
                                             | commit
                                             | select * from shares
                                             | select * from products order by id
    """,
    "one who waits is cancelled": """
        begin                                |
                                             | select fills(20, 25)
        insert into held values (7, 7)       |
                                             | begin
                                             | select fills(5, 9)
        cancel b                             |
                                             | rollback
                                             | select fills(8, 9)
        rollback                             |
    """,
}
