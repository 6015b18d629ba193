-- file: message detail hint context objects notices
-- What the chapter of PostgreSQL's manual on PL/pgSQL shows of porting from Oracle, of how names and plans work, and pitfalls.
create schema pmo;
set search_path = pmo, public;
create table cs_jobs (job_id int primary key, start_stamp timestamptz, end_stamp timestamptz);
create table cs_referrer_keys (kind text, key_string text, referrer_type text);
insert into cs_referrer_keys values ('host', 'a''b', 'first'), ('url', 'c%', 'second');
create function cs_fmt_browser_version(v_name varchar, v_version varchar) returns varchar as $$
BEGIN
    IF v_version IS NULL THEN
        RETURN v_name;
    END IF;
    RETURN v_name || '/' || v_version;
END;
$$ LANGUAGE plpgsql;
select cs_fmt_browser_version('fox', '1.0'), cs_fmt_browser_version('fox', null);
create procedure cs_update_referrer_type_proc() as $func$
DECLARE
    referrer_keys CURSOR IS
        SELECT * FROM cs_referrer_keys
        ORDER BY kind;
    func_body text;
    func_cmd text;
BEGIN
    func_body := 'BEGIN';
    FOR referrer_key IN referrer_keys LOOP
        func_body := func_body ||
          ' IF v_' || referrer_key.kind
          || ' LIKE ' || quote_literal(referrer_key.key_string)
          || ' THEN RETURN ' || quote_literal(referrer_key.referrer_type)
          || '; END IF;' ;
    END LOOP;
    func_body := func_body || ' RETURN NULL; END;';
    func_cmd :=
      'CREATE OR REPLACE FUNCTION cs_find_referrer_type(v_host varchar,
                                                        v_domain varchar,
                                                        v_url varchar)
        RETURNS varchar AS '
      || quote_literal(func_body)
      || ' LANGUAGE plpgsql;' ;
    EXECUTE func_cmd;
END;
$func$ LANGUAGE plpgsql;
call cs_update_referrer_type_proc();
select cs_find_referrer_type('a''b', 'd', 'x'), cs_find_referrer_type('x', 'd', 'cde'), cs_find_referrer_type('x', 'd', 'y');
create function cs_parse_url(v_url IN VARCHAR, v_host OUT VARCHAR, v_path OUT VARCHAR, v_query OUT VARCHAR) as $$
DECLARE
    a_pos1 INTEGER;
    a_pos2 INTEGER;
BEGIN
    v_host := NULL;
    v_path := NULL;
    v_query := NULL;
    a_pos1 := strpos(v_url, '//');
    IF a_pos1 = 0 THEN
        RETURN;
    END IF;
    a_pos2 := strpos(substr(v_url, a_pos1 + 2), '/');
    IF a_pos2 = 0 THEN
        v_host := substr(v_url, a_pos1 + 2);
        v_path := '/';
        RETURN;
    END IF;
    v_host := substr(v_url, a_pos1 + 2, a_pos2 - 1);
    a_pos1 := strpos(substr(v_url, a_pos1 + 1 + a_pos2), '?');
    IF a_pos1 = 0 THEN
        v_path := substr(v_url, a_pos2);
        RETURN;
    END IF;
    v_path := substr(v_url, a_pos2, a_pos1 - 1);
    v_query := substr(v_url, a_pos2 + a_pos1);
END;
$$ LANGUAGE plpgsql;
select * from cs_parse_url('http://foobar.com/query.cgi?baz');
select cs_parse_url('http://foobar.com'), cs_parse_url('nothing');
create procedure cs_create_job(v_job_id integer) as $$
DECLARE
    a_running_job_count integer;
BEGIN
    LOCK TABLE cs_jobs IN EXCLUSIVE MODE;
    SELECT count(*) INTO a_running_job_count FROM cs_jobs WHERE end_stamp IS NULL;
    IF a_running_job_count > 0 THEN
        COMMIT; -- free lock
        RAISE EXCEPTION 'Unable to create a new job: a job is currently running';
    END IF;
    INSERT INTO cs_jobs (job_id, start_stamp) VALUES(v_job_id, now());
    BEGIN
        INSERT INTO cs_jobs (job_id, start_stamp) VALUES (v_job_id, now());
    EXCEPTION
        WHEN unique_violation THEN
            -- don't worry if it already exists
    END;
    COMMIT;
END;
$$ LANGUAGE plpgsql;
call cs_create_job(1);
call cs_create_job(2);
select job_id, end_stamp from cs_jobs;
create function instr(varchar, varchar) returns integer as $$
BEGIN
    RETURN instr($1, $2, 1);
END;
$$ LANGUAGE plpgsql STRICT IMMUTABLE;
create function instr(string varchar, string_to_search_for varchar, beg_index integer) returns integer as $$
DECLARE
    pos integer NOT NULL DEFAULT 0;
    temp_str varchar;
    beg integer;
    length integer;
    ss_length integer;
BEGIN
    IF beg_index > 0 THEN
        temp_str := substring(string FROM beg_index);
        pos := position(string_to_search_for IN temp_str);
        IF pos = 0 THEN
            RETURN 0;
        ELSE
            RETURN pos + beg_index - 1;
        END IF;
    ELSIF beg_index < 0 THEN
        ss_length := char_length(string_to_search_for);
        length := char_length(string);
        beg := length + 1 + beg_index;
        WHILE beg > 0 LOOP
            temp_str := substring(string FROM beg FOR ss_length);
            IF string_to_search_for = temp_str THEN
                RETURN beg;
            END IF;
            beg := beg - 1;
        END LOOP;
        RETURN 0;
    ELSE
        RETURN 0;
    END IF;
