-- file: message detail hint context objects notices
-- What the chapter of PostgreSQL's manual on PL/pgSQL shows of triggers.
create schema pmg;
set search_path = pmg, public;
create table emp (empname text, salary integer, last_date timestamp, last_user text);
create function emp_stamp() returns trigger as $emp_stamp$
    BEGIN
        -- Check that empname and salary are given
        IF NEW.empname IS NULL THEN
            RAISE EXCEPTION 'empname cannot be null';
        END IF;
        IF NEW.salary IS NULL THEN
            RAISE EXCEPTION '% cannot have null salary', NEW.empname;
        END IF;

        -- Who works for us when they must pay for it?
        IF NEW.salary < 0 THEN
            RAISE EXCEPTION '% cannot have a negative salary', NEW.empname;
        END IF;

        -- Remember who changed the payroll when
        NEW.last_date := current_timestamp;
        NEW.last_user := current_user;
        RETURN NEW;
    END;
$emp_stamp$ LANGUAGE plpgsql;
create trigger emp_stamp before insert or update on emp for each row execute function emp_stamp();
insert into emp values ('joe', 100), ('jim', 200);
insert into emp values (null, 100);
insert into emp values ('ann', null);
update emp set salary = -1 where empname = 'joe';
select empname, salary, last_user, last_date = now() as is_now from emp order by 1;
create table emp_two (empname text not null, salary integer);
create table emp_audit (operation char(1) not null, stamp timestamp not null, userid text not null, empname text not null, salary integer);
create function process_emp_audit() returns trigger as $emp_audit$
    BEGIN
        --
        -- Create a row in emp_audit to reflect the operation performed on emp,
        -- making use of the special variable TG_OP to work out the operation.
        --
        IF (TG_OP = 'DELETE') THEN
            INSERT INTO emp_audit SELECT 'D', now(), current_user, OLD.*;
        ELSIF (TG_OP = 'UPDATE') THEN
            INSERT INTO emp_audit SELECT 'U', now(), current_user, NEW.*;
        ELSIF (TG_OP = 'INSERT') THEN
            INSERT INTO emp_audit SELECT 'I', now(), current_user, NEW.*;
        END IF;
        RETURN NULL; -- result is ignored since this is an AFTER trigger
    END;
$emp_audit$ LANGUAGE plpgsql;
create trigger emp_audit after insert or update or delete on emp_two for each row execute function process_emp_audit();
insert into emp_two values ('a', 1), ('b', 2);
update emp_two set salary = salary * 10;
delete from emp_two where empname = 'a';
select operation, userid, empname, salary from emp_audit order by stamp, empname, salary;
create view emp_view as select e.empname, e.salary, max(ea.salary) as most from emp_two e left join emp_audit ea on ea.empname = e.empname group by 1, 2;
create function update_emp_view() returns trigger as $$
    BEGIN
        IF (TG_OP = 'DELETE') THEN
            DELETE FROM emp_two WHERE empname = OLD.empname;
            IF NOT FOUND THEN RETURN NULL; END IF;
            RETURN OLD;
        ELSIF (TG_OP = 'UPDATE') THEN
            UPDATE emp_two SET salary = NEW.salary WHERE empname = OLD.empname;
            IF NOT FOUND THEN RETURN NULL; END IF;
            RETURN NEW;
        ELSIF (TG_OP = 'INSERT') THEN
            INSERT INTO emp_two VALUES(NEW.empname, NEW.salary);
            NEW.most = -1;
            RETURN NEW;
        END IF;
    END;
$$ LANGUAGE plpgsql;
create trigger emp_view_audit instead of insert or update or delete on emp_view for each row execute function update_emp_view();
insert into emp_view (empname, salary) values ('v', 7) returning *;
update emp_view set salary = 8 where empname = 'v' returning empname, salary;
update emp_view set salary = 8 where empname = 'nobody';
delete from emp_view where empname = 'v';
select * from emp_two order by 1;
create table sales_fact (time_key integer, product_key integer, amount_sold numeric(12, 2), units_sold integer);
create table sales_summary (time_key integer unique, amount_sold numeric(15, 2), units_sold numeric(12));
create function maint_sales_summary() returns trigger as $maint$
    DECLARE
        delta_time_key          integer;
        delta_amount_sold       numeric(15,2);
        delta_units_sold        numeric(12);
    BEGIN
        -- Work out the increment/decrement amount(s).
        IF (TG_OP = 'DELETE') THEN
            delta_time_key = OLD.time_key;
            delta_amount_sold = -1 * OLD.amount_sold;
            delta_units_sold = -1 * OLD.units_sold;
        ELSIF (TG_OP = 'UPDATE') THEN
            -- forbid updates that change the time_key -
            -- (probably not too onerous, as DELETE + INSERT is how most
            -- changes will be made).
            IF ( OLD.time_key != NEW.time_key) THEN
                RAISE EXCEPTION 'Update of time_key : % -> % not allowed', OLD.time_key, NEW.time_key;
            END IF;
            delta_time_key = OLD.time_key;
            delta_amount_sold = NEW.amount_sold - OLD.amount_sold;
            delta_units_sold = NEW.units_sold - OLD.units_sold;
        ELSIF (TG_OP = 'INSERT') THEN
            delta_time_key = NEW.time_key;
            delta_amount_sold = NEW.amount_sold;
            delta_units_sold = NEW.units_sold;
        END IF;
        -- Insert or update the summary row with the new values.
        <<insert_update>>
        LOOP
            UPDATE sales_summary
                SET amount_sold = amount_sold + delta_amount_sold,
                    units_sold = units_sold + delta_units_sold
                WHERE time_key = delta_time_key;
            EXIT insert_update WHEN found;
            BEGIN
                INSERT INTO sales_summary (time_key, amount_sold, units_sold) VALUES (delta_time_key, delta_amount_sold, delta_units_sold);
                EXIT insert_update;
            EXCEPTION
                WHEN UNIQUE_VIOLATION THEN
                    -- do nothing
            END;
        END LOOP insert_update;
        RETURN NULL;
    END;
