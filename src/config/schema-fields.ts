import { z } from "zod";

type Written = {
  $ref?: string;
  $defs?: Record<string, Written>;
  properties?: Record<string, Written>;
  items?: Written;
  anyOf?: Written[];
  allOf?: Written[];
};

/** The names of the fields that a schema takes at a path; empty where it takes any or none. */
export function createFieldsAt(schema: z.ZodType): (path: readonly PropertyKey[]) => readonly string[] {
  let root: Written | null = null;
  return (path) => {
    root ??= z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }) as Written;
    let place: Written[] = [root];
    const open = (written: Written): Written[] => {
      const named = written.$ref === undefined ? undefined : root?.$defs?.[written.$ref.replace("#/$defs/", "")];
      return [written, ...(written.anyOf ?? []), ...(written.allOf ?? []), ...(named ? [named] : [])].flatMap((each) =>
        each === written ? [each] : open(each),
      );
    };
    for (const step of path)
      place = place
        .flatMap(open)
        .flatMap((written) => (typeof step === "number" ? written.items : written.properties?.[String(step)]) ?? []);
    return place.flatMap(open).flatMap(({ properties = {} }) => Object.keys(properties));
  };
}
