-- Joins and groups that stand in several places of a statement, which are computed once.
create table parts (id integer primary key, kind integer not null, price numeric(10, 2));
create table stores (id integer primary key, town text);
create table stock (part integer, store integer, pieces integer);
insert into parts select i, i % 7, i * 1.25 from generate_series(1, 400) i;
insert into stores select i, 'town ' || i % 10 from generate_series(1, 40) i;
insert into stock select i % 400 + 1, i % 40 + 1, case when i % 11 <> 0 then i % 13 end from generate_series(1, 6000) i;
analyze;
select part, sum(pieces * price) as value from stock, parts, stores where part = parts.id and store = stores.id and town = 'town 3' group by part having sum(pieces * price) > (select sum(pieces * price) * 0.001 from stock, parts, stores where part = parts.id and store = stores.id and town = 'town 3') order by value desc, part limit 10;
-- Each reads other columns.
select a.n, b.s, c.m from (select count(*) as n from stock join stores on store = stores.id where town = 'town 4') a, (select sum(pieces) as s from stock join stores on store = stores.id where town = 'town 4') b, (select max(part) as m from stock join stores on store = stores.id where town = 'town 4') c;
select (select count(pieces) from stock s join stores t on s.store = t.id where t.town = 'town 5'), (select min(s.part) from stock s join stores t on s.store = t.id where t.town = 'town 6');
-- Groups.
select x.part, x.n, y.n from (select part, count(*) as n from stock group by part) x join (select part, count(*) as n from stock group by part) y on x.part = y.part + 1 order by 1 limit 5;
select x.part, x.n from (select part, count(*) as n, sum(pieces) as s from stock where pieces > 5 group by part) x where x.n = (select max(n) from (select part, count(*) as n, sum(pieces) as s from stock where pieces > 5 group by part) y) order by 1 limit 5;
-- What answers otherwise each time is not the same.
select count(*) > 0 from (select part from stock join stores on store = stores.id where town = 'town 1' and random() < 2 group by part) a, (select part from stock join stores on store = stores.id where town = 'town 1' and random() < 2 group by part) b where a.part = b.part;
-- Within what changes the tables.
with old as (select sum(pieces) as s from stock join stores on store = stores.id where town = 'town 2'), changed as (update stock set pieces = pieces + 1 from stores where store = stores.id and town = 'town 2' returning pieces) select (select s from old), (select count(*) from changed), (select sum(pieces) from stock join stores on store = stores.id where town = 'town 2');
delete from stock where store in (select store from stock join stores on store = stores.id where town = 'town 2' group by store having sum(pieces) > (select avg(pieces) from stock join stores on store = stores.id where town = 'town 2'));
select count(*), sum(pieces) from stock;
prepare p (text) as select (select count(*) from stock join stores on store = stores.id where town = $1), (select sum(pieces) from stock join stores on store = stores.id where town = $1);
execute p ('town 3');
execute p ('town 9');
deallocate p;
