-- file: message detail position
create table item (id integer, price numeric(8,2), name text);
insert into item values (1, 10, 'one'), (2, 20, 'two'), (3, null, null);

-- ADD: all rows must pass, in the order of the commands.
alter table item add check (price > 10);
alter table item add check (price > 5), add check (price < 20), add constraint z check (false);
alter table item add check (price / (id - 2) > 5);
alter table item add check (price > 5) not valid, add check (length(name) = 3);
alter table item add constraint both check (price > 5 and name <> 'x');
alter table item add constraint both check (price > 6);
alter table item add constraint twice check (price > 5), add constraint twice check (price > 6);
alter table item add constraint key_and_check unique (id), add constraint key_and_check check (price > 6);
alter table item add constraint item_id unique (id);
alter table item add constraint item_id check (id > 0);
alter table item add constraint both unique (id);
alter table item add constraint y check (id > 100), alter name set not null;
alter table item add constraint y check (id > 100), add added integer not null;
alter table item add constraint y check (id > 100), add unique (price);
alter table item add check (sum(id) > 1);
alter table item add check ((select 1) > 0);
alter table item add check (row_number() over () > 0);
alter table item add added integer check (added > (select 1));
alter table item add check (nosuch > 0);
alter table item add check (other.id > 0);
alter table item add check (id);
alter table item add check (id > $1);
alter table item add check (ctid is not null);
alter table nosuch add check (id > 0);
alter table if exists nosuch add check (id > 0);
insert into item values (4, 1, 'xyz');
insert into item values (4, 6, 'x');
insert into item values (4, 6, 'long');
insert into item values (4, 6, 'fou');
update item set price = 1 where id = 4;
select * from item order by id;

-- NOT VALID: old rows may break it, new ones and changed ones may not.
create table old (a integer, b integer);
insert into old values (1, 1), (-1, 2), (5, null);
alter table old add constraint positive check (a > 0) not valid;
alter table old add constraint b_positive check (b > 0) not valid;
update old set b = 3 where b = 1;
update old set b = 4 where b = 2;
update old set b = a;
insert into old values (-2, 5);
alter table old validate constraint positive;
alter table old validate constraint b_positive;
alter table old validate constraint b_positive;
alter table old validate constraint nosuch;
update old set a = 7 where b = 2;
alter table old validate constraint positive;
update old set b = 9 where a = 7;
alter table old add check (a > 1) not valid, validate constraint old_a_check;
alter table old add check (a < 100) not valid, validate constraint old_a_check;
alter table old add constraint old_key unique (a);
alter table old validate constraint old_key;
alter table old add constraint other_key unique (a), validate constraint other_key;
select * from old order by a;

-- DROP.
alter table old drop constraint nosuch;
alter table old drop constraint if exists nosuch;
alter table old drop constraint positive;
insert into old values (-2, 5);
alter table old drop constraint positive;
alter table old drop constraint if exists positive;
alter table old drop constraint b_positive, drop constraint b_positive;
alter table old drop constraint old_a_check, add check (a < 50);
alter table old drop constraint old_a_check, add check (a < 50);
insert into old values (60, 1);
alter table old drop constraint old_key, add constraint old_key check (a <> 13);
insert into old values (13, 1);
insert into old values (13, -1);
insert into old values (12, -1);
select * from old order by a;

-- RENAME.
alter table old rename constraint nosuch to x;
alter table old rename constraint old_key to b_positive;
alter table old rename constraint old_key to old_key;
alter table old rename constraint old_key to old;
alter table if exists nosuch rename constraint old_key to old;
insert into old values (13, 1);
alter table old rename constraint old to "A new name";
insert into old values (13, 1);
alter table old add constraint a_key unique (a), add constraint other check (b < 1000);
alter table old rename constraint a_key to "A new name";
alter table old rename constraint "A new name" to a_key;
alter table old rename constraint a_key to item;
alter table old rename constraint a_key to item_id;
alter table old rename constraint a_key to z_key;
insert into old values (12, 1);
create index z_key on old (b);
alter table old add unique (b);
alter table old drop constraint a_key;
alter table old drop constraint z_key;
insert into old values (12, 1);
insert into old values (13, -1);

-- Checks are tested in the order of their names, also after one has got another.
alter table old rename constraint b_positive to aaa;
insert into old values (13, -1);
alter table old rename to older;
insert into older values (13, -1);
alter table older rename to old;

-- A column's new name, and columns that go.
create table shape (w integer check (w > 0), h integer, "d d" integer default 1 constraint dd check ("d d" > 0),
                    check (w * h < 100), constraint named check (w <> h or shape.w > "d d"), check (1 < 2));
insert into shape values (2, 3, 1);
alter table shape rename w to width;
insert into shape values (0, 3, 1);
insert into shape values (20, 30, 1);
insert into shape values (2, 2, 2);
alter table shape rename "d d" to "select";
insert into shape values (2, 2, 2);
insert into shape values (2, 2, 0);
alter table shape rename width to "Width";
insert into shape values (2, 2, 2);
alter table shape rename h to shape;
insert into shape values (20, 30, 1);
update shape set shape = 50;
update shape set "Width" = 3, shape = 3, "select" = 3;
alter table shape drop "select", drop constraint dd;
alter table shape drop "select", drop constraint if exists named;
insert into shape values (2, 2);
insert into shape values (20, 30);
alter table shape drop constraint named;
alter table shape add check (shape > 0), add check (shape.shape < 50);
insert into shape values (1, 0);
insert into shape values (1, 60);
alter table shape drop column shape;
insert into shape values (-1);
insert into shape values (1000);
alter table shape drop constraint shape_check;
alter table shape add shape integer default 5 constraint nice check (shape = 5);
alter table shape drop "Width";
insert into shape values (1);
insert into shape values (5);
select * from shape;

-- ADD COLUMN.
create table grown (a integer);
insert into grown values (1), (2);
alter table grown add b integer check (b > 0);
alter table grown add c integer default 0 check (c > 0);
alter table grown add c integer default 5 check (c > a);
alter table grown add d integer default 0 check (d > 0 or e > 0), add e integer default 3 check (e > d) constraint e_max check (e < 10);
alter table grown add a integer check (nosuch > 0);
alter table grown add if not exists a integer check (nosuch > 0);
alter table grown add if not exists f text default 'a default of more than twelve bytes' check (length(f) > 20);
insert into grown values (10, 1);
insert into grown values (1, 0);
insert into grown values (1, 1, 1);
insert into grown (d, e) values (1, 1);
insert into grown (e) values (10);
insert into grown (f) values ('short');
insert into grown values (3);
alter table grown alter c set default 0;
insert into grown values (4);
update grown set f = 'short' where a = 1;
update grown set a = 5 where a = 1;
update grown set a = 4 where a = 1;
select * from grown order by a;
alter table grown add g numeric(38) default 99999999999999999999999999999999999999 check (g * g > 5);
alter table grown add h numeric(38) default 1 check (g * g < h);
select a, g from grown order by a;
