-- file: message detail
create table slots (id integer, a integer[], t text[], m integer[][]);
insert into slots (id, a[1]) values (1, 5);
insert into slots (id, a[1], a[3], t[2]) values (2, 5, 7, 'x'), (3, null, 8, 'y') returning *;
insert into slots (a[2], id) select x, x from generate_series(10, 11) as g (x);
insert into slots (m[1][2], id) values (9, 4);
insert into slots (t[1], id) values (5, 5);
insert into slots (id, a[1]) values (6, '12');
insert into slots (id, a[null]) values (7, 1);
insert into slots (id, a[1], a) values (8, 1, '{1}');
insert into slots (id, a, a[1]) values (8, '{1}', 1);
insert into slots (id, a[1]) values (8, 'x');
insert into slots (id, a[1]) values (8, date '2020-01-01');
insert into slots (id[1]) values (8);
insert into slots (id, a[1]) values (8, default);
insert into slots (id, nosuch[1]) values (8, 1);
insert into slots (id, a[1]) values (8);
insert into slots (id, a[1]) values (8, 1, 2);
select * from slots order by id;
