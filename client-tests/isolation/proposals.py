"""INSERT ... ON CONFLICT and RETURNING between sessions, drawn as in scenarios.py, over its tables."""

EXACT = {
    "nothing to do waits for who inserts the key": """
        begin                                                                   |
        insert into item values (4, 40)                                         |
                                                                                | begin
                                                                                | insert into item values (4, 41) on conflict do nothing returning v
        commit                                                                  |
                                                                                | select * from item
                                                                                | commit
    """,
    "who inserted the key rolls back": """
        begin                                                                   |
        insert into item values (4, 40)                                         |
                                                                                | begin
                                                                                | insert into item values (4, 41) on conflict do nothing returning v
        rollback                                                                |
                                                                                | select * from item
                                                                                | commit
    """,
    "the row that came first is updated": """
        -- RR: 40001, the snapshot does not see it.
        begin                                                                   |
        insert into item values (4, 40)                                         |
                                                                                | begin
                                                                                | select count(*) from item
                                                                                | insert into item values (4, 41) on conflict (id) do update set v = item.v + excluded.v returning v
        commit                                                                  |
                                                                                | rollback
    """,
    "both want to update one row": """
        -- RC: b adds to what a left. RR: 40001.
        begin                                                                                                    |
        insert into item values (1, 5) on conflict (id) do update set v = item.v + excluded.v returning v       |
                                                                                                                 | begin
                                                                                                                 | select v from item where id = 1
                                                                                                                 | insert into item values (1, 7) on conflict (id) do update set v = item.v + excluded.v returning v
        commit                                                                                                   |
                                                                                                                 | select v from item where id = 1
                                                                                                                 | commit
    """,
    "who updated the row rolls back": """
        begin                                                                                                    |
        insert into item values (1, 5) on conflict (id) do update set v = item.v + excluded.v returning v       |
                                                                                                                 | begin
                                                                                                                 | insert into item values (1, 7) on conflict (id) do update set v = item.v + excluded.v returning v
        rollback                                                                                                 |
                                                                                                                 | commit
    """,
    "the condition looks at what is newest": """
        begin                                        |
        update item set v = 100 where id = 1         |
                                                     | begin
                                                     | insert into item values (1, 50) on conflict (id) do update set v = excluded.v where item.v < excluded.v returning v
        commit                                       |
                                                     | rollback
    """,
    "a subquery reads the row as another left it": """
        -- RC: the whole statement again, since the subquery is computed beforehand. RR: 40001.
        begin                                        |
        update item set v = 100 where id = 1         |
                                                     | begin
                                                     | insert into item values (1, 7), (2, 8) on conflict (id) do update set v = (select item.v + excluded.v + max(m.id) from mark m where m.id < item.v) where item.v in (select 100 union select 20) returning id, v
        commit                                       |
                                                     | select * from item
                                                     | rollback
    """,
    "a subquery reads the row that came first": """
        begin                                        |
        insert into item values (4, 40)              |
                                                     | begin
                                                     | insert into item values (4, 7) on conflict (id) do update set v = (select item.v + excluded.v) returning id, v
        commit                                       |
                                                     | select * from item
                                                     | rollback
    """,
    "the row in the way is deleted": """
        begin                                        |
        delete from item where id = 1 returning v    |
                                                     | begin
                                                     | insert into item values (1, 11) on conflict (id) do update set v = item.v + 1 returning v
        commit                                       |
                                                     | rollback
    """,
    "the row in the way stays after all": """
        begin                                        |
        delete from item where id = 1 returning v    |
                                                     | begin
                                                     | insert into item values (1, 11) on conflict do nothing returning v
        rollback                                     |
                                                     | rollback
    """,
    "the row in the way gets another key": """
        begin                                        |
        update mark set tag = 'y1' where id = 1      |
                                                     | begin
                                                     | insert into mark values (9, 9, 'x1') on conflict (tag) do update set v = 99 returning id, v, tag
        commit                                       |
                                                     | rollback
    """,
    "a row comes to have the key": """
        begin                                        |
        update mark set tag = 'y1' where id = 1      |
                                                     | begin
                                                     | insert into mark values (9, 9, 'y1') on conflict (tag) do nothing returning id, v, tag
        commit                                       |
                                                     | rollback
    """,
    "an update beside the key": """
        begin                                        |
        update mark set v = 5 where id = 1           |
                                                     | begin
                                                     | insert into mark values (1, 9, 'q') on conflict (id) do nothing returning id
        commit                                       |
                                                     | rollback
    """,
    "a snapshot that is older than the row in the way": """
        -- RR: 40001.
                                                     | begin
                                                     | select count(*) from item
        insert into item values (4, 40)              |
                                                     | insert into item values (4, 41) on conflict do nothing returning v
                                                     | rollback
    """,
    "a snapshot that is older than the change of the row in the way": """
        -- RR: 40001.
                                                     | begin
                                                     | select count(*) from item
        update item set v = 12 where id = 1          |
                                                     | insert into item values (1, 41) on conflict (id) do update set v = item.v + 1 returning v
                                                     | rollback
    """,
    "a snapshot that still sees a row with the key": """
                                                     | begin
                                                     | select count(*) from item
        delete from item where id = 1                |
                                                     | insert into item values (1, 41) on conflict (id) do update set v = item.v + 1 returning v
                                                     | select * from item
                                                     | commit
    """,
    "a third session sees nothing before the commit": """
        begin                                                                                              |                                      |
        insert into item values (1, 5), (7, 70) on conflict (id) do update set v = excluded.v returning *  |                                      |
                                                                                                           | select * from item                   |
                                                                                                           |                                      | begin
                                                                                                           |                                      | insert into item values (7, 71), (8, 80) on conflict do nothing returning *
        commit                                                                                             |                                      |
                                                                                                           |                                      | select * from item
                                                                                                           |                                      | commit
    """,
    "the other key is taken": """
        begin                                        |
        insert into mark values (4, 40, 'x4')        |
                                                     | begin
                                                     | insert into mark values (5, 50, 'x4') on conflict (id) do update set v = 0
        commit                                       |
                                                     | rollback
    """,
    "an update returns what it found after the wait": """
        -- RR: 40001.
        begin                                        |
        update item set v = v + 1 where id = 1 returning v |
                                                     | begin
                                                     | select 1 from item
                                                     | update item set v = v + 10 where id = 1 returning id, v
        commit                                       |
                                                     | rollback
    """,
    "a delete returns what it found after the wait": """
        -- RR: 40001.
        begin                                        |
        update item set v = v + 1 where id = 1 returning v |
                                                     | begin
                                                     | select 1 from item
                                                     | delete from item where id = 1 returning id, v
        commit                                       |
                                                     | rollback
    """,
    "a row that no longer fits is not returned": """
        begin                                        |
        update item set v = 500 where id = 1 returning v |
                                                     | begin
                                                     | delete from item where v = 10 returning id, v
        commit                                       |
                                                     | rollback
    """,
}

# Who of two that do the same comes first is open.
ANY_ORDER = {
    "two wait to propose one key": """
        begin                                    |                                                                                             |
        insert into item values (4, 0)           |                                                                                             |
                                                 | insert into item values (4, 1) on conflict (id) do update set v = item.v + 1 returning id   |
                                                 |                                                                                             | insert into item values (4, 1) on conflict (id) do update set v = item.v + 1 returning id
        rollback                                 |                                                                                             |
    """,
}
