"""Interleavings of definitions with other statements; the tables are in the end as they were, but for their rows."""

EXACT = {
    "a NULL is waited for where NULLs are equal": """
        create table sole (k integer unique nulls not distinct, v integer)  |
        begin                                                               |
        insert into sole values (null, 1)                                   |
                                                                            | begin
                                                                            | insert into sole values (null, 2)
        rollback                                                            |
                                                                            | commit
        begin                                                               |
        delete from sole                                                    |
                                                                            | insert into sole values (null, 3)
        commit                                                              |
        begin                                                               |
        update sole set v = 4                                               |
                                                                            | insert into sole values (null, 5) on conflict (k) do nothing
        insert into sole values (null, 6) on conflict (k) do nothing        |
        commit                                                              |
        begin                                                               |
        insert into sole values (7, 7)                                      |
                                                                            | begin
                                                                            | update sole set k = 7 where k is null
        commit                                                              |
                                                                            | rollback
        drop table sole                                                     |
    """,
    "a function that others call is replaced and dropped without waiting": """
        create function answer() returns integer language sql as 'select 1'                          |
        create function told() returns integer language plpgsql as 'begin return answer() + 10; end' |
        begin                                                                                        |
        select answer(), told()                                                                      |
                                                                                                     | create or replace function answer() returns integer language sql as 'select 2'
                                                                                                     | select answer(), told()
                                                                                                     | begin
                                                                                                     | create or replace function told() returns integer language plpgsql as 'begin return answer() + 20; end'
                                                                                                     | select answer(), told()
        commit                                                                                       |
        select answer(), told()                                                                      |
                                                                                                     | commit
        begin                                                                                        |
        select answer(), told()                                                                      |
                                                                                                     | drop function told()
        commit                                                                                       |
        select told()                                                                                |
        drop function answer()                                                                       |
    """,
    "a sequence gives each value once, also those of transactions that do not come to be": """
        create sequence ticket              |
        begin                               |
        select nextval('ticket')            |
                                            | begin
                                            | select nextval('ticket')
        select nextval('ticket')            |
        rollback                            |
                                            | select nextval('ticket'), currval('ticket')
        select currval('ticket')            |
                                            | commit
        select nextval('ticket')            |
        select last_value from ticket       |
        drop sequence ticket                |
    """,
    "setval is seen at once and stays": """
        create sequence ticket              |
        begin                               |
        select setval('ticket', 100)        |
                                            | select nextval('ticket')
                                            | select last_value, is_called from ticket
        rollback                            |
                                            | select nextval('ticket')
        select nextval('ticket')            |
        drop sequence ticket                |
    """,
    "a sequence that is restarted, or not, is waited for": """
        create sequence ticket              |
        select nextval('ticket')            |
        begin                               |
        alter sequence ticket restart 50    |
        select nextval('ticket')            |
                                            | select nextval('ticket')
        rollback                            |
        begin                               |
        alter sequence ticket restart 70    |
                                            | select nextval('ticket')
        commit                              |
        drop sequence ticket                |
    """,
    "a sequence that is dropped is waited for, and who drops waits for those who use it": """
        create sequence ticket              |
        begin                               |
        select nextval('ticket')            |
                                            | begin
                                            | drop sequence ticket
        commit                              |
        select nextval('ticket')            |
                                            | rollback
        drop sequence ticket                |
    """,
    "identity columns of two writers": """
        create table fresh (id integer generated always as identity, a integer) |
        begin                                                                   |
        insert into fresh (a) values (1), (2)                                   |
                                                                                | begin
                                                                                | insert into fresh (a) values (3)
        insert into fresh (a) values (4)                                        |
        commit                                                                  |
                                                                                | insert into fresh (a) values (5)
                                                                                | rollback
        insert into fresh (a) values (6)                                        |
        select * from fresh                                                     |
        truncate fresh restart identity                                         |
                                                                                | insert into fresh (a) values (7)
        select * from fresh                                                     |
        drop table fresh                                                        |
    """,
    "a reader waits for a column that comes": """
        begin                                           |
        alter table item add column w integer default 7 |
                                                        | select * from item
        update item set w = 8 where id = 1              |
        commit                                          |
                                                        | select * from item
        alter table item drop column w                  |
                                                        | select * from item
    """,
    "a reader waits for a column that does not come": """
        begin                                           |
        alter table item add column w integer default 7 |
        insert into item values (4, 40, 41)             |
                                                        | select * from item
        rollback                                        |
                                                        | insert into item values (5, 50)
                                                        | select * from item
    """,
    "a writer waits for a table that is emptied": """
        begin                              |
        truncate item                      |
        insert into item values (9, 90)    |
                                           | insert into item values (1, 11)
        commit                             |
                                           | select * from item
    """,
    "a writer waits for a table that is not emptied after all": """
        begin                              |
        truncate item                      |
        insert into item values (9, 90)    |
                                           | insert into item values (1, 11)
        rollback                           |
                                           | select * from item
    """,
    "rows changed before and after a table is emptied": """
        begin                              |
        update item set v = v + 1          |
        savepoint s                        |
        truncate item                      |
        insert into item values (1, 100)   |
        select * from item                 |
        rollback to s                      |
        select * from item                 |
                                           | select * from item
        delete from item where id = 3      |
        commit                             |
                                           | select * from item
    """,
    "a table is seen when its transaction has committed": """
        begin                              |
        create table fresh (a integer)     |
        insert into fresh values (1)       |
                                           | select * from fresh
        commit                             |
                                           | select * from fresh
                                           | drop table fresh
        select * from fresh                |
    """,
    "a table that never was": """
        begin                              |
        create table fresh (a integer)     |
        insert into fresh values (1)       |
        rollback                           |
                                           | select * from fresh
                                           | create table fresh (b text)
        select * from fresh                |
        drop table fresh                   |
    """,
    "the name of a table that is not dropped after all": """
                                           | create table fresh (a integer)
        begin                              |
        drop table fresh                   |
                                           | create table fresh (b integer)
                                           | select * from fresh
        rollback                           |
                                           | drop table fresh
    """,
    "waiting for a table that goes": """
        create table fresh (a integer)     |
        begin                              |
        drop table fresh                   |
                                           | select * from fresh
        commit                             |
    """,
    "waiting to drop what another drops": """
        create table fresh (a integer)     |
        begin                              |
        drop table fresh                   |
                                           | drop table if exists fresh
        commit                             |
    """,
    "a table takes the place of another": """
        create table fresh (a integer)     |
        insert into fresh values (1)       |
        begin                              |
        drop table fresh                   |
        create table fresh (a integer, b integer) |
        insert into fresh values (2, 3)    |
                                           | select * from fresh
        commit                             |
                                           | select * from fresh
        drop table fresh                   |
    """,
    "two change names": """
        create table fresh (a integer)             |
        insert into fresh values (1)               |
        create table other (a integer)             |
        begin                                      |
        alter table fresh rename to spare          |
        alter table other rename to fresh          |
        alter table spare rename to other          |
                                                   | select * from fresh
        commit                                     |
                                                   | select * from other
        drop table fresh, other                    |
    """,
    "a definer waits for rows of others": """
        begin                                      |
        update item set v = v + 1 where id = 1     |
                                                   | begin
                                                   | alter table item add column w integer default 3
        commit                                     |
                                                   | select * from item
                                                   | rollback
        select * from item                         |
    """,
    "a key that comes and goes with its transaction": """
        begin                                                    |
        create unique index item_v on item (v)                   |
        savepoint s                                              |
        insert into item values (4, 10)                          |
        rollback to s                                            |
        drop index item_v                                        |
        insert into item values (4, 10)                          |
                                                                 | insert into item values (5, 20)
        commit                                                   |
                                                                 | select * from item where v = 10
    """,
    "an index keeps what a rollback brings back": """
        begin                                                    |
        delete from mark where id = 1                            |
        drop index mark_v                                        |
        insert into mark values (2, 10, 'y')                     |
        rollback                                                 |
        select id from mark where v = 10                         |
                                                                 | update mark set v = 12 where v = 10
        select id, v from mark where v >= 10                     |
    """,
    "readers go on while an index is made, writers wait": """
        begin                                                    |
        create index item_v on item (v)                          |
                                                                 | select id from item where v = 20
                                                                 | begin
                                                                 | select * from item
                                                                 | update item set v = 21 where id = 2
        select id from item where v = 20                         |
        commit                                                   |
                                                                 | select id from item where v = 21
                                                                 | commit
        select id from item where v = 21                         |
        drop index item_v                                        |
    """,
    "an index waits for writers, not for readers": """
                                                                 | begin
                                                                 | select * from item
        create index item_v on item (v)                          |
                                                                 | select id from item where v = 20
                                                                 | update item set v = 21 where id = 2
        drop index item_v                                        |
                                                                 | commit
                                                                 | begin
                                                                 | delete from item where id = 1
        create unique index item_v on item (v)                   |
                                                                 | select * from item
                                                                 | rollback
        drop index item_v                                        |
    """,
    "an index that does not come to be": """
        begin                                                    |
        savepoint s                                              |
        create index item_v on item (v)                          |
                                                                 | begin
                                                                 | select * from item
                                                                 | insert into item values (4, 40)
        rollback to s                                            |
                                                                 | select id from item where v = 40
                                                                 | commit
        create unique index item_v on item ((v % 10))            |
        rollback                                                 |
        select id from item where v >= 20                        |
                                                                 | insert into item values (5, 50)
    """,
    "an index is made after rows are deleted": """
                                                                 | begin
                                                                 | select count(*) from mark
        begin                                                    |
        delete from item where id = 2                            |
        update item set v = 31 where id = 3                      |
        create index item_v on item (v)                          |
        select id from item where v = 31                         |
        commit                                                   |
        drop index item_v                                        |
                                                                 | select id from item where v = 20
                                                                 | commit
    """,
}
