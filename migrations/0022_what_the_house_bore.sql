-- Why: what the operator bears is in the unit of its key, credits or tokens, and the two must not be added up. And a charge that is
-- given back because its caller was told of a failure is borne by the operator: its provider is paid all the same.
-- Locks: `house`, exclusively, while every row of it gets its unit; `funding`, against new rows, while the voids in it are booked.

alter table house
  add column unit unit,
  drop constraint house_kind_check,
  add constraint house_kind_check check (kind in ('overrun', 'write_off', 'failed', 'voided')) not valid;
update house h set unit = b.unit from balance b where b.key_id = h.key_id;

create function house_has_unit() returns trigger language plpgsql as $$
begin
  new.unit := (select unit from balance where key_id = new.key_id);
  return new;
end
$$;
create trigger house_has_unit before insert on house for each row execute function house_has_unit();

-- It is our fault, so it is neither held against the key nor part of what its caps count.
create function house_bears_void() returns trigger language plpgsql as $$
begin
  insert into house (hold_id, bucket, key_id, kind, amount, at) values (new.about, new.bucket, new.key_id, 'voided', new.amount, new.at);
  return null;
end
$$;
create trigger house_bears_void after insert on funding for each row
  when (new.kind = 'refund' and new.reference = '#void:' || new.about and new.amount > 0) execute function house_bears_void();

-- Those from before.
insert into house (hold_id, bucket, key_id, kind, amount, at)
select about, bucket, key_id, 'voided', amount, at from funding
 where kind = 'refund' and reference = '#void:' || about and amount > 0;
