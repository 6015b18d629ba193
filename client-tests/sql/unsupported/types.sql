create table setup_row (a int, b text);
create table setup_reader (y int, check ((row(7, 'q')::setup_row).a > 0));
alter table setup_row rename column a to aa;
