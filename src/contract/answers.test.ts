import fc from "fast-check";
import { expect, test } from "vitest";
import { z } from "zod";
import { type Schema, written } from "../wire/validate.ts";
import { ACCOUNTS } from "./accounts.ts";
import { AUDIT } from "./audit.ts";
import { BOOKS } from "./books.ts";
import { CATALOGUE } from "./catalogue.ts";
import { CLIENT_SESSIONS } from "./client-sessions.ts";
import { CLOSED_PURSES } from "./closed-purses.ts";
import { FUNDS } from "./funds.ts";
import { KEYS } from "./keys.ts";
import { LIVE } from "./live.ts";
import { MODELS } from "./models.ts";
import { NOTICES } from "./notices.ts";
import { PEOPLE } from "./people.ts";
import { PROVIDERS } from "./providers.ts";
import { QUARANTINE } from "./quarantine.ts";
import { REQUESTS } from "./requests.ts";
import { SERIES } from "./series.ts";
import { TOKENS } from "./tokens.ts";
import { USAGE } from "./usage.ts";

const RESOURCES = {
  ACCOUNTS,
  AUDIT,
  BOOKS,
  CATALOGUE,
  CLIENT_SESSIONS,
  CLOSED_PURSES,
  FUNDS,
  KEYS,
  LIVE,
  MODELS,
  NOTICES,
  PEOPLE,
  PROVIDERS,
  QUARANTINE,
  REQUESTS,
  SERIES,
  TOKENS,
  USAGE,
};
const ANSWERS = Object.entries(RESOURCES).flatMap(([resource, operations]) =>
  Object.entries(operations as Record<string, { answer: Schema }>).map(
    ([name, { answer }]) => [`${resource}.${name}`, answer] as const,
  ),
);

/** What a column of the database can have. */
const int8 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
const int4 = fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 });
const counted = fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }).map(String);
const moment = fc.integer({ min: Date.parse("0001-01-01T00:00:00Z"), max: Date.parse("9999-12-31T23:59:59.999Z") });
const double = fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0);
const word = fc.stringMatching(/^[a-z]\w{1,9}$/);

/** What people call things, and amounts. What is no amount in its unit is generated once more. */
const TEXTS = [
  fc.oneof(
    fc.string({ unit: "grapheme" }),
    fc.constantFrom("", "🦊 fox's\r\n", "%_\\", "%2F/..", "=1+1", "x".repeat(3_000)),
  ),
  fc.oneof(int8.map(String), fc.constant("-9223372036.854775808")),
  fc.nat().map(String),
];

const NOT_READ = Symbol("no amount in its unit");
const isRead = (value: unknown): boolean =>
  value !== NOT_READ && (typeof value !== "object" || value === null || Object.values(value).every(isRead));

/** Whatever a schema can read, as it is here: the other side of its codecs. */
function valuesOf(schema: z.core.$ZodType, text: fc.Arbitrary<string>): fc.Arbitrary<unknown> {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  const inner = (one: z.core.$ZodType) => valuesOf(one, text);
  if (def.type === "string") return stringOf(schema, text);
  if (def.type === "number") return "format" in def ? fc.integer(boundsOf(def)) : double;
  if (def.type === "boolean") return fc.boolean();
  if (def.type === "enum") return fc.constantFrom(...Object.values(def.entries));
  if (def.type === "literal") return fc.constantFrom(...def.values);
  if (def.type === "nullable") return fc.option(inner(def.innerType), { nil: null });
  if (def.type === "array") return fc.array(inner(def.element), { maxLength: 2 });
  if (def.type === "record") return fc.dictionary(word, inner(def.valueType), { maxKeys: 2 });
  if (def.type === "unknown") return fc.oneof(fc.boolean(), fc.string());
  if (def.type === "object") {
    const fields = Object.entries(def.shape);
    const requiredKeys = fields.flatMap(([name, one]) => (one._zod.optout === "optional" ? [] : [name]));
    return fc.record(Object.fromEntries(fields.map(([name, one]) => [name, inner(one)])), { requiredKeys });
  }
  if (def.type === "optional") return inner(def.innerType);
  if (def.type === "union") return fc.oneof(...def.options.map(inner));
  if (def.type === "pipe") return throughCodec(def as z.core.$ZodCodecDef, text);
  throw new Error(`no values of ${def.type}`);
}

function boundsOf({ checks = [] }: z.core.$ZodTypeDef): { min: number; max: number } {
  const told = checks.map(({ _zod: { def } }) => def as { check: string; value?: number });
  const bound = (check: string): number | undefined => told.find((one) => one.check === check)?.value;
  return {
    min: bound("greater_than") ?? Number.MIN_SAFE_INTEGER,
    max: bound("less_than") ?? Number.MAX_SAFE_INTEGER,
  };
}

function stringOf(schema: z.core.$ZodType, text: fc.Arbitrary<string>): fc.Arbitrary<unknown> {
  const { format, checks = [] } = schema._zod.def as z.core.$ZodStringDef & { format?: string };
  if (format === "uuid") return fc.uuid();
  if (format === "date") return moment.map((ms) => new Date(ms).toISOString().slice(0, 10));
  const words = checks.some(({ _zod: { def } }) => def.check === "string_format") ? counted : text;
  if (!checks.some(({ _zod: { def } }) => def.check === "custom")) return words;
  return words.map((value) => (z.safeParse(schema, value).success ? value : NOT_READ));
}

function throughCodec({ in: json, out, transform }: z.core.$ZodCodecDef, text: fc.Arbitrary<string>) {
  const [there, here] = [json, out].map((one) => (one as z.core.$ZodTypes)._zod.def.type);
  if (here === "bigint") return there === "string" ? int8 : fc.maxSafeInteger().map(BigInt);
  if (here === "number" && there === "string") return moment;
  if (here === "number" && there === "number") return int4;
  return valuesOf(json, text).map((value) => {
    const payload = { value, issues: [] };
    try {
      const read: unknown = isRead(value) ? transform(value, payload) : NOT_READ;
      return payload.issues.length === 0 ? read : NOT_READ;
    } catch {
      return NOT_READ;
    }
  });
}

const whatever = (answer: Schema): fc.Arbitrary<unknown> =>
  fc.oneof(...TEXTS.map((text) => valuesOf(answer, text))).filter(isRead);

test.each(ANSWERS)("whatever %s answers is written, and read as what it was", (_name, answer) => {
  fc.assert(
    fc.property(whatever(answer), (value) => {
      const json = JSON.stringify(written(answer, value));

      expect(answer.parse(JSON.parse(json))).toEqual(value);
    }),
    { numRuns: 50 },
  );
});
