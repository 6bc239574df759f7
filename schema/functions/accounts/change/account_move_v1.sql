-- Puts an account, with all that is below it, under another of the same bucket. What was charged stays with the accounts that it was charged to.
-- Money does not go from tree to tree: there, nothing below may have any, or reserve any.
create or replace function account_move_v1(p_account uuid, p_parent uuid) returns structure language sql as $$
  select account_change_v1(p_account, p_parent, null)
$$;
