-- file: message detail hint
-- Generated columns that call functions that users made, in SQL and PL/pgSQL.
create function slugify(t text) returns text language sql immutable strict as $$ select trim(both '-' from regexp_replace(lower(t), '[^a-z0-9]+', '-', 'g')) $$;
create function checksum(t text) returns integer language plpgsql immutable as $$
declare
  sum integer := 0;
begin
  if t = 'bad' then
    raise exception 'bad is bad';
  end if;
  for i in 1 .. coalesce(length(t), 0) loop
    sum := (sum * 31 + ascii(substr(t, i, 1))) % 100003;
  end loop;
  return sum;
end $$;
create table words (word text primary key, number integer);
insert into words values ('one', 1), ('two', 2);
create function looked_up(w text) returns integer language sql immutable as 'select number from words where word = w';
create function stable_one(t text) returns text language plpgsql stable as 'begin return t; end';
create function volatile_sql(t text) returns text language sql as 'select t || random()::text';
create function plain_sql(t text) returns text language sql as 'select t || ''!''';
create function said_immutable(t text) returns text language sql immutable as 'select t || current_setting(''app.suffix'')';
create table bad_articles (a text, b text generated always as (stable_one(a)) stored);
create table bad_articles (a text, b text generated always as (volatile_sql(a)) stored);
create table good_articles (a text, b text generated always as (plain_sql(a)) stored);
drop table good_articles;
create table articles (id integer primary key, title text, slug text generated always as (slugify(title)) stored, sum integer generated always as (checksum(title)) stored, number integer generated always as (looked_up(title)) stored, n integer default 0);
create unique index articles_slug on articles (slug);
insert into articles (id, title) values (1, 'Hello, World!'), (2, ' two '), (3, null), (4, 'four');
insert into articles (id, title) values (5, 'Two');
insert into articles (id, title) values (6, 'bad');
select * from articles order by id;
insert into articles (id, title) select g, 'Title ' || g from generate_series(10, 15) g returning id, slug, sum;
insert into articles (id, title) values (5, 'Two') on conflict (slug) do update set title = 'Second ' || excluded.title, n = articles.n + 1 returning *;
update articles set title = 'one' where id = 1 returning slug, sum, number;
update articles set n = n + 1;
update articles set title = 'bad' where id = 1;
update articles set slug = 'x';
merge into articles a using (values (1, 'Merged One'), (20, 'Merged Two')) as v(id, t) on a.id = v.id when matched then update set title = v.t when not matched then insert (id, title) values (v.id, v.t);
copy articles (id, title) from stdin;
30	Copied Row
31	\N
32	one
\.
copy articles (id, title) from stdin;
33	bad
\.
copy articles (id, title) from stdin;
33	Copied row
\.
select * from articles order by id;
create function before_articles() returns trigger language plpgsql as $$ begin new.title := new.title || ' more'; return new; end $$;
create trigger first before insert or update on articles for each row execute function before_articles();
insert into articles (id, title) values (40, 'Triggered');
copy articles (id, title) from stdin;
41	Triggered by COPY
\.
update articles set title = 'Again' where id = 40;
select * from articles where id >= 40 order by id;
drop trigger first on articles;
select column_name, generation_expression from information_schema.columns where table_name = 'articles' and generation_expression is not null order by 1;
select pg_get_expr(adbin, adrelid) from pg_attrdef where adrelid = 'articles'::regclass order by adnum;
create table articles_too (like articles including generated);
insert into articles_too (id, title) values (1, 'Like This');
select slug, sum from articles_too;
drop table articles_too;
drop function checksum(text);
alter function slugify(text) rename to to_slug;
insert into articles (id, title) values (50, 'After Renaming');
select slug from articles where id = 50;
select pg_get_expr(adbin, adrelid) from pg_attrdef where adrelid = 'articles'::regclass order by adnum limit 1;
create or replace function to_slug(t text) returns text language sql immutable strict as $$ select 'new-' || t $$;
insert into articles (id, title) values (51, 'Replaced');
select id, slug from articles where id in (50, 51) order by id;
alter table articles add column wrong text generated always as (stable_one(title)) stored;
set app.suffix = '-s';
create table suffixed (a text, b text generated always as (said_immutable(a)) stored);
insert into suffixed values ('x');
set app.suffix = '-t';
insert into suffixed values ('y');
copy suffixed (a) from stdin;
z
\.
select * from suffixed order by a;
drop table suffixed;
create view article_titles as select id, title from articles;
insert into article_titles values (60, 'Through a View');
select slug from articles where id = 60;
prepare titled as insert into articles (id, title) values ($1, $2) returning slug;
execute titled(61, 'Prepared');
begin;
insert into articles (id, title) values (70, 'Rolled back');
update articles set title = 'Rolled back too' where id = 61;
rollback;
select id, slug from articles where id > 60 order by id;
create role article_writer;
grant insert, update, select on articles to article_writer;
revoke execute on function to_slug(text) from public;
set role article_writer;
insert into articles (id, title) values (80, 'Not allowed');
reset role;
create table by_parts (id integer, t text, s text generated always as (to_slug(t)) stored) partition by range (id);
create table by_parts_a partition of by_parts for values from (0) to (10);
insert into by_parts values (1, 'A part'), (2, 'B part');
copy by_parts (id, t) from stdin;
3	c
\.
select * from by_parts order by id;
drop table by_parts;
drop view article_titles;
revoke all on articles from article_writer;
drop role article_writer;
drop table articles;
drop function to_slug(text), checksum(text), looked_up(text), stable_one(text), volatile_sql(text), plain_sql(text), said_immutable(text), before_articles();
drop table words;
