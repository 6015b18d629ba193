// pgx, ten things: prints a transcript that must be the same on PostgreSQL and on Gnomon.
package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
)

var background = context.Background()

func say(what string, values ...any) {
	parts := []string{what}
	for _, value := range values {
		parts = append(parts, fmt.Sprintf("%v", value))
	}
	fmt.Println(strings.Join(parts, " | "))
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func sayError(what string, err error) {
	var failure *pgconn.PgError
	if errors.As(err, &failure) {
		say(what, failure.Code, failure.Message, failure.Position, failure.ConstraintName, failure.TableName, failure.ColumnName)
		return
	}
	say(what, err == nil)
}

func collect[T any](connection *pgx.Conn, sql string, arguments ...any) []T {
	rows, err := connection.Query(background, sql, arguments...)
	must(err)
	result, err := pgx.CollectRows(rows, pgx.RowTo[T])
	must(err)
	return result
}

func types(connection *pgx.Conn) {
	zone := time.FixedZone("", 0)
	values := []struct {
		name  string
		value any
	}{
		{"boolean", true}, {"smallint", int16(-7)}, {"integer", int32(70000)}, {"bigint", int64(1) << 40}, {"numeric", "12345678901234567890.25"},
		{"real", float32(0.25)}, {"double precision", -0.1}, {"text", "ä€😀 '\\"}, {"varchar(10)", "short"}, {"bytea", []byte{0, 255}},
		{"date", time.Date(2020, 2, 29, 0, 0, 0, 0, time.UTC)}, {"timestamp", time.Date(2020, 2, 29, 1, 2, 3, 4000, time.UTC)},
		{"timestamptz", time.Date(2020, 2, 29, 1, 2, 3, 0, zone)}, {"interval", pgtype.Interval{Microseconds: 5000000, Days: 3, Months: 1, Valid: true}},
		{"time", pgtype.Time{Microseconds: 45296000789, Valid: true}}, {"uuid", "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"}, {"integer[]", []int32{1, 2, 3}}, {"text[]", []string{"a", "b\"c", ""}},
	}
	for _, tried := range values {
		for _, mode := range []pgx.QueryExecMode{pgx.QueryExecModeCacheStatement, pgx.QueryExecModeCacheDescribe, pgx.QueryExecModeDescribeExec} {
			rows, err := connection.Query(background, "select $1::"+tried.name+", null::"+tried.name, mode, tried.value)
			must(err)
			rows.Next()
			back, err := rows.Values()
			must(err)
			field := rows.FieldDescriptions()[0]
			if moment, is := back[0].(time.Time); is {
				back[0] = moment.UTC()
			}
			say("type", tried.name, back, field.DataTypeOID, field.DataTypeSize, field.TypeModifier)
			rows.Close()
		}
	}
}

// Types that users make are asked for before they are used.
func ownTypes(connection *pgx.Conn) {
	for _, sql := range []string{"create type pgx_mood as enum ('sad', 'very happy')", "create type pgx_place as (name text, mood pgx_mood, seen integer[])", "create domain pgx_small as integer check (value < 10)"} {
		_, err := connection.Exec(background, sql)
		must(err)
	}
	defer connection.Exec(background, "drop type pgx_place; drop type pgx_mood; drop domain pgx_small")
	for _, name := range []string{"pgx_mood", "pgx_mood[]", "pgx_place", "pgx_place[]"} {
		loaded, err := connection.LoadType(background, name)
		must(err)
		connection.TypeMap().RegisterType(loaded)
		say("loaded", name, loaded.Name, fmt.Sprintf("%T", loaded.Codec))
	}
	type place struct {
		Name *string
		Mood string
		Seen []int32
	}
	here := "here"
	var mood string
	var moods []string
	var back place
	var places []place
	var small int32
	row := connection.QueryRow(background, "select $1::pgx_mood, $2::pgx_mood[], $3::pgx_place, array[$3::pgx_place], $4::pgx_small", "very happy", []string{"sad"}, place{&here, "sad", []int32{1, 2}}, 7)
	must(row.Scan(&mood, &moods, &back, &places, &small))
	say("type", mood, moods, *back.Name, back.Mood, back.Seen, len(places), small)
}

// Values of Go's own types, in binary both ways.
func goTypes(connection *pgx.Conn) {
	var document, other map[string]any
	must(connection.QueryRow(background, "select $1::json, $1::jsonb", map[string]any{"a": []any{1.5, nil}, "b": "ä"}).Scan(&document, &other))
	say("type", document, other)
	var address netip.Addr
	var network, block netip.Prefix
	must(connection.QueryRow(background, "select $1::inet, $2::inet, $3::cidr", netip.MustParseAddr("fe80::1"), netip.MustParsePrefix("10.1.2.3/8"), netip.MustParsePrefix("10.1.0.0/16")).Scan(&address, &network, &block))
	say("type", address, network, block)
	var bits pgtype.Bits
	var numbers []pgtype.Numeric
	var texts [][]string
	var moments []time.Time
	must(connection.QueryRow(background, "select $1::varbit, $2::numeric[], $3::text[], $4::timestamptz[]", pgtype.Bits{Bytes: []byte{0xa0}, Len: 3, Valid: true}, []string{"1.50", "-7e20"}, [][]string{{"a", "b"}, {"", "d"}}, []time.Time{time.Unix(1e9, 0)}).Scan(&bits, &numbers, &texts, &moments))
	say("type", bits, numbers[0].Int, numbers[0].Exp, numbers[1].Int, numbers[1].Exp, texts, moments[0].UTC())
	var span time.Duration
	var character byte
	var name string
	var id uint32
	must(connection.QueryRow(background, "select $1::interval, 'x'::\"char\", $2::name, $3::oid", time.Hour+time.Microsecond, "a name", uint32(4000000000)).Scan(&span, &character, &name, &id))
	say("type", span, character, name, id)
	var shown string
	must(connection.QueryRow(background, "select $1::timetz::text || ' ' || $2::macaddr", "12:34:56+02", "08:00:2b:01:02:03").Scan(&shown))
	say("type", shown)
}

func main() {
	address := "postgres://postgres@127.0.0.1:" + os.Args[1] + "/postgres?sslmode=disable&application_name=pgx"
	connection, err := pgx.Connect(background, address)
	must(err)
	defer connection.Close(background)
	say("connect", collect[string](connection, "show application_name"))
	types(connection)
	ownTypes(connection)
	goTypes(connection)
	_, err = connection.Exec(background, "create table pgx_rows (id integer primary key, name text not null, price numeric(8,2), tags text[])")
	must(err)
	defer connection.Exec(background, "drop table pgx_rows")

	prepared, err := connection.Prepare(background, "insert row", "insert into pgx_rows values ($1, $2, $3, $4) returning id, name")
	must(err)
	say("prepared", prepared.ParamOIDs, prepared.Fields[0].Name, prepared.Fields[0].TableAttributeNumber, prepared.Fields[0].TableOID > 0)
	for n := 0; n < 5; n++ {
		var id int
		var name string
		must(connection.QueryRow(background, "insert row", n, fmt.Sprint("row ", n), float64(n)/4, []string{"a"}).Scan(&id, &name))
		say("prepared", id, name)
	}
	must(connection.Deallocate(background, "insert row"))

	transaction, err := connection.BeginTx(background, pgx.TxOptions{IsoLevel: pgx.RepeatableRead})
	must(err)
	_, err = transaction.Exec(background, "delete from pgx_rows")
	must(err)
	nested, err := transaction.Begin(background)
	must(err)
	_, err = nested.Exec(background, "insert into pgx_rows values (1, null)")
	sayError("error", err)
	must(nested.Rollback(background))
	must(transaction.Rollback(background))
	say("transaction", collect[string](connection, "select name from pgx_rows order by id"))

	for _, sql := range []string{"insert into pgx_rows values (1, 'again')", "select nosuch from pgx_rows", "select 1 / (select 0)"} {
		_, err = connection.Exec(background, sql)
		sayError("error", err)
	}

	rows := [][]any{}
	for n := 10; n < 40; n++ {
		rows = append(rows, []any{n, fmt.Sprint("copied ", n), pgtype.Numeric{}, []string{"x", "y"}})
	}
	count, err := connection.CopyFrom(background, pgx.Identifier{"pgx_rows"}, []string{"id", "name", "price", "tags"}, pgx.CopyFromRows(rows))
	must(err)
	var out bytes.Buffer
	tag, err := connection.PgConn().CopyTo(background, &out, "copy (select id, name, tags from pgx_rows where id > 37 order by id) to stdout")
	must(err)
	say("copy", count, tag, out.String())

	streamed := 0
	stream, err := connection.Query(background, "select id from pgx_rows order by id")
	must(err)
	for stream.Next() {
		streamed++
	}
	must(stream.Err())
	transaction, err = connection.Begin(background)
	must(err)
	_, err = transaction.Exec(background, "declare pgx_cursor cursor for select id from pgx_rows order by id")
	must(err)
	fetched := collect[int](connection, "fetch 3 from pgx_cursor")
	_, err = transaction.Exec(background, "move 2 in pgx_cursor")
	must(err)
	say("cursor", streamed, fetched, collect[int](connection, "fetch 3 from pgx_cursor"))
	must(transaction.Commit(background))

	batch := &pgx.Batch{}
	for n := 0; n < 5; n++ {
		batch.Queue("select $1::integer * 2", n)
	}
	batch.Queue("update pgx_rows set price = 1 where id < $1", 3)
	batch.Queue("select 1 / $1::integer", 0)
	results := connection.SendBatch(background, batch)
	for n := 0; n < 5; n++ {
		var twice int
		must(results.QueryRow().Scan(&twice))
		say("batch", twice)
	}
	tag, err = results.Exec()
	say("batch", tag, err)
	_, err = results.Exec()
	sayError("batch", err)
	results.Close()
	say("metadata", collect[string](connection, "select column_name || ' ' || data_type from information_schema.columns where table_name = $1 order by ordinal_position", "pgx_rows"))

	described, err := connection.Prepare(background, "", "select r, id, name, price, tags[1] from pgx_rows r where id = any($1) and name like $2")
	must(err)
	for _, field := range described.Fields[1:] {
		say("metadata", field.Name, field.DataTypeOID, field.DataTypeSize, field.TypeModifier, field.TableAttributeNumber)
	}
	say("metadata", described.ParamOIDs, connection.PgConn().ParameterStatus("server_encoding"))
	must(connection.Ping(background))

	_, err = connection.Exec(background, "listen pgx_news")
	must(err)
	other, err := pgx.Connect(background, address)
	must(err)
	_, err = other.Exec(background, "select pg_notify('pgx_news', $1)", "hello")
	must(err)
	must(other.Close(background))
	notification, err := connection.WaitForNotification(background)
	must(err)
	say("notify", notification.Channel, notification.Payload)

	go func() {
		time.Sleep(500 * time.Millisecond)
		connection.PgConn().CancelRequest(background)
	}()
	_, err = connection.Exec(background, "select count(*) from generate_series(1, 1000000000000) a where a % 2 = 3")
	sayError("cancel", err)
}