END;
$$ LANGUAGE plpgsql STRICT IMMUTABLE;
create function instr(string varchar, string_to_search_for varchar, beg_index integer, occur_index integer) returns integer as $$
DECLARE
    pos integer NOT NULL DEFAULT 0;
    occur_number integer NOT NULL DEFAULT 0;
    temp_str varchar;
    beg integer;
    i integer;
    length integer;
    ss_length integer;
BEGIN
    IF occur_index <= 0 THEN
        RAISE 'argument ''%'' is out of range', occur_index
          USING ERRCODE = '22003';
    END IF;
    IF beg_index > 0 THEN
        beg := beg_index - 1;
        FOR i IN 1..occur_index LOOP
            temp_str := substring(string FROM beg + 1);
            pos := position(string_to_search_for IN temp_str);
            IF pos = 0 THEN
                RETURN 0;
            END IF;
            beg := beg + pos;
        END LOOP;
        RETURN beg;
    ELSE
        RETURN 0;
    END IF;
END;
$$ LANGUAGE plpgsql STRICT IMMUTABLE;
select instr('corporate floor', 'or'), instr('corporate floor', 'or', 3), instr('corporate floor', 'or', -3), instr('corporate floor', 'or', 3, 2), instr('x', null);
select instr('corporate floor', 'or', 3, 0);
create table foo (foo int, bar int);
create function substitution(foo int) returns int as $$
begin
  insert into foo (foo) values (foo);
  return (select count(*) from foo);
end $$ language plpgsql;
select substitution(1);
create function ambiguous(bar int) returns bigint as $$
declare
  foo int := 1;
begin
  return (select count(*) from foo f where f.foo = bar);
end $$ language plpgsql;
select ambiguous(1);
create function ambiguous_qualified(bar int) returns bigint as $$
<<block>>
declare
  foo int := 1;
begin
  return (select count(*) from foo where foo.foo = block.foo and foo.bar is not distinct from ambiguous_qualified.bar);
end $$ language plpgsql;
select ambiguous_qualified(null);
create table users (id int primary key, comment text, last_modified timestamptz);
insert into users values (1, 'old', null);
create function stamp_user(id int, comment text) returns void as $$
    #variable_conflict use_variable
    DECLARE
        curtime timestamp := now();
    BEGIN
        UPDATE users SET last_modified = curtime, comment = comment
          WHERE users.id = id;
    END;
$$ LANGUAGE plpgsql;
select stamp_user(1, 'new');
select id, comment, last_modified = now() as is_now, last_modified is null as is_null from users;
create function stamp_user_column(id int, comment text) returns bigint as $$
    #variable_conflict use_column
    BEGIN
        UPDATE users SET comment = comment || '!' WHERE users.id = id;
        return (select count(*) from users where id = stamp_user_column.id);
    END;
$$ LANGUAGE plpgsql;
select stamp_user_column(77, 'x');
select comment from users;
create function stamp_user_error(id int) returns void as $$
    #variable_conflict error
    BEGIN
        UPDATE users SET comment = 'e' WHERE id = 1;
    END;
$$ LANGUAGE plpgsql;
select stamp_user_error(1);
create table logtable (logtxt text, stamp timestamp);
create function logfunc1(logtxt text) returns void as $$
    BEGIN
        INSERT INTO logtable VALUES (logtxt, 'now');
    END;
$$ LANGUAGE plpgsql;
select logfunc1('a');
create function logfunc2(logtxt text) returns void as $$
    DECLARE
        curtime timestamp;
    BEGIN
        curtime := 'now';
        INSERT INTO logtable VALUES (logtxt, curtime);
    END;
$$ LANGUAGE plpgsql;
select logfunc2('b');
select logtxt, abs(extract(epoch from stamp - localtimestamp)) < 60 as near from logtable order by 1;
create function quotes() returns text as '
DECLARE
    a text := ''Blah'';
BEGIN
    a := a || '' AND name LIKE ''''foobar'''' AND xyz'';
    return a || '' if v_'' || $q$ like ''''''$q$ || a;
END;
' language plpgsql;
select quotes();
create function a_function_that_overloads(a int) returns text language plpgsql as $$ begin return 'int'; end $$;
create function a_function_that_overloads(a text) returns text language plpgsql as $$ begin return 'text'; end $$;
create function a_function_that_overloads(a int, b int default 2) returns text language plpgsql as $$ begin return 'two'; end $$;
select a_function_that_overloads('x'::text), a_function_that_overloads(1, 2);
select a_function_that_overloads(1);
do language plpgsql $$ begin raise notice 'a block with its language'; end $$;
do $$ declare r record; begin for r in select table_schema, table_name from information_schema.tables where table_schema = 'pmo' order by 2 loop execute format('comment on table %I.%I is %L', r.table_schema, r.table_name, 'c'); end loop; end $$;
select count(*) from pg_description d join pg_class c on c.oid = d.objoid where c.relnamespace = 'pmo'::regnamespace;
create function bad_syntax() returns int language plpgsql as $$ begin retrun 1; end $$;
create function bad_end() returns int language plpgsql as $$ begin if true then return 1; end; end $$;
create function bad_semicolon() returns int language plpgsql as $$ begin return 1 end $$;
create function bad_sql() returns int language plpgsql as $$ begin select from where; return 1; end $$;
create function bad_expression() returns int language plpgsql as $$ begin return 1 +; end $$;
create function bad_assign() returns int language plpgsql as $$ declare a int; begin a := ; return a; end $$;
create function bad_loop() returns int language plpgsql as $$ begin for i in 1 .. loop null; end loop; return 1; end $$;
create function no_body() returns int language plpgsql as $$ $$;
create function unterminated() returns int language plpgsql as $$ begin return 'x; end $$;
