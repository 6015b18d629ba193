// pgjdbc, ten things: prints a transcript that must be the same on PostgreSQL and on Gnomon.
import java.io.StringReader;
import java.io.StringWriter;
import java.math.BigDecimal;
import java.sql.*;
import java.time.OffsetDateTime;
import java.util.*;
import org.postgresql.PGConnection;
import org.postgresql.copy.CopyManager;
import org.postgresql.util.PGInterval;
import org.postgresql.util.PGobject;

public class Client {
  static void say(String what, Object... values) {
    StringBuilder line = new StringBuilder(what);
    for (Object value : values)
      line.append(" | ").append(value instanceof byte[] bytes ? Arrays.toString(bytes) : value instanceof java.sql.Array array ? array.toString() : String.valueOf(value));
    System.out.println(line);
  }

  static List<Object> column(Statement statement, String sql) throws SQLException {
    List<Object> values = new ArrayList<>();
    try (ResultSet rows = statement.executeQuery(sql)) {
      while (rows.next()) values.add(rows.getObject(1));
    }
    return values;
  }

  static void failing(Statement statement, String sql) {
    try {
      say("error", statement.execute(sql));
    } catch (SQLException error) {
      say("error", error.getSQLState(), error.getMessage().replace('\n', ' '));
    }
  }

  static PGobject of(String type, String value) throws SQLException {
    PGobject object = new PGobject();
    object.setType(type);
    object.setValue(value);
    return object;
  }

  static void types(Connection connection) throws SQLException {
    Object[][] values = {
      {"boolean", true}, {"smallint", (short) -7}, {"integer", 70000}, {"bigint", 1L << 40}, {"numeric", new BigDecimal("12345678901234567890.25")},
      {"real", 0.25f}, {"double precision", -0.1}, {"text", "ä€ '\\"}, {"varchar(10)", "short"}, {"bytea", new byte[] {0, -1}},
      {"date", java.sql.Date.valueOf("2020-02-29")}, {"time", Time.valueOf("12:34:56")}, {"timestamp", Timestamp.valueOf("2020-02-29 01:02:03.000004")},
      {"uuid", UUID.fromString("a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11")}, {"integer[]", connection.createArrayOf("integer", new Integer[] {1, null, 3})},
      {"text[]", connection.createArrayOf("text", new String[] {"a", "b\"c", ""})},
      {"numeric[]", connection.createArrayOf("numeric", new BigDecimal[] {new BigDecimal("1.50")})}, {"timestamptz", OffsetDateTime.parse("2020-02-29T01:02:03.000004Z")},
      {"timetz", of("timetz", "12:34:56.789+02")}, {"interval", new PGInterval(0, 1, 3, 0, 0, 5.5)}, {"json", of("json", "{\"a\":  [1, null]}")}, {"jsonb", of("jsonb", "{\"a\": [1, 2.50]}")},
      {"inet", of("inet", "10.1.2.3/8")}, {"cidr", of("cidr", "10.1.0.0/16")}, {"macaddr", of("macaddr", "08:00:2b:01:02:03")}, {"bit(5)", of("bit", "10110")}, {"varbit", of("varbit", "101")},
      {"char(3)", "ab"}, {"name", "a name"}, {"oid", 4000000000L}, {"jdbc_mood", of("jdbc_mood", "very happy")}, {"jdbc_mood[]", connection.createArrayOf("jdbc_mood", new String[] {"sad", null})},
      {"jdbc_place", of("jdbc_place", "(here,sad,\"{1,2}\")")}, {"jdbc_small", 7}};
    for (Object[] tried : values) {
      try (PreparedStatement statement = connection.prepareStatement("select ?::" + tried[0] + " as sent, null::" + tried[0] + " as nothing")) {
        // From the fifth time on it is prepared with a name, and answers in binary.
        for (int n = 0; n < 7; ++n) {
          statement.setObject(1, tried[1]);
          try (ResultSet rows = statement.executeQuery()) {
            rows.next();
            if (n % 6 == 0) say("type", tried[0], rows.getObject(1), rows.getObject(2), rows.getMetaData().getColumnTypeName(1), rows.getMetaData().getPrecision(1));
          }
        }
      }
    }
  }

