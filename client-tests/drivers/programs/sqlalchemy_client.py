"""SQLAlchemy over psycopg, ten things: prints a transcript that must be the same on PostgreSQL and on Gnomon."""
import datetime
import decimal
import enum
import re
import sys
import threading
import uuid

import sqlalchemy as sa
from sqlalchemy import orm
from sqlalchemy.dialects import postgresql


def say(what: str, *values):
    print(what, *values, sep=" | ", flush=True)


class Base(orm.DeclarativeBase):
    pass


class Mood(enum.Enum):
    sad = 1
    happy = 2


class Thing(Base):
    """A column of each type."""

    __tablename__ = "alchemy_things"
    id: orm.Mapped[int] = orm.mapped_column(sa.BigInteger, sa.Sequence("alchemy_ids", start=5), primary_key=True)
    flag: orm.Mapped[bool | None]
    small: orm.Mapped[int | None] = orm.mapped_column(sa.SmallInteger)
    exact: orm.Mapped[decimal.Decimal | None] = orm.mapped_column(sa.Numeric(30, 5))
    single: orm.Mapped[float | None] = orm.mapped_column(sa.REAL)
    double: orm.Mapped[float | None] = orm.mapped_column(sa.Double)
    name: orm.Mapped[str | None] = orm.mapped_column(sa.Text, comment="what it is called")
    short: orm.Mapped[str | None] = orm.mapped_column(sa.CHAR(3))
    data: orm.Mapped[bytes | None]
    day: orm.Mapped[datetime.date | None]
    at: orm.Mapped[datetime.time | None]
    moment: orm.Mapped[datetime.datetime | None] = orm.mapped_column(postgresql.TIMESTAMP(precision=3))
    zoned: orm.Mapped[datetime.datetime | None] = orm.mapped_column(sa.DateTime(timezone=True))
    span: orm.Mapped[datetime.timedelta | None]
    key: orm.Mapped[uuid.UUID | None]
    mood: orm.Mapped[Mood | None] = orm.mapped_column(sa.Enum(Mood, name="alchemy_mood"))
    tags: orm.Mapped[list[str] | None] = orm.mapped_column(postgresql.ARRAY(sa.Text))
    extra: orm.Mapped[dict | None] = orm.mapped_column(sa.JSON)
    document: orm.Mapped[dict | None] = orm.mapped_column(postgresql.JSONB)
    address: orm.Mapped[str | None] = orm.mapped_column(postgresql.INET)
    mask: orm.Mapped[str | None] = orm.mapped_column(postgresql.BIT(4))
    twice: orm.Mapped[int | None] = orm.mapped_column(sa.Computed("small * 2"))
    __table_args__ = (sa.Index("alchemy_partial", "day", sa.text("lower(name)"), postgresql_where=sa.text("flag")), {"comment": "of all kinds"})


THING = dict(
    flag=True, small=-7, exact=decimal.Decimal("12345678901234567890.25"), single=0.25, double=-0.1, name="ä€😀 '\\", short="ab", data=b"\x00\xff", day=datetime.date(2020, 2, 29),
    at=datetime.time(12, 34, 56, 789), moment=datetime.datetime(2020, 2, 29, 1, 2, 3, 4000), zoned=datetime.datetime(2020, 2, 29, 1, 2, 3, tzinfo=datetime.timezone.utc),
    span=datetime.timedelta(days=3, seconds=5), key=uuid.UUID(int=7), mood=Mood.happy, tags=["a", None, 'b"c'], extra={"a": [1, None]}, document={"b": 1.5, "a": []}, address="10.1.2.3", mask="1010",
)  # fmt: skip


class Author(Base):
    __tablename__ = "alchemy_authors"
    id: orm.Mapped[int] = orm.mapped_column(primary_key=True)
    name: orm.Mapped[str] = orm.mapped_column(sa.String(40), unique=True)
    born: orm.Mapped[datetime.date | None]
    books: orm.Mapped[list["Book"]] = orm.relationship(back_populates="author", cascade="all, delete-orphan", order_by="Book.id")


class Book(Base):
    __tablename__ = "alchemy_books"
    id: orm.Mapped[int] = orm.mapped_column(sa.Identity(), primary_key=True)
    author_id: orm.Mapped[int] = orm.mapped_column(sa.ForeignKey("alchemy_authors.id"), index=True)
    title: orm.Mapped[str] = orm.mapped_column(sa.Text)
    price: orm.Mapped[decimal.Decimal] = orm.mapped_column(sa.Numeric(8, 2), server_default="1.50")
    author: orm.Mapped[Author] = orm.relationship(back_populates="books")
    __table_args__ = (sa.CheckConstraint("price >= 0", name="alchemy_price"),)


