//! tokio-postgres, ten things: prints a transcript that must be the same on PostgreSQL and on Gnomon.
use std::error::Error;
use std::fmt::{Debug, Display};
use std::io::Cursor;
use std::net::IpAddr;
use std::time::Duration;

use chrono::{DateTime, NaiveDate, NaiveDateTime, NaiveTime, TimeZone, Utc};
use futures_util::{future, pin_mut, stream, SinkExt, StreamExt, TryStreamExt};
use postgres_types::private::BytesMut;
use postgres_types::{FromSql, IsNull, ToSql, Type};
use tokio_postgres::binary_copy::{BinaryCopyInWriter, BinaryCopyOutStream};
use tokio_postgres::{AsyncMessage, Client, Config, IsolationLevel, NoTls};
use uuid::Uuid;

type Anything<T> = Result<T, Box<dyn Error>>;

fn say(what: &str, value: impl Display) {
    println!("{what} | {value}");
}

fn failure(error: &tokio_postgres::Error) -> String {
    match error.as_db_error() {
        Some(e) => format!("{} | {} | {:?} | {:?} | {:?} | {:?}", e.code().code(), e.message(), e.position(), e.constraint(), e.table(), e.column()),
        None => error.to_string(),
    }
}

/// The bytes of a value of any type.
#[derive(Debug, PartialEq)]
struct Bytes(Vec<u8>);

impl<'a> FromSql<'a> for Bytes {
    fn from_sql(_: &Type, bytes: &'a [u8]) -> Result<Self, Box<dyn Error + Sync + Send>> {
        Ok(Bytes(bytes.to_vec()))
    }
    fn accepts(_: &Type) -> bool {
        true
    }
}

impl ToSql for Bytes {
    fn to_sql(&self, _: &Type, out: &mut BytesMut) -> Result<IsNull, Box<dyn Error + Sync + Send>> {
        out.extend_from_slice(&self.0);
        Ok(IsNull::No)
    }
    fn accepts(_: &Type) -> bool {
        true
    }
    postgres_types::to_sql_checked!();
}

#[derive(Debug, PartialEq, ToSql, FromSql)]
#[postgres(name = "tokio_mood")]
enum Mood {
    #[postgres(name = "sad")]
    Sad,
    #[postgres(name = "very happy")]
    VeryHappy,
}

#[derive(Debug, PartialEq, ToSql, FromSql)]
#[postgres(name = "tokio_place")]
struct Place {
    name: Option<String>,
    mood: Mood,
    seen: Vec<i32>,
}

async fn there_and_back<T>(client: &Client, name: &str, sent: T) -> Anything<()>
where
    T: ToSql + Sync + Debug + PartialEq + for<'a> FromSql<'a>,
{
    let statement = client.prepare(&format!("select $1::{name}, null::{name}")).await?;
    let row = client.query_one(&statement, &[&sent]).await?;
    let (back, nothing): (T, Option<T>) = (row.get(0), row.get(1));
    say("type", format!("{name} {} {:?} {} {}", statement.columns()[0].type_(), back, back == sent, nothing.is_none()));
    Ok(())
}

/// Types that the driver has no Rust type for, by their bytes.
async fn bytes_there_and_back(client: &Client, name: &str, text: &str) -> Anything<()> {
    let made: Bytes = client.query_one(&format!("select '{text}'::{name}"), &[]).await?.get(0);
    let row = client.query_one(&format!("select $1::{name}, $1::{name}::text"), &[&made]).await?;
    let (back, shown): (Bytes, String) = (row.get(0), row.get(1));
    say("bytes", format!("{name} {:?} {} {shown}", back.0, back == made));
    Ok(())
}