  static void withTable(Connection connection, Statement statement) throws Exception {
    try (PreparedStatement insert = connection.prepareStatement("insert into jdbc_rows values (?, ?, ?)", Statement.RETURN_GENERATED_KEYS)) {
      for (int n = 0; n < 8; ++n) {
        insert.setInt(1, n);
        insert.setString(2, "row " + n);
        insert.setBigDecimal(3, BigDecimal.valueOf(n, 1));
        int count = insert.executeUpdate();
        ResultSet keys = insert.getGeneratedKeys();
        keys.next();
        say("prepared", count, keys.getInt(1), keys.getString("name"));
      }
    }
    connection.setAutoCommit(false);
    connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
    statement.executeUpdate("delete from jdbc_rows");
    connection.rollback();
    connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
    Savepoint savepoint = connection.setSavepoint("here");
    failing(statement, "insert into jdbc_rows values (1, null)");
    failing(statement, "select 1");
    connection.rollback(savepoint);
    statement.executeUpdate("update jdbc_rows set price = price + 1");
    connection.commit();
    say("transaction", column(statement, "select price from jdbc_rows order by id"));
    statement.setFetchSize(3);
    say("stream", column(statement, "select id from jdbc_rows order by id"));
    statement.setFetchSize(0);
    try (Statement scrolling = connection.createStatement(ResultSet.TYPE_SCROLL_INSENSITIVE, ResultSet.CONCUR_READ_ONLY)) {
      ResultSet rows = scrolling.executeQuery("select id from jdbc_rows order by id");
      rows.last();
      int last = rows.getInt(1);
      rows.absolute(2);
      say("cursor", last, rows.getInt(1));
    }
    try (Statement holding = connection.createStatement()) {
      holding.execute("declare jdbc_cursor scroll cursor with hold for select id from jdbc_rows order by id");
      connection.commit();
      say("cursor", column(holding, "fetch 3 from jdbc_cursor"), column(holding, "fetch prior from jdbc_cursor"), column(holding, "fetch last from jdbc_cursor"));
      holding.execute("close jdbc_cursor");
    }
    connection.commit();
    connection.setAutoCommit(true);
    failing(statement, "insert into jdbc_rows values (1, 'again')");
    failing(statement, "select nosuch from jdbc_rows");
    failing(statement, "select 1 / 0");
    CopyManager copy = connection.unwrap(PGConnection.class).getCopyAPI();
    StringWriter out = new StringWriter();
    say("copy", copy.copyIn("copy jdbc_rows from stdin csv", new StringReader("10,ten,1.5\n11,\"e,leven\",\n")));
    say("copy", copy.copyOut("copy (select * from jdbc_rows where id > 9 order by id) to stdout", out), out.toString().replace('\n', ';'));
    try (PreparedStatement batch = connection.prepareStatement("update jdbc_rows set name = ? where id < ?")) {
      for (int n = 0; n < 5; ++n) {
        batch.setString(1, "batch " + n);
        batch.setInt(2, n);
        batch.addBatch();
      }
      say("batch", Arrays.toString(batch.executeBatch()));
    }
    try (PreparedStatement any = connection.prepareStatement("select count(*) from jdbc_rows where id = any(?)")) {
      any.setArray(1, connection.createArrayOf("integer", new Integer[] {1, 2, 77}));
      ResultSet rows = any.executeQuery();
      rows.next();
      say("any", rows.getLong(1));
    }
    metadata(connection);
  }

  static void sayRows(String what, ResultSet rows, String... names) throws SQLException {
    while (rows.next()) {
      List<Object> values = new ArrayList<>();
      for (String name : names) values.add(rows.getObject(name));
      say(what, values);
    }
  }