def reflect(engine):
    inspector = sa.inspect(engine)
    say("tables", sorted(name for name in inspector.get_table_names() if name.startswith("alchemy_")), inspector.default_schema_name)
    for table in ("alchemy_authors", "alchemy_books", "alchemy_things"):
        for column in inspector.get_columns(table):
            say("column", table, {name: repr(value) if name == "type" else value for name, value in column.items()})
        say("keys", inspector.get_pk_constraint(table), inspector.get_foreign_keys(table), inspector.get_unique_constraints(table), inspector.get_check_constraints(table))
        say("indexes", sorted(inspector.get_indexes(table), key=lambda index: index["name"]), inspector.get_table_comment(table), inspector.get_table_options(table))
    say("others", inspector.get_view_names(), sorted(name for name in inspector.get_sequence_names() if name.startswith("alchemy_")), inspector.has_table("alchemy_books"), inspector.has_table("nosuch"))
    say("others", [found for found in inspector.get_enums() if found["name"].startswith("alchemy_")], inspector.get_domains(), inspector.get_schema_names()[-1:])
    with engine.begin() as connection:
        connection.execute(sa.text("create view alchemy_view as select id, title from alchemy_books where price > 1"))
        try:
            fresh = sa.inspect(connection)
            # The definition is as it was written, where PostgreSQL writes it anew.
            say("view", fresh.get_view_names(), "alchemy_books" in fresh.get_view_definition("alchemy_view"), [column["name"] for column in fresh.get_columns("alchemy_view")])
        finally:
            connection.execute(sa.text("drop view alchemy_view"))
    reflected = sa.MetaData()
    reflected.reflect(engine, only=lambda name, _: name.startswith("alchemy_"))
    for table in reflected.sorted_tables:
        say("reflected", re.sub(r"\s+", " ", str(sa.schema.CreateTable(table).compile(engine))))
    say("autogenerated", sorted(reflected.tables) == sorted(Base.metadata.tables))


def types(engine):
    with orm.Session(engine) as session:
        session.add_all([Thing(**THING), Thing()])
        session.commit()
        for thing in session.scalars(sa.select(Thing).order_by(Thing.id)):
            say("type", thing.id, thing.twice, {name: getattr(thing, name) for name in THING})
        for name, value in THING.items():
            same = session.scalar(sa.select(sa.func.count()).where(getattr(Thing, name) == value)) if name != "extra" else session.scalar(sa.select(Thing.extra["a"][0].as_integer()).limit(1))
            say("type", name, same)
        say("type", session.scalars(sa.select(Thing.id).where(Thing.tags.contains(["a"]), Thing.document["b"].as_float() > 1, Thing.document.has_key("a"))).all())


def prepared(engine):
    """psycopg prepares what has been executed five times."""
    with engine.connect() as connection:
        statement = sa.select(sa.func.count()).select_from(Book).where(Book.price < sa.bindparam("most"))
        counts = [connection.scalar(statement, {"most": n}) for n in range(8)]
        say("prepared", counts, connection.scalar(sa.text("select count(*) > 0 from pg_prepared_statements where statement like '%alchemy_books%'")))


def main(port: int):
    engine = sa.create_engine(f"postgresql+psycopg://postgres@127.0.0.1:{port}/postgres")
    with engine.connect() as connection:
        say("connect", connection.scalar(sa.text("select 1")), connection.dialect.server_version_info[0] >= 15)
    Base.metadata.drop_all(engine)
    Base.metadata.create_all(engine)
    try:
        with_tables(engine)
    finally:
        Base.metadata.drop_all(engine)


def with_tables(engine):
    reflect(engine)
    types(engine)
    with orm.Session(engine) as session:
        for n in range(3):
            author = Author(name=f"author {n}", born=datetime.date(1900 + n, 1, 2) if n else None)
            author.books = [Book(title=f"book {n}.{m}", price=decimal.Decimal(m)) for m in range(n + 1)]
            session.add(author)
        session.commit()
        for author in session.scalars(sa.select(Author).options(orm.selectinload(Author.books)).order_by(Author.id)):
            say("orm", author.name, author.born, [(book.title, book.price) for book in author.books])
        say("join", session.execute(sa.select(Author.name, sa.func.count(), sa.func.sum(Book.price)).join(Author.books).group_by(Author.name).order_by(Author.name)).all())
        first = session.scalars(sa.select(Author).order_by(Author.id)).first()
        first.name = "renamed"
        session.flush()
        nested = session.begin_nested()
        session.delete(first)
        session.flush()
        nested.rollback()
        session.commit()
        say("transaction", session.scalars(sa.select(Author.name).order_by(Author.id)).all())
        try:
            session.add(Author(name="renamed"))
            session.commit()
        except sa.exc.IntegrityError as error:
            session.rollback()
            say("error", error.orig.sqlstate)
    with engine.begin() as connection:
        rows = [{"author_id": 1, "title": f"many {n}", "price": n} for n in range(50)]
        say("batch", len(connection.execute(sa.insert(Book).returning(Book.id), rows).all()))
        try:
            with connection.begin_nested():
                connection.execute(sa.insert(Book), {"author_id": 99, "title": "x"})
        except sa.exc.IntegrityError as error:
            say("error", error.orig.sqlstate)
        streamed = connection.execution_options(stream_results=True, max_row_buffer=7).execute(sa.select(Book.title).order_by(Book.id))
        say("stream", [row.title for row in streamed][-3:])
        with connection.connection.driver_connection.cursor().copy("copy alchemy_books (title) to stdout") as copy:
            say("copy", sum(1 for _ in copy.rows()))
        say("expanding", connection.scalars(sa.select(Book.title).where(Book.id.in_([1, 2, 3])).order_by(Book.id)).all())
    prepared(engine)
    with engine.connect() as connection:
        raw = connection.connection.driver_connection
        timer = threading.Timer(0.5, raw.cancel_safe)
        timer.start()
        try:
            connection.execute(sa.text("select count(*) from generate_series(1, 1000000000000) a where a % 2 = 3"))
        except sa.exc.OperationalError as error:
            say("cancel", error.orig.sqlstate)
        timer.join()


main(int(sys.argv[1]))
