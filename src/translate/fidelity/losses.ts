import type { Json } from "../../core/bytes/json.ts";
import type { ClientDialect, ProviderDialect } from "../../core/request/dialect.ts";
import { isObject } from "../../core/bytes/is-object.ts";
import { type OpenSeal, opensNothing } from "../form/native.ts";
import type { FieldRow, ModelFacts, Recipient } from "./field-row.ts";
import { CLIENT_FIELDS, fieldTable } from "./field-tables.ts";
import { KNOWN_MEMBERS } from "./known-members.ts";

/** A field that does not reach the provider: what it is called in the table, and where the first one stands in the body. */
export type Loss = { path: string; at: string; note: string | null };

export type Losses = { dropped: Loss[]; refused: Loss | null };

/** Unless more is known of a model, it can do all that may be asked of it; unless a caller is known, nothing was sealed for it. */
const ABLE: Known = { reasoning: true };

type Known = ModelFacts & { models?: readonly string[]; open?: OpenSeal };

/** What a body of one format would lose at a provider of another. What no row knows is lost, and said to be. */
export function lossesOf(
  client: ClientDialect,
  provider: ProviderDialect,
  body: Json,
  { models = [], open = opensNothing, reasoning }: Known = ABLE,
): Losses {
  const to = { provider, models, body, open, reasoning };
  const dropped: Loss[] = [];
  let refused: Loss | null = null;
  for (const row of fieldTable(client, provider)) {
    if (row.fate !== "lost" && row.fate !== "refused") continue;
    const at = firstAt({ row, to }, { value: body, owner: {} }, 0);
    if (at === null) continue;
    const loss = { path: row.path, at, note: row.note ?? null };
    if (row.fate === "refused") refused ??= loss;
    else if (!dropped.some(({ path }) => path === row.path)) dropped.push(loss);
  }
  const known = KNOWN[client];
  for (const [name, value] of Object.entries(body)) {
    if (!known.has(name) && value !== null) dropped.push({ path: nameOf(name), at: nameOf(name), note: null });
  }
  return { dropped: [...dropped, ...unknownMembers(client, body)], refused };
}

const firstSteps = (client: ClientDialect): ReadonlySet<string> =>
  new Set(Object.keys(CLIENT_FIELDS[client]).map((path) => path.split(".", 1).join()));

/** Members of a body that a table speaks of. */
const KNOWN: Record<ClientDialect, ReadonlySet<string>> = {
  chat: firstSteps("chat"),
  responses: firstSteps("responses"),
  messages: firstSteps("messages"),
};

/** Members of the body's parts that nobody reads, each named once. */
function unknownMembers(client: ClientDialect, body: Json): Loss[] {
  const found = new Map<string, Loss>();
  for (const [place, names] of Object.entries(KNOWN_MEMBERS[client])) {
    for (const { value, at } of objectsAt(body, place.split("."))) {
      for (const name of Object.keys(value)) {
        if (names.includes(name) || value[name] === null) continue;
        const path = `${place}.${nameOf(name)}`;
        if (!found.has(path) && found.size < MOST_UNKNOWN)
          found.set(path, { path, at: joined(at, nameOf(name)), note: null });
      }
    }
  }
  return [...found.values()];
}

/** A caller may make up as many names as its body has room for. */
const MOST_UNKNOWN = 100;

function objectsAt(value: unknown, [step, ...rest]: readonly string[], at = ""): { value: Json; at: string }[] {
  if (step === undefined) return isObject(value) ? [{ value, at }] : [];
  const under = (name: string): string => (at === "" ? name : `${at}.${name}`);
  if (step === "*") {
    return Array.isArray(value) ? value.flatMap((item, index) => objectsAt(item, rest, under(String(index)))) : [];
  }
  return isObject(value) ? objectsAt(value[step], rest, under(step)) : [];
}

/** A caller's own name goes into a header and a message only when it is harmless there. */
const nameOf = (name: string): string => (/^[\w-]{1,64}$/.test(name) ? name : "unknown");

type Search = { row: FieldRow; to: Recipient };
type Place = { value: unknown; owner: Json };

/** Where the first value stands that the row speaks of; null when there is none. */
function firstAt(search: Search, { value, owner }: Place, depth: number): string | null {
  const { row, to } = search;
  const step = row.steps[depth];
  if (step === undefined) {
    if (value === undefined || value === null) return null;
    return row.only === undefined || row.only.when(value, owner, to) ? "" : null;
  }
  if (step === "*") {
    if (!Array.isArray(value)) return null;
    for (let index = 0; index < value.length; index++) {
      const below = firstAt(search, { value: value[index], owner }, depth + 1);
      if (below !== null) return joined(String(index), below);
    }
    return null;
  }
  if (!isObject(value) || !Object.hasOwn(value, step)) return null;
  const below = firstAt(search, { value: value[step], owner: value }, depth + 1);
  return below === null ? null : joined(step, below);
}

const joined = (step: string, below: string): string => (below === "" ? step : `${step}.${below}`);
