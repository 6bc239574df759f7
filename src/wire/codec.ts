import { z } from "zod";

/** Other names here than in JSON: `{ parentId: "parent_id" }`. Fields without a line are called the same. */
type Names = Readonly<Record<string, string>>;

type Flipped<Given extends Names> = { [Here in keyof Given as Given[Here]]: Here };

type Renamed<Json, Given extends Names> = {
  [Field in keyof Json as Field extends keyof Flipped<Given> ? Flipped<Given>[Field] & string : Field]: Json[Field];
};

/** An object of JSON whose fields have other names here. What has no field in JSON is left out of it. */
export function renamed<Json extends z.ZodObject, const Given extends Names>(json: Json, names: Given) {
  const known = Object.entries(names).map(([here, there]) => [there, here] as const);
  const hereOf = new Map<string, string>(known);
  const fields = Object.keys(json.shape).map((there) => [there, hereOf.get(there) ?? there] as const);
  return z.codec(json, z.custom<Renamed<z.output<Json>, Given>>(), {
    decode: (row) => pick(row, fields) as Renamed<z.output<Json>, Given>,
    encode: (value) =>
      pick(
        value,
        fields.map(([there, here]) => [here, there]),
      ) as never,
  });
}

function pick(from: object, fields: readonly (readonly [from: string, to: string])[]): object {
  const given = from as Readonly<Record<string, unknown>>;
  return Object.fromEntries(fields.flatMap(([name, to]) => (name in given ? [[to, given[name]]] : [])));
}

/** What JSON has in a field of its own: `{ "account": … }`. */
export const within = <const Name extends string, Inner extends z.ZodType>(name: Name, inner: Inner) =>
  z.codec(z.object({ [name]: inner } as Record<Name, Inner>), z.custom<z.output<Inner>>(), {
    decode: (row) => (row as Record<string, z.output<Inner>>)[name] as z.output<Inner>,
    encode: (value) => ({ [name]: value }) as never,
  });
