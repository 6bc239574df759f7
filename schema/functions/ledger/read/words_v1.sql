-- The numbers of words, made for those that are new.
create or replace function words_v1(p_words text[]) returns table (word text, no int) language plpgsql as $$
begin
  insert into word (word) select distinct w from unnest(p_words) w where not exists (select from word o where o.word = w) order by 1
  on conflict do nothing;
  return query select o.word, o.no from word o where o.word = any (p_words);
end
$$;
