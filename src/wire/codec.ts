import { z } from "zod";

/** Other names here than in JSON: `{ parentId: "parent_id" }`. Fields without a line are called the same. */
type Names = Readonly<Record<string, string>>;

type Flipped<Given extends Names> = { [Here in keyof Given as Given[Here]]: Here };

type Renamed<Json, Given extends Names> = {
  [Field in keyof Json as Field extends keyof Flipped<Given> ? Flipped<Given>[Field] & string : Field]: Json[Field];
};

/** An object of JSON whose fields have other names here. What has no field in JSON is left out of it, and what is absent here is its default. */
export function renamed<Json extends z.ZodObject, const Given extends Names>(json: Json, names: Given) {
  const { read, write } = fieldsOf(json, names);
  const usual = Object.fromEntries(
    read.flatMap(([there, here]) => {
      const field = json.shape[there];
      return field instanceof z.ZodDefault ? [[here, field.def.defaultValue]] : [];
    }),
  );
  return z.codec(json, z.custom<Renamed<z.output<Json>, Given>>(), {
    decode: (row) => pick(row, read) as Renamed<z.output<Json>, Given>,
    encode: (value) => pick({ ...usual, ...value }, write) as z.output<Json>,
  });
}

type Filled<Row> = {
  [Field in keyof Row]-?: object extends Pick<Row, Field> ? Row[Field] | null : Row[Field];
};

const ALIKE = {} satisfies Names;

/** The same for a query: what it may leave out is null here. */
export function sparse<Json extends z.ZodObject, const Given extends Names = typeof ALIKE>(
  json: Json,
  names: Given = ALIKE as Given,
) {
  const { read, write } = fieldsOf(json, names);
  const nothing = Object.fromEntries(read.map(([, here]) => [here, null]));
  return z.codec(json, z.custom<Filled<Renamed<z.output<Json>, Given>>>(), {
    decode: (row) => ({ ...nothing, ...pick(row, read) }) as Filled<Renamed<z.output<Json>, Given>>,
    encode: (value) =>
      Object.fromEntries(Object.entries(pick(value, write)).filter(([, one]) => one !== null)) as z.output<Json>,
  });
}

function fieldsOf(json: z.ZodObject, names: Names) {
  const hereOf = new Map(Object.entries(names).map(([here, there]) => [there, here]));
  const read = Object.keys(json.shape).map((there) => [there, hereOf.get(there) ?? there] as const);
  return { read, write: read.map(([there, here]) => [here, there] as const) };
}

function pick(from: object, fields: readonly (readonly [from: string, to: string])[]): object {
  const given = from as Readonly<Record<string, unknown>>;
  const picked: Record<string, unknown> = {};
  for (const [name, to] of fields) if (name in given) picked[to] = given[name];
  return picked;
}

/** What JSON has in a field of its own: `{ "account": … }`. `object`: `z.strictObject` for what is asked. */
export const within = <const Name extends string, Inner extends z.ZodType>(
  name: Name,
  inner: Inner,
  object: typeof z.strictObject = z.object,
) =>
  z.codec(object({ [name]: inner } as Record<Name, Inner>), z.custom<z.output<Inner>>(), {
    decode: (row) => (row as Record<string, z.output<Inner>>)[name] as z.output<Inner>,
    encode: (value) => ({ [name]: value }) as z.output<z.ZodObject<Record<Name, Inner>>>,
  });

/** A flag of JSON that is one of two words here. */
export const oneOf = <Flag extends z.ZodType<boolean>, const False extends string, const True extends string>(
  flag: Flag,
  words: { false: False; true: True },
) =>
  z.codec<Flag, z.ZodType<False | True>>(flag, z.enum([words.false, words.true]), {
    decode: (value) => (value ? words.true : words.false),
    encode: (word) => (word === words.true) as z.output<Flag>,
  });
