"""Interleavings of a table with deferrable keys. "begin" stands for BEGIN at the level that is tested.

Tables: keyed (k unique deferrable, d unique deferrable initially deferred, v) with (1, 1, 'a'), (2, 2, 'b').
"""

TABLES = ("create table keyed (k integer constraint keyed_k unique deferrable, d integer constraint keyed_d unique deferrable initially deferred, v text)",)
DROP = "drop table keyed"
SETUP = ("truncate keyed", "insert into keyed values (1, 1, 'a'), (2, 2, 'b')")
SHOWN = ("select * from keyed",)

# Outcomes, and when each came, must be PostgreSQL's.
EXACT = {
    "two come with one key": """
        -- b waits, and gets 23505.
        begin                                       |
                                                    | begin
        insert into keyed values (3, 3, 'x')        |
                                                    | insert into keyed values (3, 4, 'y')
        commit                                      |
                                                    | commit
    """,
    "two come with one key, and the first one does not after all": """
        begin                                       |
                                                    | begin
        insert into keyed values (3, 3, 'x')        |
                                                    | insert into keyed values (3, 4, 'y')
        rollback                                    |
                                                    | commit
    """,
    "two come with one deferred key": """
        -- Nobody waits before his end.
        begin                                       |
                                                    | begin
        insert into keyed values (3, 3, 'x')        |
                                                    | insert into keyed values (4, 3, 'y')
        commit                                      |
                                                    | commit
    """,
    "a deferred key is looked at while the other has it": """
        begin                                       |
                                                    | begin
        insert into keyed values (3, 3, 'x')        |
                                                    | insert into keyed values (4, 3, 'y')
                                                    | set constraints all immediate
        commit                                      |
                                                    | commit
    """,
    "a key goes while another comes with it": """
        begin                                       |
                                                    | begin
        delete from keyed where k = 1               |
                                                    | insert into keyed values (1, 5, 'y')
        commit                                      |
                                                    | commit
    """,
    "a key does not go after all while another comes with it": """
        begin                                       |
                                                    | begin
        delete from keyed where k = 1               |
                                                    | insert into keyed values (1, 5, 'y')
        rollback                                    |
                                                    | commit
    """,
    "keys move while another comes between": """
        begin                                       |
                                                    | begin
        update keyed set k = k + 1                  |
                                                    | insert into keyed values (3, 5, 'y')
        commit                                      |
                                                    | commit
    """,
    "who comes second with a deferred key gives it up": """
        begin                                       |
                                                    | begin
        insert into keyed values (3, 3, 'x')        |
                                                    | insert into keyed values (4, 3, 'y')
                                                    | update keyed set d = 9 where v = 'y'
                                                    | commit
        commit                                      |
    """,
}