async fn types(client: &Client) -> Anything<()> {
    let day = NaiveDate::from_ymd_opt(2020, 2, 29).unwrap();
    let moment: NaiveDateTime = day.and_hms_micro_opt(1, 2, 3, 4).unwrap();
    let with_zone: DateTime<Utc> = Utc.from_utc_datetime(&moment);
    there_and_back(client, "boolean", true).await?;
    there_and_back(client, "\"char\"", 7i8).await?;
    there_and_back(client, "smallint", -7i16).await?;
    there_and_back(client, "integer", 70_000i32).await?;
    there_and_back(client, "bigint", 1i64 << 40).await?;
    there_and_back(client, "oid", 4_000_000_000u32).await?;
    there_and_back(client, "real", 0.25f32).await?;
    there_and_back(client, "double precision", -0.1f64).await?;
    there_and_back(client, "text", "ä€😀 '\\".to_string()).await?;
    there_and_back(client, "varchar(10)", "short".to_string()).await?;
    there_and_back(client, "name", "a name".to_string()).await?;
    there_and_back(client, "bytea", vec![0u8, 255]).await?;
    there_and_back(client, "date", day).await?;
    there_and_back(client, "time", NaiveTime::from_hms_micro_opt(12, 34, 56, 789).unwrap()).await?;
    there_and_back(client, "timestamp", moment).await?;
    there_and_back(client, "timestamptz", with_zone).await?;
    there_and_back(client, "uuid", Uuid::from_u128(7)).await?;
    there_and_back(client, "json", serde_json::json!({"a": [1, 2.5, null, "ä"]})).await?;
    there_and_back(client, "jsonb", serde_json::json!({"a": [1, 2.5, null, "ä"], "b": {}})).await?;
    there_and_back(client, "inet", "10.1.2.3".parse::<IpAddr>()?).await?;
    there_and_back(client, "inet", "fe80::1".parse::<IpAddr>()?).await?;
    there_and_back(client, "integer[]", vec![Some(1i32), None, Some(3)]).await?;
    there_and_back(client, "text[]", vec!["a".to_string(), "b\"c".to_string(), String::new()]).await?;
    there_and_back(client, "uuid[]", Vec::<Uuid>::new()).await?;
    there_and_back(client, "timestamptz[]", vec![with_zone]).await?;
    there_and_back(client, "tokio_mood", Mood::VeryHappy).await?;
    there_and_back(client, "tokio_mood[]", vec![Mood::Sad, Mood::VeryHappy]).await?;
    there_and_back(client, "tokio_place", Place { name: None, mood: Mood::Sad, seen: vec![1, 2] }).await?;
    for (name, text) in [
        ("numeric", "-12345678901234567890.2500"), ("numeric", "NaN"), ("interval", "1 mon 3 days 00:00:05"), ("timetz", "12:34:56.789+02"), ("bit(5)", "10110"),
        ("varbit", "101"), ("cidr", "10.1.0.0/16"), ("macaddr", "08:00:2b:01:02:03"), ("macaddr8", "08:00:2b:01:02:03:04:05"), ("numeric[]", "{1.50,NULL}"), ("pg_lsn", "16/B374D848"),
    ] {
        bytes_there_and_back(client, name, text).await?;
    }
    Ok(())
}

