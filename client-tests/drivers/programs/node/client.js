// node-postgres, ten things: prints a transcript that must be the same on PostgreSQL and on Gnomon.
// It cannot cancel by itself: another connection asks for it.
const { Client } = require('pg');
const Cursor = require('pg-cursor');
const QueryStream = require('pg-query-stream');
const { from, to } = require('pg-copy-streams');
const { pipeline } = require('node:stream/promises');
const { Readable, Writable } = require('node:stream');

const say = (what, ...values) => console.log([what, ...values.map((value) => JSON.stringify(value))].join(' | '));
const settings = { host: '127.0.0.1', port: Number(process.argv[2]), user: 'postgres', database: 'postgres' };

const VALUES = [
  ['boolean', true], ['smallint', -7], ['integer', 70000], ['bigint', '1099511627776'], ['numeric', '12345678901234567890.25'],
  ['real', 0.25], ['double precision', -0.1], ['text', 'ä€😀 \'\\'], ['varchar(10)', 'short'], ['bytea', Buffer.from([0, 255])],
  ['date', '2020-02-29'], ['time', '12:34:56.789'], ['timestamp', '2020-02-29 01:02:03'], ['timestamptz', '2020-02-29 01:02:03+00'],
  ['interval', '3 days 00:00:05'], ['uuid', 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'], ['integer[]', [1, null, 3]], ['text[]', ['a', 'b"c', '']],
  ['numeric[]', ['1.50']], ['json', { a: [1, null] }], ['jsonb', { a: [1, 2.5, null], b: {} }], ['jsonb[]', ['{"a": 1}', null]], ['inet', '10.1.2.3/8'], ['cidr', '10.1.0.0/16'],
  ['macaddr', '08:00:2b:01:02:03'], ['timetz', '12:34:56.789+02'], ['bit(5)', '10110'], ['varbit', '101'], ['char(3)', 'ab'], ['name', 'a name'], ['oid', 4000000000],
  ['node_mood', 'very happy'], ['node_mood[]', '{sad,NULL}'], ['node_place', '(here,sad,"{1,2}")'],
];

// All results in binary: those types that the driver has parsers for.
async function binaryTypes() {
  const client = new Client({ ...settings, binary: true });
  await client.connect();
  for (const [name, value] of VALUES.filter(([name]) => !/json|date|timestamp|interval|node_|bit/.test(name))) {
    const result = await client.query(`select $1::${name} as sent, $2::${name} as nothing`, [value, null]);
    say('binary', name, result.rows[0], result.fields[0].format);
  }
  say('binary', (await client.query("select timestamp '2020-02-29 01:02:03' as plain, timestamptz '2020-02-29 01:02:03+00' as zoned, count(*) from generate_series(1, 3)")).rows);
  await client.end();
}

async function failing(client, text, values) {
  try {
    say('error', (await client.query(text, values)).rows);
  } catch (error) {
    say('error', error.code, error.message, error.position, error.constraint, error.table, error.column);
  }
}

async function withTable(client) {
  for (let n = 0; n < 5; ++n) {
    const insert = { name: 'insert row', text: 'insert into node_rows values ($1, $2, $3) returning *', values: [n, `row ${n}`, n / 4] };
    const result = await client.query(insert);
    say('prepared', result.command, result.rowCount, result.rows, result.fields.map((field) => [field.name, field.dataTypeID, field.columnID, field.tableID > 0]));
  }
  await client.query('begin isolation level repeatable read');
  await client.query('delete from node_rows');
  await client.query('rollback');
  await client.query('begin');
  await client.query('savepoint s');
  await failing(client, 'insert into node_rows values (1)');
  await client.query('rollback to s');
  await client.query('update node_rows set price = price * 2');
  await client.query('commit');
  say('transaction', (await client.query('select * from node_rows order by id')).rows);

  await failing(client, 'insert into node_rows values (1, $1)', ['again']);
  await failing(client, 'select nosuch from node_rows');
  await failing(client, 'select 1 / $1::integer', [0]);
  await failing(client, 'insert into node_rows values (9, null)');

  const lines = Array.from({ length: 30 }, (_, n) => `${n + 10}\tcopied ${n}\t${n}\n`);
  await pipeline(Readable.from(lines), client.query(from('copy node_rows from stdin')));
  let out = '';
  const sink = new Writable({ write(chunk, _, done) { out += chunk; done(); } });
  await pipeline(client.query(to('copy (select * from node_rows where id > 36 order by id) to stdout csv')), sink);
  say('copy', out);

  const cursor = client.query(new Cursor('select id from node_rows where id >= $1 order by id', [2]));
  say('cursor', await cursor.read(3), await cursor.read(2));
  await cursor.close();
  const streamed = [];
  for await (const row of client.query(new QueryStream('select id from node_rows order by id', [], { batchSize: 7 }))) streamed.push(row.id);
  say('stream', streamed);

  const batch = await Promise.all([1, 2, 3].map((n) => client.query('select $1::integer * 2 as twice', [n])));
  say('batch', batch.map((result) => result.rows[0].twice));
  const several = await client.query('select 1 as a; select 2 as b, 3 as c; update node_rows set price = 0 where id = 0');
  say('several', several.map((result) => [result.command, result.rowCount, result.rows]));
  const shaped = await client.query({ text: 'select 1, 2, true', rowMode: 'array' });
  say('unnamed', shaped.rows, shaped.fields.map((field) => field.name));

  say('metadata', (await client.query(`select c.column_name, c.data_type, c.is_nullable from information_schema.columns c
    where c.table_name = $1 order by c.ordinal_position`, ['node_rows'])).rows);
}

async function main() {
  const client = new Client(settings);
  await client.connect();
  say('connect', (await client.query('select 1 as one')).rows);
  await client.query("set timezone = 'UTC'");
  await client.query("create type node_mood as enum ('sad', 'very happy'); create type node_place as (name text, mood node_mood, seen integer[])");
  try {
    for (const [name, value] of VALUES) say('type', name, (await client.query(`select $1::${name} as sent, $2::${name} as nothing`, [value, null])).rows[0]);
    await binaryTypes();
  } finally {
    await client.query('drop type node_place; drop type node_mood');
  }
  await client.query('create table node_rows (id integer primary key, name text not null, price numeric(8,2))');
  try {
    await withTable(client);
  } finally {
    await client.query('drop table node_rows');
  }
  const heard = new Promise((resolve) => client.on('notification', (message) => resolve([message.channel, message.payload])));
  await client.query('listen node_news');
  const other = new Client(settings);
  await other.connect();
  await other.query("notify node_news, 'hello'");
  say('notify', await heard);
  const slow = client.query('select count(*) from generate_series(1, 1000000000000) a where a % 2 = 3').catch((error) => say('cancel', error.code));
  await new Promise((resolve) => setTimeout(resolve, 500));
  await other.query('select pg_cancel_backend($1)', [client.processID]);
  await slow;
  await other.end();
  await client.end();
}

main().catch((error) => { console.log('failed', error); process.exit(1); });
