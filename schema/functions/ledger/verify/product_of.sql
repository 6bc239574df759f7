-- All factors of a price multiplied, exactly; of none, 1.
create or replace function product_of(p_factors numeric[]) returns numeric language plpgsql immutable as $$
declare
  v_product numeric := 1;
  v_factor numeric;
begin
  foreach v_factor in array coalesce(p_factors, '{}') loop
    v_product := v_product * v_factor;
  end loop;
  return v_product;
end
$$;
