\set n :n + 1
\set first :client_id * :rows_per_client
\set a :first + random(1, :rows_per_client)
\set b :first + random(1, :rows_per_client)
\set c :first + random(1, :rows_per_client)
\set d :first + random(1, :rows_per_client)
\set e :first + random(1, :rows_per_client)
\set f :first + random(1, :rows_per_client)
\set g :first + random(1, :rows_per_client)
\set h :first + random(1, :rows_per_client)
\set delta random(-5000, 5000)
\set event (:slice * 100 + :client_id) * 10000000 + :n
\set gone :event - 50
\startpipeline
begin;
update accounts set balance = balance + :delta where id = :a;
update accounts set balance = balance - :delta where id = :b;
update accounts set balance = balance + :delta where id = :c;
update accounts set balance = balance - :delta where id = :d;
update accounts set balance = balance + :delta where id = :e;
update accounts set balance = balance - :delta where id = :f;
update accounts set balance = balance + 1 where id = :g;
update accounts set balance = balance + 1 where id = :h;
insert into events (id, account, delta, note) values (:event, :a, :delta, 'a transfer between accounts of one client');
delete from events where id = :gone;
commit;
\endpipeline
