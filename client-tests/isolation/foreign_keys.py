"""Interleavings of tables that refer to one another. "begin" stands for BEGIN at the level that is tested.

Tables: parent (id primary key, v) with the rows 1, 2, 3, 4; child (id primary key, p references parent), without an index of p, with
(1, 1); owned (id primary key, p references parent on delete cascade on update cascade), with an index of p, with (1, 2), (2, 2);
loose (id primary key, p references parent on delete set null on update cascade), without one, with (1, 2), (2, 4).
"""

TABLES = (
    "create table parent (id integer primary key, v integer)",
    "create table child (id integer primary key, p integer references parent)",
    "create table owned (id integer primary key, p integer references parent on delete cascade on update cascade)",
    "create index owned_p on owned (p)",
    "create table loose (id integer primary key, p integer references parent on delete set null on update cascade)",
)
DROP = "drop table loose, owned, child, parent"
SETUP = (
    "truncate parent, child, owned, loose",
    "insert into parent values (1, 10), (2, 20), (3, 30), (4, 40)",
    "insert into child values (1, 1)",
    "insert into owned values (1, 2), (2, 2)",
    "insert into loose values (1, 2), (2, 4)",
)
SHOWN = ("select * from parent", "select * from child", "select * from owned", "select * from loose")

# Outcomes, and when each came, must be PostgreSQL's.
EXACT = {
    "a parent goes while a child comes": """
        -- Both: b waits, and gets 23503.
        begin                               |
                                            | begin
        insert into child values (2, 3)     |
                                            | delete from parent where id = 3
        commit                              |
                                            | commit
    """,
    "a parent goes while a child does not come after all": """
        begin                               |
                                            | begin
        insert into child values (2, 3)     |
                                            | delete from parent where id = 3
        rollback                            |
                                            | commit
    """,
    "a child comes while its parent goes": """
        -- RC: b waits, and gets 23503. RR: 40001.
        begin                               |
                                            | begin
        delete from parent where id = 3     |
                                            | insert into child values (2, 3)
        commit                              |
                                            | commit
    """,
    "a child comes while its parent does not go after all": """
        begin                               |
                                            | begin
        delete from parent where id = 3     |
                                            | insert into child values (2, 3)
        rollback                            |
                                            | commit
    """,
    "a child comes while its parent gets another key": """
        begin                                     |
                                                  | begin
        update parent set id = 5 where id = 3     |
                                                  | insert into child values (2, 3)
        commit                                    |
                                                  | insert into child values (3, 5)
                                                  | commit
    """,
    "a parent gets another key while a child comes": """
        begin                                     |
                                                  | begin
        insert into child values (2, 3)           |
                                                  | update parent set id = 5 where id = 3
        commit                                    |
                                                  | commit
    """,
    "a parent that has not committed is none": """
        begin                                  |
        insert into parent values (7, 70)      |
                                               | insert into child values (2, 7)
        commit                                 |
                                               | insert into child values (3, 7)
    """,
    "a parent that came after the snapshot": """
        -- RR: 23503.
                                               | begin
                                               | select * from child
        insert into parent values (7, 70)      |
                                               | insert into child values (2, 7)
                                               | commit
    """,
    "a child that came after the snapshot": """
        -- Both: 23503.
                                               | begin
                                               | select * from child
        insert into child values (2, 3)        |
                                               | delete from parent where id = 3
                                               | commit
    """,
    "a child gets another parent while that goes": """
        begin                                  |
                                               | begin
        delete from parent where id = 3        |
                                               | update child set p = 3 where id = 1
        commit                                 |
                                               | commit
    """,
    "a parent goes while a child gets it": """
        begin                                  |
                                               | begin
        update child set p = 3 where id = 1    |
                                               | delete from parent where id = 3
        commit                                 |
                                               | commit
    """,
    "a parent goes while its child goes": """
        -- RC: b waits, and goes on. RR: 40001.
        begin                                  |
                                               | begin
                                               | select * from child
        delete from child where id = 1         |
                                               | delete from parent where id = 1
        commit                                 |
                                               | commit
    """,
    "a parent goes while its child does not go after all": """
        begin                                  |
                                               | begin
        delete from child where id = 1         |
                                               | delete from parent where id = 1
        rollback                               |
                                               | commit
    """,
    "a parent goes while its child gets another parent": """
        -- Both: 23503 at once.
        begin                                  |
                                               | begin
        update child set p = 4 where id = 1    |
                                               | delete from parent where id = 1
        commit                                 |
                                               | commit
    """,
    "an action meets a child that comes": """
        -- Both: b waits. RC: it takes the new child with it. RR: 40001.
        begin                                  |
                                               | begin
                                               | select * from owned
        insert into owned values (3, 2)        |
                                               | delete from parent where id = 2
        commit                                 |
                                               | commit
    """,
    "a child comes where an action goes": """
        begin                                  |
                                               | begin
        delete from parent where id = 2        |
                                               | insert into owned values (3, 2)
        commit                                 |
                                               | commit
    """,
    "an action meets a child that goes": """
        begin                                  |
                                               | begin
                                               | select * from owned
        delete from owned where id = 1         |
                                               | delete from parent where id = 2
        commit                                 |
                                               | commit
    """,
    "an action meets a child that gets another key": """
        -- RC: b deletes it as it is now.
        begin                                  |
                                               | begin
                                               | select * from owned
        update owned set id = 9 where id = 1   |
                                               | delete from parent where id = 2
        commit                                 |
                                               | commit
    """,
    "an action meets a child that gets another parent": """
        -- RC: b leaves it alone.
        begin                                  |
                                               | begin
                                               | select * from owned
        update owned set p = 4 where id = 1    |
                                               | delete from parent where id = 2
        commit                                 |
                                               | commit
    """,
    "an action without an index meets a child that gets another parent": """
        begin                                  |
                                               | begin
                                               | select * from loose
        update loose set p = 3 where id = 2    |
                                               | delete from parent where id = 4
        commit                                 |
                                               | commit
    """,
    "an action without an index meets a child that gets another key": """
        begin                                  |
                                               | begin
                                               | select * from loose
        update loose set id = 9 where id = 2   |
                                               | delete from parent where id = 4
        commit                                 |
                                               | commit
    """,
    "a key changes for all while a child comes": """
        begin                                       |
                                                    | begin
                                                    | select * from owned
        insert into owned values (3, 4)             |
                                                    | update parent set id = 5 where id = 4
        commit                                      |
                                                    | commit
    """,
    "children of one parent do not wait for one another": """
        begin                                  |
                                               | begin
        insert into child values (2, 3)        |
                                               | insert into child values (3, 3)
        commit                                 |
                                               | commit
    """,
    "a savepoint gives a parent back": """
        begin                                  |
        savepoint s                            |
        insert into child values (2, 3)        |
                                               | delete from parent where id = 3
        rollback to s                          |
        commit                                 |
    """,
    "a key comes while a child is in the hands of another": """
        begin                                                    |
        insert into child values (2, 3)                          |
                                                                 | alter table child add constraint more foreign key (p) references parent
        commit                                                   |
                                                                 | alter table child drop constraint more
    """,
    "a child table comes while its parent is written to": """
        begin                                                    |
        delete from parent where id = 3                          |
                                                                 | create table fresh (p integer references parent)
        commit                                                   |
                                                                 | drop table fresh
    """,
}

# The outcome must be one that PostgreSQL may have: whose deadlock it is depends on who looks first.
ANY_ORDER = {
    "deadlock of parents": """
        -- One 40P01; the other one waits for it, and goes on.
        begin                                  |
                                               | begin
        insert into child values (2, 3)        |
                                               | insert into child values (3, 4)
        delete from parent where id = 4        |
                                               | delete from parent where id = 3
        rollback                               |
                                               | rollback
    """,
}