async fn with_table(client: &mut Client) -> Anything<()> {
    let insert = client.prepare("insert into tokio_rows values ($1, $2, $3) returning id, name").await?;
    let columns: Vec<_> = insert.columns().iter().map(|column| format!("{} {}", column.name(), column.type_())).collect();
    say("prepared", format!("{:?} {columns:?}", insert.params()));
    for n in 0..5i32 {
        let row = client.query_one(&insert, &[&n, &format!("row {n}"), &(f64::from(n) / 4.0)]).await?;
        say("prepared", format!("{} {}", row.get::<_, i32>("id"), row.get::<_, &str>("name")));
    }

    let mut transaction = client.build_transaction().isolation_level(IsolationLevel::RepeatableRead).start().await?;
    say("transaction", transaction.execute("delete from tokio_rows where id > $1", &[&2i32]).await?);
    let nested = transaction.savepoint("here").await?;
    say("error", failure(&nested.execute("insert into tokio_rows values (1, null)", &[]).await.unwrap_err()));
    say("error", failure(&nested.execute("select 1", &[]).await.unwrap_err()));
    nested.rollback().await?;
    say("transaction", transaction.query_one("select count(*) from tokio_rows", &[]).await?.get::<_, i64>(0));
    transaction.rollback().await?;
    for sql in ["insert into tokio_rows values (1, 'again')", "select nosuch from tokio_rows", "select 1 / (select 0)", "selec"] {
        say("error", failure(&client.execute(sql, &[]).await.unwrap_err()));
    }

    let sink = client.copy_in("copy tokio_rows from stdin csv").await?;
    pin_mut!(sink);
    let lines = (10..13).map(|n| Ok::<_, tokio_postgres::Error>(Cursor::new(format!("{n},copied,1.5\n").into_bytes())));
    sink.send_all(&mut stream::iter(lines)).await?;
    say("copy in", sink.finish().await?);
    let sink = client.copy_in("copy tokio_rows from stdin (format binary)").await?;
    let writer = BinaryCopyInWriter::new(sink, &[Type::INT4, Type::TEXT, Type::FLOAT8]);
    pin_mut!(writer);
    for n in 13..40i32 {
        writer.as_mut().write(&[&n, &format!("binary {n}"), &None::<f64>]).await?;
    }
    say("copy in", writer.finish().await?);
    let chunks: Vec<_> = client.copy_out("copy (select * from tokio_rows where id in (1, 12, 39) order by id) to stdout").await?.try_collect().await?;
    say("copy out", String::from_utf8(chunks.concat())?.escape_debug());
    let out = client.copy_out("copy (select id, price from tokio_rows where id < 3 order by id) to stdout (format binary)").await?;
    let rows: Vec<_> = BinaryCopyOutStream::new(out, &[Type::INT4, Type::FLOAT8]).try_collect().await?;
    say("copy out", format!("{:?}", rows.iter().map(|row| (row.get::<i32>(0), row.get::<f64>(1))).collect::<Vec<_>>()));

    let transaction = client.transaction().await?;
    let portal = transaction.bind("select id from tokio_rows where id >= $1 order by id", &[&2i32]).await?;
    for _ in 0..2 {
        let rows = transaction.query_portal(&portal, 3).await?;
        say("cursor", format!("{:?}", rows.iter().map(|row| row.get::<_, i32>(0)).collect::<Vec<_>>()));
    }
    transaction.commit().await?;
    let streamed = client.query_raw("select id from tokio_rows order by id", &[] as &[i32; 0]).await?;
    pin_mut!(streamed);
    let mut count = 0;
    while let Some(row) = streamed.next().await {
        count += row?.get::<_, i32>(0);
    }
    say("stream", count);

    // All are sent before the first has been answered.
    let twice = client.prepare("select 10 / $1::integer").await?;
    let (one, none, three) = (1i32, 0i32, 3i32);
    let answers = future::join(client.query_one(&twice, &[&one]), future::join(client.query_one(&twice, &[&none]), client.query_one(&twice, &[&three]))).await;
    say("pipeline", answers.0?.get::<_, i32>(0));
    say("pipeline", failure(&answers.1 .0.unwrap_err()));
    say("pipeline", answers.1 .1?.get::<_, i32>(0));
    client.batch_execute("update tokio_rows set price = 0; select 1; update tokio_rows set price = 1 where id = 1").await?;
    for message in client.simple_query("select id, price from tokio_rows where id < 2 order by id; delete from tokio_rows where id > 30").await? {
        match message {
            tokio_postgres::SimpleQueryMessage::Row(row) => say("simple", format!("{:?} {:?}", row.get(0), row.get("price"))),
            tokio_postgres::SimpleQueryMessage::CommandComplete(rows) => say("simple", rows),
            _ => {}
        }
    }

    let described = client.query("select column_name::text, data_type::text, is_nullable = 'YES' from information_schema.columns where table_name = $1 order by ordinal_position", &[&"tokio_rows"]).await?;
    for row in described {
        say("metadata", format!("{} {} {}", row.get::<_, &str>(0), row.get::<_, &str>(1), row.get::<_, bool>(2)));
    }
    let statement = client.prepare("select t, t.id, t.price from tokio_rows t").await?;
    say("metadata", format!("{:?}", statement.columns().iter().map(|column| column.type_().to_string()).collect::<Vec<_>>()));
    Ok(())
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Anything<()> {
    let mut config = Config::new();
    config.host("127.0.0.1").port(std::env::args().nth(1).unwrap().parse()?).user("postgres").dbname("postgres").application_name("tokio test");
    let (mut client, mut connection) = config.connect(NoTls).await?;
    say("connect", format!("{:?} {:?}", connection.parameter("server_encoding"), connection.parameter("application_name")));
    let (heard, mut news) = tokio::sync::mpsc::unbounded_channel();
    tokio::spawn(async move {
        let mut messages = stream::poll_fn(move |context| connection.poll_message(context));
        while let Some(Ok(message)) = messages.next().await {
            if let AsyncMessage::Notification(notification) = message {
                heard.send((notification.channel().to_string(), notification.payload().to_string())).ok();
            }
        }
    });
    client.batch_execute("create type tokio_mood as enum ('sad', 'very happy'); create type tokio_place as (name text, mood tokio_mood, seen integer[])").await?;
    client.batch_execute("create table tokio_rows (id integer primary key, name text not null, price double precision)").await?;
    let done = async {
        types(&client).await?;
        with_table(&mut client).await
    }
    .await;
    client.batch_execute("drop table tokio_rows; drop type tokio_place; drop type tokio_mood; listen tokio_news; notify tokio_news, 'hello'").await?;
    done?;
    say("notify", format!("{:?}", tokio::time::timeout(Duration::from_secs(10), news.recv()).await?));

    let token = client.cancel_token();
    tokio::spawn(async move {
        tokio::time::sleep(Duration::from_millis(500)).await;
        token.cancel_query(NoTls).await.ok();
    });
    let slow = client.query_one("select count(*) from generate_series(1, 1000000000000) a where a % 2 = 3", &[]).await;
    say("cancel", failure(&slow.unwrap_err()));
    say("cancel", client.query_one("select 'alive'", &[]).await?.get::<_, &str>(0));
    Ok(())
}
