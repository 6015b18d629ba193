"""The interleavings that have names, drawn with one column per session (a, b, c, d from the left), and what each level allows.

Tables: item (id primary key, v) and mark (id primary key, v with an index, tag unique), both with the rows 1, 2, 3; v is 10, 20, 30,
tag 'x1', 'x2', 'x3'; a mark of 77 must not have the tag 'seven'. "begin" stands for BEGIN at the level that is tested; RC is READ
COMMITTED, RR is REPEATABLE READ.
"""

# Outcomes, and when each came, must be PostgreSQL's.
EXACT = {
    "a cursor's row is found where others have moved it": """
        -- RC: the row has another key since it was fetched, and is found by it. RR: 40001.
        begin                                                              |
        declare c cursor for select id, v from item where id > 0           |
        FETCH 2 from c                                                     |
                                                                           | update item set id = id + 10, v = v + 1 where id = 2
                                                                           | update item set id = id + 10 where id = 12
        update item set v = v + 100 where current of c returning id, v     |
        commit                                                             |
    """,
    "a cursor's row is gone where others have deleted it": """
        -- RC: nothing is changed. RR: 40001.
        begin                                                              |
        declare c cursor for select id, v from item where id > 1           |
        FETCH 1 from c                                                     |
                                                                           | delete from item where id = 2
        update item set v = v + 100 where current of c returning id, v     |
        commit                                                             |
    """,
    "a cursor's row that another has in his hands is waited for": """
        -- RC: b rolls back, and the row is changed. RR: likewise.
        begin                                                              |
        declare c cursor for select id, v from item                        |
        FETCH 3 from c                                                     |
                                                                           | begin
                                                                           | update item set id = 30 where id = 3
        delete from item where current of c returning id, v                |
                                                                           | rollback
        commit                                                             |
    """,
    "an advisory lock of a session outlives its transaction": """
        -- Both: b waits until a gives the lock back; neither COMMIT nor ROLLBACK does.
        begin                                |
        select pg_advisory_lock(1)           |
                                             | begin
                                             | select pg_advisory_lock(1)
        rollback                             |
        select pg_advisory_lock(1)           |
        select pg_advisory_unlock(1)         |
        select pg_advisory_unlock(1)         |
        select pg_try_advisory_lock(1)       |
                                             | commit
                                             | select pg_advisory_unlock(1)
        select pg_try_advisory_lock(1)       |
        select pg_advisory_unlock_all()      |
    """,
    "an advisory lock of a transaction goes with it": """
        begin                                |
        select pg_advisory_xact_lock(2, 3)   |
                                             | begin
                                             | select pg_try_advisory_xact_lock(3, 2)
                                             | select pg_try_advisory_lock(2, 3)
                                             | select pg_try_advisory_lock_shared(2, 3)
                                             | select pg_advisory_xact_lock(2, 3)
        commit                               |
        select pg_try_advisory_lock(2, 3)    |
                                             | rollback
        select pg_try_advisory_lock(2, 3)    |
        select pg_advisory_unlock(2, 3)      |
    """,
    "an advisory lock goes with the savepoint before it": """
        begin                                |
        savepoint s                          |
        select pg_advisory_xact_lock(1)      |
        select pg_advisory_lock(2)           |
                                             | begin
                                             | select pg_advisory_xact_lock(1)
        rollback to s                        |
                                             | select pg_try_advisory_xact_lock(2)
        select pg_try_advisory_xact_lock(1)  |
        commit                               |
                                             | select pg_try_advisory_xact_lock(2)
        select pg_advisory_unlock(2)         |
                                             | select pg_try_advisory_xact_lock(2)
                                             | commit
    """,
    "shared advisory locks stand side by side": """
        -- c waits for both, and d behind c.
        select pg_advisory_lock_shared(5)    |                                         |                                | begin
                                             | begin                                   |                                |
                                             | select pg_advisory_xact_lock_shared(5)  |                                |
                                             |                                         | begin                          |
                                             |                                         | select pg_advisory_lock(5)     |
                                             |                                         |                                | select pg_advisory_xact_lock_shared(5)
        select pg_advisory_unlock_shared(5)  |                                         |                                |
                                             | rollback                                |                                |
                                             |                                         | select pg_advisory_unlock(5)   |
                                             |                                         | commit                         |
                                             |                                         |                                | commit
    """,
    "a session and its transaction have an advisory lock each": """
        begin                                |
        select pg_advisory_lock(9)           |
        select pg_advisory_xact_lock(9)      |
        select pg_advisory_unlock(9)         |
                                             | begin
                                             | select pg_advisory_xact_lock(9)
        select pg_advisory_unlock(9)         |
        commit                               |
                                             | commit
    """,
    "who waits for an advisory lock keeps no row of the table that it reads": """
        -- b waits with the row of item in its hands, which a may change meanwhile. RC and RR: b sees 10.
        select pg_advisory_lock(7)           |
                                             | begin
                                             | select id, v, pg_advisory_lock(7) from item where id = 1
        update item set v = 11 where id = 1  |
        update item set v = 12 where id = 1  |
        select pg_advisory_unlock(7)         |
                                             | select pg_advisory_unlock(7)
                                             | commit
    """,
    "two changes that break a check together": """
        -- RC: b waits, and then its row is tested as a has left it: 23514. RR: b fails with 40001 when a commits.
        begin                                |
                                             | begin
                                             | select * from mark
        update mark set v = 77 where id = 1  |
                                             | update mark set tag = 'seven' where id = 1
        commit                               |
                                             | commit
    """,
    "a change that does not break a check when the other is rolled back": """
        -- Both: b waits, and its row passes.
        begin                                |
                                             | begin
        update mark set v = 77 where id = 1  |
                                             | update mark set tag = 'seven' where id = 1
        rollback                             |
                                             | commit
    """,
    "dirty write": """
        -- RC: b waits for a and writes over it: 12, 22. RR: b fails with 40001 when a commits: 11, 21.
        begin                                |
                                             | begin
                                             | select * from item
        update item set v = 11 where id = 1  |
                                             | update item set v = 12 where id = 1
        update item set v = 21 where id = 2  |
        commit                               |
                                             | update item set v = 22 where id = 2
                                             | commit
    """,
    "dirty write over one that is rolled back": """
        -- Both: b waits and goes on as if a had never been: 12.
        begin                                |
                                             | begin
        update item set v = 11 where id = 1  |
                                             | update item set v = 12 where id = 1
        rollback                             |
                                             | commit
    """,
    "dirty read": """
        -- Both: b sees 10 until a has committed; RC then sees 11, RR still 10.
        begin                                |
                                             | begin
        update item set v = 11 where id = 1  |
                                             | select * from item
                                             | select sum(v), count(*) from item where v > 10
        commit                               |
                                             | select * from item
                                             | commit
    """,
    "aborted read": """
        -- Both: b sees nothing of what a takes back, before or after.
        begin                                |
                                             | begin
        update item set v = 11 where id = 1  |
        delete from item where id = 2        |
        insert into item values (4, 40)      |
                                             | select * from item
        rollback                             |
                                             | select * from item
                                             | commit
    """,
    "intermediate read": """
        -- RC: 10, 10, then 12. RR: 10 three times. Never 11.
        begin                                |
                                             | begin
        update item set v = 11 where id = 1  |
                                             | select v from item where id = 1
        update item set v = 12 where id = 1  |
                                             | select v from item where id = 1
        commit                               |
                                             | select v from item where id = 1
                                             | commit
    """,
    "fuzzy read": """
        -- RC: 10, then 11. RR: 10 twice.
        begin                                |
        select v from item where id = 1      |
                                             | update item set v = 11 where id = 1
        select v from item where id = 1      |
        commit                               |
        select v from item where id = 1      |
    """,
    "read skew": """
        -- RC: 10 and 21, which never stood side by side. RR: 10 and 20.
        begin                                |
        select v from item where id = 1      |
                                             | begin
                                             | update item set v = 11 where id = 1
                                             | update item set v = 21 where id = 2
                                             | commit
        select v from item where id = 2      |
        commit                               |
    """,
    "read skew of a predicate": """
        -- RC: the row that moved into the range is seen in its new place too. RR: as at first.
        begin                                |
        select * from mark where v < 15      |
                                             | update mark set v = 31 - v where id in (1, 2)
        select * from mark where v < 15      |
        select * from mark where v >= 15     |
        commit                               |
    """,
    "read skew, then a write": """
        -- RC: a deletes by what it did not see: DELETE 1 of the row that now has 20. RR: 40001, for that row was changed.
        begin                                |
        select * from item where v = 20      |
                                             | update item set v = 20 where id = 1
        delete from item where id = 1        |
        commit                               |
    """,
    "lost update by the client": """
        -- RC: a's 11 is lost under b's 12. RR: b gets 40001 at once, without waiting.
        begin                                |
                                             | begin
        select v from item where id = 1      |
                                             | select v from item where id = 1
        update item set v = 11 where id = 1  |
        commit                               |
                                             | update item set v = 12 where id = 1
                                             | commit
    """,
    "increments are not lost": """
        -- RC: b waits and adds to a's value: 12. RR: 40001, and 11 stays.
        begin                                    |
                                                 | begin
        select v from item where id = 1          |
                                                 | select v from item where id = 1
        update item set v = v + 1 where id = 1   |
                                                 | update item set v = v + 1 where id = 1
        commit                                   |
                                                 | commit
    """,
    "increments, the first of which is rolled back": """
        -- Both: 11, of b alone.
        begin                                    |
                                                 | begin
                                                 | select v from item where id = 1
        update item set v = v + 1 where id = 1   |
                                                 | update item set v = v + 1 where id = 1
        rollback                                 |
                                                 | select v from item where id = 1
                                                 | commit
    """,
    "write skew": """
        -- Both: each writes one row by what it read of the other, and nobody fails: neither level promises more.
        begin                                    |
                                                 | begin
        select sum(v) from item where id < 3     |
                                                 | select sum(v) from item where id < 3
        update item set v = -15 where id = 1     |
                                                 | update item set v = -15 where id = 2
        commit                                   |
                                                 | commit
    """,
    "write skew kept away by FOR UPDATE": """
        -- RC: b waits and then sees -15. RR: b waits and fails with 40001.
        begin                                              |
                                                           | begin
                                                           | select count(*) from item
        select id, v from item where id < 3 for update     |
                                                           | select id, v from item where id < 3 for update
        update item set v = -15 where id = 1               |
        commit                                             |
                                                           | update item set v = 0 where id = 2
                                                           | commit
    """,
    "phantom": """
        -- RC: the new row is there and the deleted one is not. RR: as at first.
        begin                                    |
        select * from item where v >= 20         |
        select count(*), sum(v) from item        |
                                                 | insert into item values (4, 40)
                                                 | delete from item where id = 2
        select * from item where v >= 20         |
        select count(*), sum(v) from item        |
        commit                                   |
    """,
    "phantom by an index": """
        -- RC: sees what came and went. RR: as at first, although the index has other entries by now.
        begin                                    |
        select * from mark where v > 15          |
                                                 | insert into mark values (4, 25, 'x4')
                                                 | update mark set v = 16 where id = 1
                                                 | delete from mark where id = 3
        select * from mark where v > 15          |
        select * from mark where v = 30          |
        select * from mark where tag = 'x4'      |
        select * from mark where id = 3          |
        commit                                   |
    """,
    "phantom and a write": """
        -- RC: the second UPDATE takes the new row too: UPDATE 3. RR: UPDATE 2, and v = 40 stays.
        begin                                              |
        select * from item where v > 15 for update         |
                                                           | insert into item values (4, 40)
        update item set v = v + 1 where v > 15             |
        commit                                             |
    """,
    "long fork": """
        -- RR: c, which began between the two commits, sees a's write alone, also after b's; d sees both. RC: c sees b's at the end.
        begin                                |                                      | begin                           |
                                             | begin                                |                                 | begin
        update item set v = 11 where id = 1  |                                      |                                 |
                                             | update item set v = 21 where id = 2  |                                 |
        commit                               |                                      |                                 |
                                             |                                      | select v from item where id = 1 |
                                             | commit                               |                                 |
                                             |                                      |                                 | select v from item where id = 2
                                             |                                      |                                 | select v from item where id = 1
                                             |                                      | select v from item where id = 2 |
                                             |                                      | commit                          |
                                             |                                      |                                 | commit
    """,
    "a snapshot is taken by the first query, not by BEGIN": """
        -- Both: 11 at first. RC then sees 12, RR does not.
        begin                                |
                                             | update item set v = 11 where id = 1
        select v from item where id = 1      |
                                             | update item set v = 12 where id = 1
        select v from item where id = 1      |
        commit                               |
    """,
    "a snapshot is taken by a first query of another table": """
        -- RR: mark is seen as it was when item was read. RC: as it is.
        begin                                |
        select v from item where id = 3      |
                                             | update mark set v = 11 where id = 1
        select * from mark                   |
        commit                               |
    """,
    "own changes beside a snapshot": """
        -- Both: a sees its own rows; of b's, RC sees all, RR none.
        begin                                |
        select * from item                   |
        update item set v = 21 where id = 2  |
        insert into item values (5, 50)      |
                                             | insert into item values (4, 40)
                                             | update item set v = 11 where id = 1
        select * from item                   |
        delete from item where v > 40        |
        select * from item                   |
        commit                               |
    """,
    "a portal keeps its rows": """
        -- Both: the rows of the portal are those of its beginning; a new query is RC's or RR's.
        begin                                              |
        portal p: select id, v from item order by id       |
        fetch p 1                                          |
                                                           | update item set v = v + 1
                                                           | delete from item where id = 2
                                                           | insert into item values (4, 40)
        fetch p 1                                          |
        select * from item                                 |
        fetch p 9                                          |
        commit                                             |
    """,
    "two portals of different times": """
        -- RC: p shows 10 and q shows 11. RR: both show 10.
        begin                                              |
        portal p: select v from mark where v < 20          |
        fetch p 0                                          |
                                                           | update mark set v = 11 where id = 1
        portal q: select v from mark where v < 20          |
        fetch q 0                                          |
        commit                                             |
    """,
    "a portal over its own transaction's changes": """
        begin                                              |
        portal p: select id, v from mark order by id       |
        fetch p 1                                          |
        update mark set v = v + 100                        |
                                                           | select * from mark where v > 100
        fetch p 9                                          |
        rollback                                           |
    """,
    "delete, then update of the row": """
        -- RC: UPDATE 0. RR: 40001.
        begin                                |
                                             | begin
                                             | select count(*) from item
        delete from item where id = 1        |
                                             | update item set v = 12 where id = 1
        commit                               |
                                             | select * from item
                                             | commit
    """,
    "delete that is rolled back, then update of the row": """
        -- Both: UPDATE 1.
        begin                                |
                                             | begin
        delete from item where id = 1        |
                                             | update item set v = 12 where id = 1
        rollback                             |
                                             | commit
    """,
    "update, then delete of the row": """
        -- RC: DELETE 1. RR: 40001.
        begin                                |
                                             | begin
                                             | select count(*) from item
        update item set v = 11 where id = 1  |
                                             | delete from item where id = 1
        commit                               |
                                             | commit
    """,
    "update that is rolled back, then delete of the row": """
        -- Both: DELETE 1.
        begin                                |
                                             | begin
        update item set v = 11 where id = 1  |
                                             | delete from item where id = 1
        rollback                             |
                                             | commit
    """,
    "delete, then delete of the row": """
        -- RC: DELETE 0. RR: 40001.
        begin                                |
                                             | begin
                                             | select count(*) from item
        delete from item where id = 1        |
                                             | delete from item where id = 1
        commit                               |
                                             | commit
    """,
    "a condition that the other's commit makes false": """
        -- RC: UPDATE 0. RR: 40001.
        begin                                |
                                             | begin
                                             | select count(*) from item
        update item set v = 99 where id = 1  |
                                             | update item set v = 12 where id = 1 and v = 10
        commit                               |
                                             | commit
    """,
    "a condition that the other's commit makes true": """
        -- Both: the row is not b's while a has not committed, so b does not wait: UPDATE 0.
        begin                                |
                                             | begin
        update item set v = 99 where id = 1  |
                                             | update item set v = 12 where v = 99
        commit                               |
                                             | commit
    """,
    "a row whose key moved away": """
        -- RC: UPDATE 0. RR: 40001.
        begin                                |
                                             | begin
                                             | select count(*) from item
        update item set id = 7 where id = 1  |
                                             | update item set v = 12 where id = 1
        commit                               |
                                             | select * from item
                                             | commit
    """,
    "a row changed twice by the other": """
        -- RC: 113. RR: 40001.
        begin                                    |
                                                 | begin
                                                 | select count(*) from item
        update item set v = v + 1 where id = 1   |
                                                 | update item set v = v + 100 where id = 1
        update item set v = v + 2 where id = 1   |
        commit                                   |
                                                 | commit
    """,
    "rows of two others": """
        -- RC: b waits for a, then for c. RR: 40001 as soon as a has committed.
        begin                                    |                                                 | begin
                                                 | begin                                           |
                                                 | select count(*) from item                       |
        update item set v = v + 1 where id = 1   |                                                 |
                                                 |                                                 | update item set v = v + 2 where id = 2
                                                 | update item set v = v + 100 where id in (1, 2)  |
        commit                                   |                                                 |
                                                 |                                                 | commit
                                                 | commit                                          |
    """,
    "a row that is free again before it is wanted": """
        -- RC: 12. RR: 40001 without waiting.
                                                 | begin
                                                 | select count(*) from item
        begin                                    |
        update item set v = 11 where id = 1      |
        commit                                   |
                                                 | update item set v = v + 1 where id = 1
                                                 | commit
    """,
    "a row that was changed before the first query": """
        -- Both: nobody fails: the snapshot is younger than the change.
        begin                                    |
                                                 | begin
        update item set v = 11 where id = 1      |
        commit                                   |
                                                 | update item set v = v + 1 where id = 1
                                                 | commit
    """,
    "a MERGE waits for the row that it changes": """
        -- RC: b adds to what a has made of the row. RR: 40001.
        begin                                    |
                                                 | begin
                                                 | select count(*) from item
        update item set v = 11 where id = 1      |
                                                 | merge into item using (values (1)) as s (id) on item.id = s.id when matched then update set v = item.v + 5
        commit                                   |
                                                 | select * from item
                                                 | commit
    """,
    "a MERGE waits for a row that goes": """
        -- RC: nothing matches any more, so the row is inserted. RR: 40001.
        begin                                    |
                                                 | begin
                                                 | select count(*) from item
        delete from item where id = 1            |
                                                 | merge into item using (values (1)) as s (id) on item.id = s.id when matched then update set v = 0 when not matched then insert values (s.id, 99)
        commit                                   |
                                                 | select * from item
                                                 | commit
    """,
    "a change in WITH waits": """
        -- RC: b returns what it has made of a's row. RR: 40001.
        begin                                    |
                                                 | begin
                                                 | select count(*) from item
        update item set v = 11 where id = 1      |
                                                 | with c as (update item set v = v + 5 where id = 1 returning id, v), n as (insert into item values (9, 90)) select * from c
        commit                                   |
                                                 | select * from item
                                                 | commit
    """,
    "a statement on its own waits too": """
        begin                                    |
        update item set v = v + 1 where id = 1   |
                                                 | update item set v = v * 10 where id = 1
        commit                                   |
                                                 | select * from item
    """,
    "one key inserted by two, the first commits": """
        -- Both: 23505 when a commits.
        begin                                |
                                             | begin
                                             | select count(*) from item
        insert into item values (4, 41)      |
                                             | insert into item values (4, 42)
        commit                               |
                                             | select * from item
                                             | commit
    """,
    "one key inserted by two, the first rolls back": """
        -- Both: b's row.
        begin                                |
                                             | begin
        insert into item values (4, 41)      |
                                             | insert into item values (4, 42)
        rollback                             |
                                             | select * from item
                                             | commit
    """,
    "one key of a second unique index": """
        -- Both: 23505.
        begin                                            |
                                                         | begin
        insert into mark values (4, 41, 'same')          |
                                                         | update mark set tag = 'same' where id = 1
        commit                                           |
                                                         | rollback
    """,
    "a key that was inserted and committed meanwhile": """
        -- Both: 23505, also where the snapshot does not show the row.
                                             | begin
                                             | select * from item where id = 4
        insert into item values (4, 41)      |
                                             | insert into item values (4, 42)
                                             | rollback
    """,
    "a key that the other moves away": """
        -- Both: b waits; when a commits, the key is free.
        begin                                |
                                             | begin
        update item set id = 9 where id = 1  |
                                             | insert into item values (1, 12)
        commit                               |
                                             | commit
        select * from item where id = 1      |
    """,
    "a key that the other moves away and back": """
        -- Both: 23505 when a rolls back.
        begin                                |
                                             | begin
        update item set id = 9 where id = 1  |
                                             | insert into item values (1, 12)
        rollback                             |
                                             | commit
        select * from item where id = 1      |
    """,
    "a key that the other moves a row to": """
        -- Both: 23505 when a commits.
        begin                                |
                                             | begin
        update item set id = 9 where id = 1  |
                                             | insert into item values (9, 12)
        commit                               |
                                             | commit
    """,
    "a key of a row that the other deletes": """
        -- Both: b waits; when a commits, the key is free.
        begin                                |
                                             | begin
        delete from mark where id = 1        |
                                             | insert into mark values (1, 12, 'x1')
        commit                               |
                                             | commit
        select * from mark where tag = 'x1'  |
    """,
    "a key of a row whose deletion is rolled back": """
        -- Both: 23505.
        begin                                |
                                             | begin
        delete from mark where id = 1        |
                                             | insert into mark values (1, 12, 'other')
        rollback                             |
                                             | commit
        select * from mark where v = 12      |
    """,
    "insert, delete, insert of one key": """
        -- Both: b sees nothing of it until a commits; then 23505 for b.
        begin                                |
        insert into mark values (4, 1, 'k')  |
                                             | select * from mark where id = 4
        delete from mark where id = 4        |
        insert into mark values (4, 2, 'k')  |
                                             | insert into mark values (5, 9, 'k')
        select * from mark where tag = 'k'   |
        commit                               |
                                             | select * from mark where tag = 'k'
        delete from mark where id = 4        |
    """,
    "delete, insert, delete, insert of a key that was there": """
        -- Both: the reader's old row is there as long as its snapshot shows it.
        begin                                |
                                             | begin
                                             | select * from mark where id = 1
        delete from mark where id = 1        |
        insert into mark values (1, 1, 'k')  |
        delete from mark where id = 1        |
        insert into mark values (1, 2, 'k')  |
                                             | select * from mark where id = 1
                                             | select * from mark where tag = 'x1'
        commit                               |
                                             | select * from mark where id = 1
                                             | select * from mark where tag = 'x1'
                                             | select * from mark where tag = 'k'
                                             | commit
    """,
    "insert, delete, insert, all of it rolled back": """
        begin                                |
        insert into mark values (4, 1, 'k')  |
        delete from mark where id = 4        |
        insert into mark values (4, 2, 'k')  |
                                             | insert into mark values (4, 9, 'k')
        rollback                             |
                                             | select * from mark where tag = 'k'
    """,
    "ROLLBACK TO lets go what was locked after the savepoint": """
        -- Both: b goes on when a goes back to its savepoint; then a waits for b. RC: 122. RR: a gets 40001, if its snapshot is older.
        begin                                    |
        select count(*) from item                |
                                                 | begin
        savepoint s                              |
        update item set v = 11 where id = 1      |
                                                 | update item set v = v + 12 where id = 1
        rollback to s                            |
        update item set v = v + 100 where id = 1 |
                                                 | commit
        commit                                   |
    """,
    "ROLLBACK TO keeps what was locked before the savepoint": """
        -- RC: b waits until a commits: 111. RR: 40001.
        begin                                    |
                                                 | begin
                                                 | select count(*) from item
        update item set v = 11 where id = 1      |
        savepoint s                              |
        update item set v = 12 where id = 1      |
                                                 | update item set v = v + 100 where id = 1
        rollback to s                            |
        select * from item                       |
        commit                                   |
                                                 | commit
    """,
    "RELEASE keeps what was locked after the savepoint": """
        begin                                    |
                                                 | begin
        savepoint s                              |
        update item set v = 11 where id = 1      |
                                                 | update item set v = v + 100 where id = 1
        release s                                |
        commit                                   |
                                                 | commit
    """,
    "a failed statement lets go what was locked after the savepoint": """
        -- Both: b goes on as soon as a's statement has failed.
        begin                                    |
        savepoint s                              |
        update item set v = 11 where id = 1      |
                                                 | update item set v = v + 100 where id = 1
        select 1 / (id - 2) from item            |
        rollback to s                            |
        select * from item                       |
        commit                                   |
    """,
    "a failed block lets go what it had locked": """
        -- Both: b goes on as soon as a's block has failed, before its ROLLBACK.
        begin                                    |
        update item set v = 11 where id = 1      |
                                                 | update item set v = v + 100 where id = 1
        select 1 / (id - 2) from item            |
                                                 | select * from item
        rollback                                 |
    """,
    "a conflict inside of a savepoint": """
        -- RC: no conflict. RR: 40001 again and again for that row; the rest of the transaction is as good as ever.
                                                 | begin
                                                 | select count(*) from item
        update item set v = 11 where id = 1      |
                                                 | update item set v = 21 where id = 2
                                                 | savepoint s
                                                 | update item set v = v + 1 where id = 1
                                                 | rollback to s
                                                 | update item set v = v + 1 where id = 1
                                                 | rollback to s
                                                 | select * from item
                                                 | update item set v = 31 where id = 3
                                                 | commit
    """,
    "a unique key lost inside of a savepoint": """
        begin                                    |
        insert into item values (4, 41)          |
                                                 | begin
                                                 | insert into item values (5, 52)
                                                 | savepoint s
                                                 | insert into item values (4, 42)
        commit                                   |
                                                 | rollback to s
                                                 | insert into item values (6, 62)
                                                 | commit
    """,
    "a key inserted after a savepoint and taken back": """
        -- Both: b goes on when a goes back.
        begin                                    |
        savepoint s                              |
        insert into item values (4, 41)          |
                                                 | insert into item values (4, 42)
        rollback to s                            |
        insert into item values (5, 51)          |
        commit                                   |
    """,
    "lock_timeout": """
        -- Both: 55P03, and b's block has failed; afterwards it goes on.
        begin                                    |
                                                 | set lock_timeout = '60ms'
                                                 | begin
        update item set v = 11 where id = 1      |
                                                 | update item set v = 22 where id = 2
                                                 | update item set v = 12 where id = 1 -- ends by itself
                                                 | select 1
                                                 | rollback
                                                 | select * from item where id = 1 for update -- ends by itself
                                                 | delete from item -- ends by itself
        commit                                   |
                                                 | update item set v = 12 where id = 1
    """,
    "lock_timeout while waiting for a key": """
        begin                                    |
        insert into item values (4, 41)          |
                                                 | set lock_timeout = '60ms'
                                                 | insert into item values (4, 42) -- ends by itself
        rollback                                 |
                                                 | insert into item values (4, 43)
    """,
    "lock_timeout inside of a savepoint": """
        begin                                    |
        update item set v = 11 where id = 1      |
                                                 | begin
                                                 | set local lock_timeout = '60ms'
                                                 | update item set v = 22 where id = 2
                                                 | savepoint s
                                                 | update item set v = 12 where id = 1 -- ends by itself
                                                 | rollback to s
                                                 | select * from item
                                                 | commit
        commit                                   |
    """,
    "statement_timeout while waiting": """
        -- Both: 57014.
        begin                                    |
        update item set v = 11 where id = 1      |
                                                 | begin
                                                 | update item set v = 22 where id = 2
                                                 | set local statement_timeout = '80ms'
                                                 | update item set v = 12 where id = 1 -- ends by itself
                                                 | commit
        commit                                   |
                                                 | update item set v = 12 where id = 1
    """,
    "cancel while waiting": """
        -- Both: 57014; what b had done before in its block is gone.
        begin                                    |
        update item set v = 11 where id = 1      |
                                                 | begin
                                                 | update item set v = 22 where id = 2
                                                 | update item set v = 12 where id = 1
        cancel b                                 |
                                                 | commit
        commit                                   |
                                                 | update item set v = 12 where id = 1
    """,
    "cancel while waiting for a key": """
        begin                                    |
        insert into item values (4, 41)          |
                                                 | insert into item values (4, 42)
        cancel b                                 |
        commit                                   |
                                                 | insert into item values (4, 43)
    """,
    "cancel while waiting inside of a savepoint": """
        begin                                    |
        update item set v = 11 where id = 1      |
                                                 | begin
                                                 | update item set v = 22 where id = 2
                                                 | savepoint s
                                                 | select * from item where id = 1 for update
        cancel b                                 |
                                                 | rollback to s
                                                 | commit
        commit                                   |
    """,
    "a session that holds locks goes away": """
        -- Both: as if a had rolled back.
        begin                                    |
        update item set v = 11 where id = 1      |
        insert into item values (4, 41)          |
                                                 | begin
                                                 | update item set v = v + 2 where id = 1
        disconnect                               |
                                                 | insert into item values (4, 42)
                                                 | commit
    """,
    "a session that waits goes away": """
        -- Both: nothing of b is left.
        begin                                    |                                        |
        update item set v = 11 where id = 1      |                                        |
                                                 | begin                                  |
                                                 | update item set v = v + 2 where id = 1 |
                                                 | disconnect                             |
        commit                                   |                                        |
                                                 |                                        | update item set v = v + 100 where id = 1
    """,
    "FOR UPDATE twice": """
        -- Both: b waits; nothing was changed, so nobody fails.
        begin                                        |
                                                     | begin
                                                     | select count(*) from item
        select * from item where id = 1 for update   |
                                                     | select * from item where id = 1 for update
        commit                                       |
                                                     | update item set v = 12 where id = 1
                                                     | commit
    """,
    "FOR UPDATE, then a change": """
        -- RC: b returns 11. RR: 40001.
        begin                                        |
                                                     | begin
                                                     | select count(*) from item
        select * from item where id = 1 for update   |
                                                     | select * from item where id = 1 for update
        update item set v = 11 where id = 1          |
        commit                                       |
                                                     | commit
    """,
    "FOR UPDATE of a row that is deleted": """
        -- RC: no row. RR: 40001.
        begin                                        |
                                                     | begin
                                                     | select count(*) from item
        delete from item where id = 1                |
                                                     | select * from item where id = 1 for update
        commit                                       |
                                                     | commit
    """,
    "FOR UPDATE of a row whose condition ends": """
        -- RC: no row. RR: 40001.
        begin                                        |
                                                     | begin
                                                     | select count(*) from item
        update item set v = 99 where id = 1          |
                                                     | select * from item where v = 10 for update
        commit                                       |
                                                     | commit
    """,
    "FOR UPDATE keeps out changes, not readers": """
        begin                                        |
        select * from item where id < 3 for update   |
                                                     | select * from item
                                                     | update item set v = 31 where id = 3
                                                     | update item set v = 11 where id = 1
        commit                                       |
    """,
    "FOR UPDATE, then delete": """
        begin                                        |
        select * from mark where tag = 'x1' for update |
                                                     | begin
                                                     | delete from mark where v = 10
        commit                                       |
                                                     | rollback
    """,
    "FOR UPDATE that is taken back to a savepoint": """
        begin                                        |
        savepoint s                                  |
        select * from item where id = 1 for update   |
                                                     | update item set v = 11 where id = 1
        rollback to s                                |
        select * from item                           |
        commit                                       |
    """,
    "FOR SHARE beside FOR SHARE": """
        -- Both: b does not wait; c waits for both.
        begin                                        |                                             |
        select * from item where id = 1 for share    |                                             |
                                                     | begin                                       |
                                                     | select * from item where id = 1 for share   |
                                                     |                                             | update item set v = 13 where id = 1
        commit                                       |                                             |
                                                     | select * from item where id = 1             |
                                                     | commit                                      |
    """,
    "FOR SHARE, then FOR UPDATE": """
        begin                                        |
        select * from item where id = 1 for share    |
                                                     | begin
                                                     | select * from item where id = 1 for update
        commit                                       |
                                                     | commit
    """,
    "FOR UPDATE, then FOR SHARE": """
        begin                                        |
        select * from item where id = 1 for update   |
                                                     | begin
                                                     | select * from item where id = 1 for share
        rollback                                     |
                                                     | commit
    """,
    "a change, then FOR SHARE": """
        -- RC: returns 11. RR: 40001.
        begin                                        |
                                                     | begin
                                                     | select count(*) from item
        update item set v = 11 where id = 1          |
                                                     | select * from item where id = 1 for share
        commit                                       |
                                                     | commit
    """,
    "one's own FOR SHARE is no obstacle": """
        begin                                        |
        select * from item for share                 |
        update item set v = v + 1 where id = 1       |
        select * from item where id = 2 for update   |
                                                     | select * from item where id = 3 for share
                                                     | select * from item where id = 2 for share nowait
        delete from item where id = 3                |
        commit                                       |
    """,
    "FOR SHARE of two, one of whom changes the row": """
        -- RC: a waits for b. RR: the same: a lock is no change.
        begin                                        |
                                                     | begin
        select * from item where id = 1 for share    |
                                                     | select * from item where id = 1 for share
        update item set v = 11 where id = 1          |
                                                     | commit
        commit                                       |
    """,
    "NOWAIT": """
        -- Both: 55P03 at once, for locked and changed and deleted rows; not for others.
        begin                                        |
        select * from item where id = 1 for update   |
        update item set v = 21 where id = 2          |
                                                     | select * from item where id = 1 for update nowait
                                                     | select * from item where id = 2 for share nowait
                                                     | select * from item for update nowait
                                                     | select * from item where id = 3 for update nowait
                                                     | select * from item where id = 1
        delete from item where id = 3                |
                                                     | begin
                                                     | savepoint s
                                                     | select * from item where id = 3 for share nowait
                                                     | rollback to s
                                                     | select count(*) from item
                                                     | commit
        commit                                       |
                                                     | select * from item for update nowait
    """,
    "NOWAIT of a shared row": """
        begin                                        |
        select * from item where id = 1 for share    |
                                                     | select * from item where id = 1 for share nowait
                                                     | select * from item where id = 1 for update nowait
        commit                                       |
    """,
    "SKIP LOCKED": """
        -- Both: the rows that nobody else has.
        begin                                               |
        select * from item where id = 1 for update          |
        update item set v = 21 where id = 2                 |
                                                            | begin
                                                            | select * from item for update skip locked
                                                            | select * from item where id = 1 for update skip locked
                                                            | select * from item where id < 3 for share skip locked
        select * from item for update skip locked           |
        select * from item for share skip locked            |
        commit                                              |
                                                            | select * from item where id = 1 for update skip locked
                                                            | commit
    """,
    "SKIP LOCKED as a queue": """
        -- Both: each takes the next: 1, 2, 3, nothing; what is rolled back can be taken again.
        begin                                                            |                                                                  | begin
                                                                         | begin                                                            |
        select id from item order by id limit 1 for update skip locked   |                                                                  |
                                                                         | select id from item order by id limit 1 for update skip locked   |
                                                                         |                                                                  | select id from item order by id limit 1 for update skip locked
        select id from item where id > 1 for update skip locked          |                                                                  |
        delete from item where id = 1                                    |                                                                  |
                                                                         | rollback                                                         |
                                                                         | begin                                                            |
        commit                                                           |                                                                  |
                                                                         | select id from item order by id limit 1 for update skip locked   |
                                                                         | commit                                                           |
                                                                         |                                                                  | commit
    """,
    "SKIP LOCKED in a subquery, as a queue": """
        -- Both: each takes the next, and nobody waits.
        begin                                                                                                                             |
                                                                                                                                          | begin
        update item set v = 1 where id = (select id from item order by id limit 1 for update skip locked) returning id                    |
                                                                                                                                          | update item set v = 2 where id = (select id from item order by id limit 1 for update skip locked) returning id
                                                                                                                                          | with next as (select id from item order by id limit 1 for update skip locked) delete from item using next where item.id = next.id returning item.id
        select count(*) from (select id from item for update skip locked) as free                                                         |
        rollback                                                                                                                          |
                                                                                                                                          | commit
    """,
    "FOR UPDATE in a derived table": """
        -- Both: b waits. RC: it sees what a has left. RR: 40001.
        begin                                               |
        update item set v = 11 where id = 1                 |
                                                            | begin
                                                            | select sum(v) from (select v from item where id < 3 for update) as x
        commit                                              |
                                                            | commit
    """,
    "SKIP LOCKED of shared rows": """
        begin                                               |
        select * from item where id < 3 for share           |
                                                            | select * from item for share skip locked
                                                            | select * from item for update skip locked
        commit                                              |
    """,
    "FOR UPDATE of one table of a join": """
        -- Both: b waits for item's row, not for mark's.
        begin                                                                             |
        select item.id from item join mark on item.id = mark.id where mark.id = 1 for update of item |
                                                                                          | update mark set v = 11 where id = 1
                                                                                          | update item set v = 11 where id = 1
        commit                                                                            |
    """,
    "an indexed column changed by two": """
        -- RC: 100, found under its last value alone. RR: 40001.
        begin                                    |
                                                 | begin
                                                 | select * from mark where v = 10
        update mark set v = 99 where id = 1      |
                                                 | update mark set v = v + 1 where id = 1
        commit                                   |
                                                 | select * from mark where v in (10, 11, 99, 100)
                                                 | commit
        select * from mark where v = 10          |
        select * from mark where v = 99          |
        select * from mark where v = 100         |
    """,
    "an indexed column changed by two, the first rolls back": """
        begin                                    |
                                                 | begin
        update mark set v = 99 where id = 1      |
                                                 | update mark set v = v + 1 where v = 10
        rollback                                 |
                                                 | select * from mark where v < 15
                                                 | commit
        select * from mark where v = 10          |
        select * from mark where v = 11          |
        select * from mark where v = 99          |
    """,
    "an indexed column and another one changed by two": """
        -- RC: both changes are there. RR: 40001.
        begin                                    |
                                                 | begin
                                                 | select * from mark where v = 10
        update mark set v = 99 where id = 1      |
                                                 | update mark set tag = 'new' where id = 1
        commit                                   |
                                                 | commit
        select * from mark where v = 99          |
        select * from mark where tag = 'new'     |
        select * from mark where tag = 'x1'      |
    """,
    "a row found by an index entry that the other takes away": """
        -- RC: UPDATE 0. RR: 40001.
        begin                                    |
                                                 | begin
                                                 | select * from mark where v = 10
        update mark set v = 11 where id = 1      |
                                                 | update mark set v = 0 where v = 10
        commit                                   |
                                                 | commit
    """,
    "a row found by an index entry that nobody has committed": """
        begin                                    |
                                                 | begin
        update mark set v = 11 where id = 1      |
                                                 | select * from mark where v = 11
                                                 | select * from mark where v = 10
                                                 | update mark set v = 0 where v = 11
        commit                                   |
                                                 | select * from mark where v = 11
                                                 | commit
    """,
    "a mixture of levels": """
        -- b is REPEATABLE READ, a READ COMMITTED, whatever is tested.
        begin isolation level read committed     |
                                                 | begin isolation level repeatable read
                                                 | select * from item
        update item set v = v + 1 where id = 1   |
                                                 | update item set v = v + 10 where id = 2
        update item set v = v + 1 where id = 2   |
                                                 | commit
        select * from item                       |
        commit                                   |
    """,
    "a reader of a level of its own": """
        begin                                    |
                                                 | begin isolation level repeatable read read only
                                                 | select * from item
        update item set v = v + 1                |
        commit                                   |
                                                 | select * from item
                                                 | update item set v = 0
                                                 | rollback
                                                 | select * from item
    """,
    "a string of statements is one transaction": """
        -- Both: b waits until a's whole string is done with, which a's own wait for c puts off.
                                                                                |                                       | begin
                                                                                |                                       | update item set v = 23 where id = 2
        update item set v = 11 where id = 1; update item set v = 21 where id = 2 |                                      |
                                                                                | update item set v = v + 1 where id = 1 |
                                                                                |                                       | commit
    """,
}

