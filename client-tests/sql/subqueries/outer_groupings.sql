-- GROUPING in a subquery belongs to the query whose columns it names.
-- file: message position
create table sales (region text, product text, amount integer);
insert into sales values ('n', 'a', 1), ('n', 'b', 2), ('s', 'a', 4), ('s', 'a', 8), (null, 'b', 16);
select region, (select grouping(sales.region)), sum(amount) from sales group by rollup (region) order by 1, 2;
select region, product, (select grouping(region, product) * 10 + count(*) from sales as t where t.region = sales.region), sum(amount) from sales group by cube (region, product) order by 1, 2, 3, 4;
select region, (select max(x) from (select grouping(sales.region) as x union all select -1) as q) from sales group by rollup (region) order by 1, 2;
select region from sales group by rollup (region) having (select grouping(sales.region)) = 1;
select (select (select grouping(e, f) from (values (1)) as c (x)) from (values (1, 2)) as b (g, h) group by (g, h)) from (values (6, 7)) as a (e, f) group by rollup (e, f);
select (select (select grouping(g, h) from (values (1)) as c (x)) from (values (1, 2)) as b (g, h) group by (g, h)) from (values (6, 7)) as a (e, f) group by rollup (e, f);
select (select count(*) from sales as t where grouping(sales.region) = 0) from sales group by rollup (region) order by 1;
select (select grouping(t.region) from sales as t group by rollup (t.region) order by 1 limit 1);
select (select grouping(sales.amount)) from sales group by rollup (region);
select region from sales where (select grouping(region)) = 0 group by region;
select (select grouping(t.region, sales.region) from sales as t group by t.region limit 1) from sales group by sales.region;
select (select sum(grouping(sales.region)) from sales as t) from sales group by rollup (region);
drop table sales;
