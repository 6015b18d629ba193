-- What transactions lack: SERIALIZABLE, two phases, snapshots handed on. Nothing here begins a block.
begin isolation level serializable;
begin isolation level serializable read only;
start transaction isolation level serializable, read only, deferrable;
set transaction isolation level serializable;
set session characteristics as transaction isolation level serializable;
set default_transaction_isolation = 'serializable';
set transaction_isolation = 'serializable';
set transaction snapshot '00000003-0000001B-1';
prepare transaction 'name';
commit prepared 'name';
rollback prepared 'name';