# READ COMMITTED: PostgreSQL's outcome, or that of the statement run wholly after the other's commit. REPEATABLE READ: 40001, exactly.
EITHER = {
    "a row that came while the statement waited": """
        -- RC: PostgreSQL passes over row 4; a new start changes it too. RR: 40001.
        begin                                    |
                                                 | begin
                                                 | select count(*) from item
        update item set v = 25 where id = 2      |
        insert into item values (4, 40)          |
                                                 | update item set v = v + 1 where v >= 20
        commit                                   |
                                                 | commit
    """,
    "rows that move past the condition": """
        -- RC: PostgreSQL deletes nothing: row 2 has 30 now; a new start deletes row 1, which has 20 now. RR: 40001.
        begin                                    |
                                                 | begin
                                                 | select count(*) from item
        update item set v = v + 10               |
                                                 | delete from item where v = 20
        commit                                   |
                                                 | select * from item
                                                 | commit
    """,
    "rows that move past the condition of an index": """
        begin                                    |
                                                 | begin
                                                 | select count(*) from mark
        update mark set v = v + 10               |
                                                 | update mark set v = 0 where v = 20
        commit                                   |
                                                 | select * from mark
                                                 | commit
    """,
    "a delete of everything": """
        -- RC: PostgreSQL leaves the row that came; a new start does not. RR: 40001.
        begin                                    |
                                                 | begin
                                                 | select count(*) from item
        insert into item values (4, 40)          |
        update item set v = 11 where id = 1      |
                                                 | delete from item
        commit                                   |
                                                 | select * from item
                                                 | commit
    """,
    "a row that is deleted and inserted again": """
        -- RC: PostgreSQL's UPDATE 0, or a new start's UPDATE 1. RR: 40001.
        begin                                    |
                                                 | begin
                                                 | select count(*) from item
        delete from item where id = 1            |
        insert into item values (1, 15)          |
                                                 | update item set v = v + 1 where id = 1
        commit                                   |
                                                 | commit
    """,
    "keys that change places": """
        -- RC: PostgreSQL's UPDATE 0, or a new start's UPDATE 1 of the row that has the key now. RR: 40001.
        begin                                    |
                                                 | begin
                                                 | select count(*) from item
        update item set id = -1 where id = 1     |
        update item set id = 1 where id = 2      |
        update item set id = 2 where id = -1     |
                                                 | update item set v = 0 where id = 1
        commit                                   |
                                                 | commit
    """,
    "a join with a table that changes too": """
        -- RC: PostgreSQL takes mark's old value for item's new row; a new start takes the new one. RR: 40001.
        begin                                    |
                                                 | begin
                                                 | select count(*) from item
        update mark set v = 77 where id = 1      |
        update item set v = 11 where id = 1      |
                                                 | update item set v = item.v + mark.v * 1000 from mark where mark.id = item.id and item.id = 1
        commit                                   |
                                                 | commit
    """,
    "FOR UPDATE and a row that came": """
        begin                                    |
                                                 | begin
                                                 | select count(*) from item
        insert into item values (4, 40)          |
        update item set v = 25 where id = 2      |
                                                 | select * from item where v >= 20 for update
        commit                                   |
                                                 | update item set v = 0 where v >= 20
                                                 | commit
    """,
    "FOR SHARE of a join whose other side changes": """
        begin                                    |
                                                 | begin
                                                 | select count(*) from item
        update mark set v = 77 where id = 1      |
        update item set v = 11 where id = 1      |
                                                 | select item.id, item.v, mark.v from item join mark on mark.id = item.id for share of item
        commit                                   |
                                                 | commit
    """,
    "two others in turn": """
        -- RC: b waits for a and for c; either of them brings a row.
        begin                                |                                          | begin
                                             | begin                                    |
                                             | select count(*) from item                |
        insert into item values (4, 40)      |                                          |
        update item set v = 15 where id = 1  |                                          |
                                             |                                          | insert into item values (5, 50)
                                             |                                          | update item set v = 35 where id = 3
                                             | update item set v = v + 1                |
        commit                               |                                          |
                                             |                                          | commit
                                             | commit                                   |
    """,
    "two statements that wait": """
        begin                                |                                          |
                                             | begin                                    |
                                             | select count(*) from item                |
        insert into item values (4, 40)      |                                          |
        update item set v = 15 where id = 1  |                                          |
                                             | update item set v = v + 1 where v < 50   |
        commit                               |                                          |
                                             |                                          | begin
                                             |                                          | insert into mark values (4, 40, 'x4')
                                             |                                          | update mark set v = 35 where id = 3
                                             | update mark set v = v + 1 where v > 25   |
                                             |                                          | commit
                                             | commit                                   |
    """,
    "an INSERT of what is read": """
        -- Both: b waits for a's key, which is taken back: INSERT 0 3.
        begin                                        |
                                                     | begin
        insert into mark values (104, 0, 'taken')    |
                                                     | insert into mark select id + 101, v, 'copy ' || id from item
        rollback                                     |
                                                     | commit
    """,
    "a string of statements that waits": """
        -- RC: the second statement of the string begins anew, or not; the first was done before.
        begin                                |
        insert into item values (4, 40)      |
        update item set v = 15 where id = 1  |
                                             | update item set v = v + 1 where id = 2; update item set v = v + 1 where v < 50
        commit                               |
    """,
}

