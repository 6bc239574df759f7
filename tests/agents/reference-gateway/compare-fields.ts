import type { Fields } from "./answer-fields.ts";

export type Difference = { probe: string; field: string; reference: string | null; ours: string | null };
/** Why an answer may differ. `probes`: the names that it is for. */
export type Reason = { probes: RegExp; fields: RegExp; why: string };
export type Explained = Difference & { why: string | null };
export type Compared = { probe: string; equal: number; differences: Explained[] };

/** Field by field, with the first reason that is listed for it. */
export function compareFields(
  probe: string,
  { reference, ours }: { reference: Fields; ours: Fields },
  reasons: readonly Reason[],
): Compared {
  const names = [...new Set([...reference.keys(), ...ours.keys()])];
  const differing = names.filter((name) => reference.get(name) !== ours.get(name));
  return {
    probe,
    equal: names.length - differing.length,
    differences: differing.map((field) => ({
      probe,
      field,
      reference: reference.get(field) ?? null,
      ours: ours.get(field) ?? null,
      why: reasons.find((reason) => reason.probes.test(probe) && reason.fields.test(field))?.why ?? null,
    })),
  };
}

/** Reasons that explain nothing any more. */
export const unusedReasons = (compared: readonly Compared[], reasons: readonly Reason[]): Reason[] => {
  const used = new Set(compared.flatMap(({ differences }) => differences.map(({ why }) => why)));
  return reasons.filter(({ why }) => !used.has(why));
};