  static void metadata(Connection connection) throws SQLException {
    DatabaseMetaData data = connection.getMetaData();
    say("metadata", data.getDatabaseMajorVersion() >= 15, data.getDatabaseProductName());
    sayRows("tables", data.getTables(null, "public", "jdbc_%", new String[] {"TABLE", "VIEW"}), "TABLE_SCHEM", "TABLE_NAME", "TABLE_TYPE");
    sayRows("columns", data.getColumns(null, "public", "jdbc_rows", "%"), "COLUMN_NAME", "DATA_TYPE", "TYPE_NAME", "COLUMN_SIZE", "DECIMAL_DIGITS", "NULLABLE", "COLUMN_DEF", "ORDINAL_POSITION", "IS_AUTOINCREMENT");
    String[] keys = {"PKTABLE_NAME", "PKCOLUMN_NAME", "FKTABLE_NAME", "FKCOLUMN_NAME", "KEY_SEQ", "UPDATE_RULE", "DELETE_RULE", "FK_NAME", "PK_NAME", "DEFERRABILITY"};
    sayRows("imported", data.getImportedKeys(null, "public", "jdbc_parts"), keys);
    sayRows("exported", data.getExportedKeys(null, "public", "jdbc_rows"), keys);
    sayRows("primary", data.getPrimaryKeys(null, "public", "jdbc_parts"), "COLUMN_NAME", "KEY_SEQ", "PK_NAME");
    sayRows("index", data.getIndexInfo(null, "public", "jdbc_parts", false, true), "NON_UNIQUE", "INDEX_NAME", "TYPE", "ORDINAL_POSITION", "COLUMN_NAME", "ASC_OR_DESC", "FILTER_CONDITION");
    sayRows("best", data.getBestRowIdentifier(null, "public", "jdbc_parts", DatabaseMetaData.bestRowSession, true), "COLUMN_NAME", "TYPE_NAME");
    sayRows("parts", data.getColumns(null, "public", "jdbc_parts", "%"), "COLUMN_NAME", "DATA_TYPE", "TYPE_NAME", "COLUMN_SIZE", "NULLABLE", "COLUMN_DEF", "IS_AUTOINCREMENT", "REMARKS");
    sayRows("udt", data.getUDTs(null, "public", "jdbc_%", null), "TYPE_NAME", "DATA_TYPE", "CLASS_NAME");
    sayRows("schemas", data.getSchemas(null, "public"), "TABLE_SCHEM");
    sayRows("types", data.getTableTypes(), "TABLE_TYPE");
    try (PreparedStatement statement = connection.prepareStatement("select r.*, count(*) over () as n from jdbc_rows r where id = ? and name like ?")) {
      ResultSetMetaData columns = statement.getMetaData();
      for (int n = 1; n <= columns.getColumnCount(); ++n)
        say("described", columns.getColumnName(n), columns.getColumnTypeName(n), columns.getTableName(n), columns.getPrecision(n), columns.getScale(n), columns.isNullable(n), columns.isAutoIncrement(n));
      say("described", statement.getParameterMetaData().getParameterTypeName(1), statement.getParameterMetaData().getParameterTypeName(2));
    }
  }

  public static void main(String[] arguments) throws Exception {
    TimeZone.setDefault(TimeZone.getTimeZone("UTC"));
    String url = "jdbc:postgresql://127.0.0.1:" + arguments[0] + "/postgres?user=postgres&sslmode=disable&ApplicationName=jdbc";
    try (Connection connection = DriverManager.getConnection(url); Statement statement = connection.createStatement()) {
      say("connect", column(statement, "show application_name"));
      statement.execute("create type jdbc_mood as enum ('sad', 'very happy'); create type jdbc_place as (name text, mood jdbc_mood, seen integer[])");
      statement.execute("create domain jdbc_small as integer check (value < 10)");
      statement.execute("create table jdbc_rows (id integer primary key, name text not null, price numeric(8,2))");
      statement.execute("create table jdbc_parts (a serial, b integer references jdbc_rows on delete cascade, c text, d timestamp(3) default now(), primary key (b, a), unique (c))");
      statement.execute("create index jdbc_some on jdbc_parts (d desc, lower(c)) where b > 3; comment on column jdbc_parts.c is 'a remark'");
      try {
        types(connection);
        withTable(connection, statement);
      } finally {
        statement.execute("drop table jdbc_parts, jdbc_rows; drop type jdbc_place; drop domain jdbc_small; drop type jdbc_mood");
      }
      new Timer(true).schedule(new TimerTask() {
        public void run() {
          try {
            statement.cancel();
          } catch (SQLException error) {
            say("cancel", error);
          }
        }
      }, 500);
      failing(statement, "select count(*) from generate_series(1, 1000000000000) a where a % 2 = 3");
    }
  }
}