# All sessions do the same: which of them is the victim, or comes first, is open; the outcomes as a multiset are not.
ANY_ORDER = {
    "deadlock of advisory locks": """
        -- Both: one 40P01; the other one goes on.
        begin                                    |
                                                 | begin
        select pg_advisory_xact_lock(1)          |
                                                 | select pg_advisory_xact_lock(2)
        select pg_advisory_xact_lock(2)          |
                                                 | select pg_advisory_xact_lock(1)
        commit                                   |
                                                 | commit
    """,
    "deadlock of two": """
        -- Both: one 40P01, whose block has failed; the other one goes on.
        begin                                    |
                                                 | begin
        update item set v = v + 1 where id = 1   |
                                                 | update item set v = v + 1 where id = 2
        update item set v = v + 1 where id = 2   |
                                                 | update item set v = v + 1 where id = 1
        select 1                                 |
                                                 | select 1
        commit                                   |
                                                 | commit
    """,
    "deadlock of three": """
        -- RC: one 40P01; of the others one goes on at once and the other after it. RR: the same, for nobody commits before.
        begin                                    |                                         |
                                                 | begin                                   |
                                                 |                                         | begin
        update item set v = v + 1 where id = 1   |                                         |
                                                 | update item set v = v + 1 where id = 2  |
                                                 |                                         | update item set v = v + 1 where id = 3
        update item set v = v + 1 where id = 2   |                                         |
                                                 | update item set v = v + 1 where id = 3  |
                                                 |                                         | update item set v = v + 1 where id = 1
        rollback                                 |                                         |
                                                 | rollback                                |
                                                 |                                         | rollback
    """,
    "deadlock of locks": """
        begin                                        |
                                                     | begin
        select 0 from item where id = 1 for update   |
                                                     | select 0 from item where id = 2 for update
        select 1 from item where id = 2 for update   |
                                                     | select 1 from item where id = 1 for update
        commit                                       |
                                                     | commit
    """,
    "deadlock of shared locks that want more": """
        begin                                        |
                                                     | begin
        select * from item where id = 1 for share    |
                                                     | select * from item where id = 1 for share
        update item set v = v + 1 where id = 1       |
                                                     | update item set v = v + 1 where id = 1
        commit                                       |
                                                     | commit
    """,
    "deadlock of keys": """
        -- One 40P01; the other one has both keys.
        begin                                    |
                                                 | begin
        insert into item values (8, 80)          |
                                                 | insert into item values (9, 80)
        insert into item values (9, 80)          |
                                                 | insert into item values (8, 80)
        commit                                   |
                                                 | commit
    """,
    "deadlock inside of savepoints": """
        -- The victim goes back to its savepoint and keeps what it did before.
        begin                                    |
                                                 | begin
        update item set v = v + 1 where id = 1   |
                                                 | update item set v = v + 1 where id = 2
        savepoint s                              |
                                                 | savepoint s
        update item set v = v + 9 where id = 2   |
                                                 | update item set v = v + 9 where id = 1
        rollback to s                            |
                                                 | rollback to s
        commit                                   |
                                                 | commit
    """,
    "deadlock over statements of several rows": """
        begin                                        |
                                                     | begin
        update item set v = v + 1 where id = 1       |
                                                     | update item set v = v + 1 where id = 3
        update mark set v = v + 1 where id = 1       |
                                                     | update mark set v = v + 1 where id = 3
        update item set v = v + 1                    |
                                                     | update item set v = v + 1
        rollback                                     |
                                                     | rollback
    """,
    "two wait for one row": """
        -- RC: both go on in turn: 1112 in the end. RR: both fail with 40001.
        begin                                    |                                          |
                                                 | begin                                    |
                                                 |                                          | begin
                                                 | select count(*) from item                |
                                                 |                                          | select count(*) from item
        update item set v = 1110 where id = 1    |                                          |
                                                 | update item set v = v + 1 where id = 1   |
                                                 |                                          | update item set v = v + 1 where id = 1
        commit                                   |                                          |
                                                 | commit                                   |
                                                 |                                          | commit
    """,
    "two wait for one row that stays as it was": """
        begin                                    |                                          |
                                                 | begin                                    |
                                                 |                                          | begin
        update item set v = 1110 where id = 1    |                                          |
                                                 | update item set v = v + 1 where id = 1   |
                                                 |                                          | update item set v = v + 1 where id = 1
        rollback                                 |                                          |
                                                 | rollback                                 |
                                                 |                                          | rollback
    """,
    "two wait for one key": """
        -- One of them inserts it, the other has 23505.
        begin                                    |                                          |
        insert into item values (4, 41)          |                                          |
                                                 | insert into item values (4, 42)          |
                                                 |                                          | insert into item values (4, 42)
        rollback                                 |                                          |
    """,
    "three want one row exclusively": """
        begin                                       |                                             |                                             | begin
                                                    |                                             |                                             | select id from item where id = 1 for update
                                                    | begin                                       |                                             |
                                                    |                                             | begin                                       |
        select id from item where id = 1 for update |                                             |                                             |
                                                    | select id from item where id = 1 for update |                                             |
                                                    |                                             | select id from item where id = 1 for update |
                                                    |                                             |                                             | commit
        commit                                      |                                             |                                             |
                                                    | commit                                      |                                             |
                                                    |                                             | commit                                      |
    """,
    "deadlock over definitions": """
        begin                                    |
                                                 | begin
        alter table item alter column v set default 1 |
                                                 | alter table mark alter column v set default 1
        select count(*) from mark                  |
                                                 | select count(*) from item
        rollback                                 |
                                                 | rollback
    """,
}
