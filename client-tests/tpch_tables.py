"""The TPC-H tables in a server: making the data, creating the tables and loading them through psql's \\copy."""
import pathlib
import subprocess

from servers import PROJECT, Server

TABLES = ("region", "nation", "part", "supplier", "customer", "partsupp", "orders", "lineitem")
SCHEMA = PROJECT / "benchmarks" / "tpch" / "schema.sql"
QUERIES = PROJECT / "benchmarks" / "tpch" / "queries"


RESHAPING = (
    "alter table supplier rename s_acctbal to was",
    "alter table supplier add s_acctbal numeric(15,2) not null default 10.5",
    "update supplier set s_acctbal = was where s_suppkey % 3 = 0",
    "alter table supplier drop was, alter s_address drop not null",
    "update supplier set s_address = null where s_suppkey % 5 = 1",
    "alter table customer rename c_mktsegment to was",
    "alter table customer add c_mktsegment char(10) default 'MACHINERY'",
    "update customer set c_mktsegment = was where c_custkey % 4 <> 0",
    "update customer set c_mktsegment = null where c_custkey % 10 = 0",
    "alter table customer rename c_comment to was_too",
    "alter table customer add c_comment varchar(117) not null default 'a comment that every customer has who was not asked'",
    "update customer set c_comment = was_too where c_custkey % 2 = 0",
    "alter table customer drop was, drop was_too",
    "alter table orders rename o_orderdate to was",
    "alter table orders add o_orderdate date not null default '1995-03-15', alter o_clerk drop not null",
    "update orders set o_orderdate = was where o_orderkey % 8 < 6",
    "update orders set o_clerk = null where o_custkey % 9 = 0",
    "alter table orders drop was",
    "alter table part rename p_size to was",
    "alter table part add p_size integer default 7",
    "update part set p_size = was where p_partkey % 3 <> 1",
    "alter table part drop was",
    "alter table lineitem rename l_discount to was",
    "alter table lineitem add l_discount numeric(15,2) default 0.04",
    "update lineitem set l_discount = was where l_orderkey % 4 <> 3",
    "update lineitem set l_discount = null where l_partkey % 50 = 0",
    "delete from lineitem where l_orderkey % 32 between 3 and 5",
    "alter table lineitem drop was, alter l_shipdate drop not null",
    "update lineitem set l_shipdate = null where l_suppkey % 17 = 0",
    "create unique index on region (r_regionkey)",
    "alter table nation add primary key (n_nationkey)",
    "alter table part add unique (p_partkey)",
    "alter table supplier add primary key (s_suppkey)",
    "create unique index on partsupp (ps_partkey, ps_suppkey desc)",
    "create index on partsupp (ps_supplycost)",
    "alter table customer add primary key (c_custkey)",
    "create index on customer (c_acctbal desc, c_custkey)",
    "create index on customer (lower(c_mktsegment)) where c_mktsegment is not null",
    "create index on customer (c_nationkey, c_name)",
    "alter table orders add primary key (o_orderkey)",
    "create index on orders (o_orderdate, o_custkey)",
    "create index on orders (o_custkey)",
    "create index on orders (o_totalprice) where o_orderstatus = 'F'",
    "create unique index on lineitem (l_orderkey, l_linenumber)",
    "create index on lineitem (l_shipdate nulls first)",
    "create index on lineitem (l_partkey desc, l_suppkey)",
    "create index on lineitem ((l_extendedprice * (1 - l_discount)))",
    "create index on lineitem (l_quantity) where l_returnflag = 'R'",
    "create index on part (p_size desc nulls last, p_brand)",
    "analyze",
)


def data_folder(scale: str) -> pathlib.Path:
    """The folder with TABLE.tbl files, made at the first call of a scale."""
    generate = PROJECT / "benchmarks" / "tpch" / "generate"
    made = subprocess.run([str(generate), scale], capture_output=True, text=True, check=True)
    return PROJECT / made.stdout.strip()


def drop(server: Server):
    with server.connect() as connection:
        for table in TABLES:
            connection.execute(f"drop table {table}")


def load(server: Server, folder: pathlib.Path, leaf_size: str | None = None):
    """Creates and fills the eight tables; raises with psql's message when something fails."""
    parameters = [f"alter table {table} set (leaf_size = '{leaf_size}');" for table in TABLES if leaf_size]
    copies = [f"\\copy {table} from '{folder / table}.tbl' with (delimiter '|')" for table in TABLES]
    script = SCHEMA.read_text() + "\n".join([*parameters, *copies, *server.after_load]) + "\n"
    done = server.psql("-q", input=script, timeout=3600)
    if done.returncode != 0 or done.stderr:
        raise RuntimeError(f"loading {folder} into {server.name}: {done.stderr}")


def reshape(server: Server):
    """Gives the loaded tables another shape with the same column names: columns that came later, some of whose values are those of ALTER
    TABLE's default, columns that may be null now, dropped ones in between, gaps of deleted rows, and indexes of every kind.
    """
    with server.connect() as connection:
        for statement in RESHAPING:
            connection.execute(statement)


def add_indexes(server: Server):
    """For PostgreSQL, which executes some correlated subqueries row by row."""
    with server.connect() as connection:
        for columns in ("lineitem (l_partkey, l_suppkey)", "lineitem (l_orderkey)", "partsupp (ps_partkey)", "orders (o_custkey)"):
            connection.execute(f"create index on {columns}")
        connection.execute("analyze")


def query_text(number: int) -> str:
    return (QUERIES / f"{number:02}.sql").read_text()


def query_numbers() -> list[int]:
    return sorted(int(path.stem) for path in QUERIES.glob("*.sql"))
