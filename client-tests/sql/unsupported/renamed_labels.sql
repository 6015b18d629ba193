-- A stored expression or query has the label in a literal: alone, in an array or in a row.
create type setup_label as enum ('q', 'r');
create table setup_one (e setup_label, check (e <> 'q'));
alter type setup_label rename value 'q' to 's';
create type setup_of_array as enum ('q', 'r');
create table setup_array (e setup_of_array[], check (e <> '{q}'));
alter type setup_of_array rename value 'q' to 's';
create type setup_of_row as enum ('q', 'r');
create type setup_labelled as (e setup_of_row, i integer);
create table setup_row (id integer, c setup_labelled default '(q,1)');
alter type setup_of_row rename value 'q' to 's';
create type setup_of_view as enum ('q', 'r');
create table setup_viewed (e setup_of_view[]);
create view setup_view as select * from setup_viewed where e = '{r,q}';
alter type setup_of_view rename value 'q' to 's';