$maint$ LANGUAGE plpgsql;
create trigger maint after insert or update or delete on sales_fact for each row execute function maint_sales_summary();
insert into sales_fact values (1, 1, 10, 3), (1, 2, 20, 5), (2, 1, 10, 40);
update sales_fact set units_sold = units_sold * 2;
delete from sales_fact where product_key = 2;
update sales_fact set time_key = 9 where time_key = 2;
select * from sales_summary order by 1;
create table emp_three (empname text not null, salary integer);
create table emp_three_audit (operation char(1), userid text, empname text, salary integer);
create function process_emp_three() returns trigger as $$
    BEGIN
        IF (TG_OP = 'DELETE') THEN
            INSERT INTO emp_three_audit SELECT 'D', current_user, o.* FROM old_table o;
        ELSIF (TG_OP = 'UPDATE') THEN
            INSERT INTO emp_three_audit SELECT 'U', current_user, n.* FROM new_table n;
        ELSIF (TG_OP = 'INSERT') THEN
            INSERT INTO emp_three_audit SELECT 'I', current_user, n.* FROM new_table n;
        END IF;
        RETURN NULL; -- result is ignored since this is an AFTER trigger
    END;
$$ LANGUAGE plpgsql;
create trigger emp_audit_ins after insert on emp_three referencing new table as new_table for each statement execute function process_emp_three();
create trigger emp_audit_upd after update on emp_three referencing old table as old_table new table as new_table for each statement execute function process_emp_three();
create trigger emp_audit_del after delete on emp_three referencing old table as old_table for each statement execute function process_emp_three();
insert into emp_three values ('x', 1), ('y', 2);
update emp_three set salary = salary + 100 where empname = 'y';
delete from emp_three;
select * from emp_three_audit order by 1, 3;
create function says_all() returns trigger language plpgsql as $$
begin
  raise notice '% % % % % % % % %', tg_name, tg_when, tg_level, tg_op, tg_relid = 'emp_three'::regclass, tg_relname, tg_table_name, tg_table_schema, tg_nargs;
  raise notice '% % % %', tg_argv, tg_argv[0], tg_argv[1], tg_argv[9];
  raise notice 'new % old %', new, old;
  return coalesce(new, old);
end $$;
create trigger says_row before insert or update or delete on emp_three for each row execute function says_all('one', 'two');
create trigger says_statement after insert or truncate on emp_three for each statement execute function says_all();
insert into emp_three values ('z', 5);
update emp_three set salary = 6;
delete from emp_three;
truncate emp_three;
create function skips() returns trigger language plpgsql as $$ begin if new.salary % 2 = 0 then return null; end if; new.salary := new.salary + 1000; return new; end $$;
create trigger skips before insert on emp_three for each row when (new.salary > 10) execute function skips();
insert into emp_three values ('p', 20), ('q', 21), ('r', 3) returning *;
create function returns_other() returns trigger language plpgsql as $$ begin return row(1, 2); end $$;
create table small (a int, b text);
create trigger returns_other before insert on small for each row execute function returns_other();
insert into small values (1, 'x');
create function no_return() returns trigger language plpgsql as $$ begin null; end $$;
drop trigger returns_other on small;
create trigger no_return before insert on small for each row execute function no_return();
insert into small values (1, 'x');
drop trigger no_return on small;
select says_all();
create function with_arguments(a int) returns trigger language plpgsql as $$ begin return new; end $$;
create function unassigned_new() returns trigger language plpgsql as $$ begin return new.nosuch; end $$;
create trigger unassigned_new before insert on small for each row execute function unassigned_new();
insert into small values (1, 'x');
drop trigger unassigned_new on small;
create function error_in_statement() returns trigger language plpgsql as $$ begin update small set b = 1 / (new.a - 1); return new; end $$;
create trigger error_in_statement after insert on small for each row execute function error_in_statement();
insert into small values (2, 'y');
insert into small values (1, 'x');
select * from small;
create function checks_later() returns trigger language plpgsql as $$ begin raise exception 'too late for %', new.a; end $$;
create constraint trigger checks_later after update on small deferrable initially deferred for each row execute function checks_later();
begin;
update small set b = 'u';
select 1;
commit;
create function new_whole() returns trigger language plpgsql as $$
declare
  r small;
begin
  r := new;
  r.b := upper(r.b) || (old is null) || tg_op;
  new := r;
  return r;
end $$;
create trigger new_whole before insert or update on small for each row execute function new_whole();
alter table small disable trigger error_in_statement;
alter table small disable trigger checks_later;
insert into small values (8, 'eight');
update small set a = 9 where a = 8;
select * from small order by a;
