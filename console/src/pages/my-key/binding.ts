import type { HolderLimit } from "../../api/generated/holder.ts";
import { readAmount } from "../../format/counted.ts";

/**
 * The purse or limit of all models that leaves least, in the unit the key pays with: the one that stops requests first. Null: nothing
 * that counts for every model is shown.
 */
export function bindingOf(limits: readonly HolderLimit[], unit: HolderLimit["unit"]): HolderLimit | null {
  const whole = limits.filter((limit) => limit.models === null && limit.unit === unit);
  const left = ({ available }: HolderLimit): bigint => readAmount(unit, available);
  return whole.reduce<HolderLimit | null>(
    (least, limit) => (least === null || left(limit) < left(least) ? limit : least),
    null,
  );
}
