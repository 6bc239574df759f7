import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { requestBody } from "../../../tests/translation/request-bodies.ts";
import { requestOf } from "../../../tests/translation/request-of.ts";
import { type DemandFacts, demandOf } from "../../admission/demand.ts";
import type { ClientDialect, ProviderDialect } from "../../core/request/dialect.ts";
import { Fault } from "../../core/fault.ts";
import { isObject } from "../../core/bytes/is-object.ts";
import type { Json } from "../../core/bytes/json.ts";
import { estimateInput } from "../../tokens/estimate-input.ts";
import { lossesOf } from "../../translate/fidelity/losses.ts";
import { pickTranslator } from "../../translate/pick-translator.ts";
import type { GenerationRequest } from "../../wire/generation-request.ts";
import { MEMBERS } from "../../wire/members/member-tables.ts";
import { isRefused, RETRIES } from "../../wire/members/refusal.ts";
import { fold, type Shape } from "../../wire/members/shape.ts";
import { readModelInput } from "../../wire/model-input.ts";

const CLIENTS: readonly ClientDialect[] = ["chat", "responses", "messages"];
const PROVIDERS: readonly ProviderDialect[] = ["chat", "responses", "messages", "gemini", "converse"];
/** Stands in every value that must not get through. */
const SMUGGLED = "smuggled-value";

type Place = { owner: Json; shape: Shape; way: readonly string[] };

/** Every object of a body into which the table of its format looks. */
function placesIn(shape: Shape, value: unknown, way: readonly string[] = []): Place[] {
  if (Array.isArray(value)) return value.flatMap((item) => placesIn(shape, item, [...way, "*"]));
  if (!isObject(value)) return [];
  const within = Object.entries(value).flatMap(([name, held]) => {
    const inside = shape.members.get(name)?.inside ?? null;
    return inside === null ? [] : placesIn(inside(), held, [...way, name]);
  });
  return [{ owner: value, shape, way }, ...within];
}

/** Each letter in one case or the other, or as a reader in Go would take it for the letter. */
const writtenOtherwise = (name: string): fc.Arbitrary<string> =>
  fc
    .array(fc.constantFrom("lower", "upper", "odd"), { minLength: name.length, maxLength: name.length })
    .map((cases) =>
      name
        .split("")
        .map((letter, at) => written(letter, cases[at]))
        .join(""),
    )
    .map((other) => (other === name ? name.slice(0, -1) + swapped(name.slice(-1)) : other));

const written = (letter: string, as: string | undefined): string =>
  as === "odd" ? (ODD[letter] ?? letter) : as === "upper" ? letter.toUpperCase() : letter.toLowerCase();
const ODD: Readonly<Record<string, string>> = { k: "\u212A", s: "\u017F" };
const swapped = (letter: string): string =>
  letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase();

const value = fc.constantFrom<unknown>(
  SMUGGLED,
  1_000_000,
  true,
  [SMUGGLED],
  { type: "enabled", budget_tokens: 1_000_000, ttl: "1h", include_usage: false, mark: SMUGGLED },
  null,
);

const MODEL: DemandFacts["model"] = {
  price: { version: 1, inputNano: 1_000_000_000n, outputNano: 4_000_000_000n, toolCallNano: {} },
  contextWindow: null,
  maxOutputTokens: 8_000,
  outputCeiling: null,
  outputFloor: 1_024,
  tokenFactor: 1,
};

/** What is set aside for a request. */
function heldFor(request: GenerationRequest): unknown {
  const input = estimateInput(readModelInput(request), request.bytes.length);
  const { choices, maxOutputTokens } = request;
  const mediaTokens = { image: null, smallImage: null, document: null };
  const { least, most } = demandOf({
    units: ["credit", "tokens"],
    model: MODEL,
    tier: request.tier,
    beganAtMs: 0,
    input,
    mediaTokens,
    choices,
    maxOutputTokens,
    calls: null,
  });
  return { least, most };
}

/** What each provider is sent, told of all that nobody knows; null where a translation refuses. */
function sentFor(request: GenerationRequest, body: Json): (string | null)[] {
  return PROVIDERS.map((dialect) => {
    if (dialect !== request.dialect && lossesOf(request.dialect, dialect, body).refused !== null) return null;
    const told = { upstreamModel: "theirs", maxOutputTokens: null, members: { unknown: "forward", open: [] } } as const;
    return pickTranslator(request.dialect, { dialect, conformant: true }).request(request, told).toString();
  });
}

function readOr400(client: ClientDialect, body: object): GenerationRequest | Fault {
  try {
    return requestOf(client, body);
  } catch (error) {
    if (error instanceof Fault && error.code === "invalid_request") return error;
    throw error;
  }
}

/** With one more member somewhere among the others. */
function withMember(owner: Json, name: string, added: unknown, at: number): void {
  const members = Object.entries(owner);
  members.splice(at % (members.length + 1), 0, [name, added]);
  for (const known of Object.keys(owner)) delete owner[known];
  for (const [known, held] of members) owner[known] = held;
}

describe.each(CLIENTS)("a %s request", (client) => {
  test("with a name that differs from a known one by case alone, wherever it stands, is to every provider and to the ledger the one without it, and says so [BOD-34]", () => {
    let taken = 0;
    fc.assert(
      fc.property(
        requestBody(client),
        fc.nat(),
        fc.nat(),
        fc.nat(),
        value,
        fc.gen(),
        ({ body: made }, which, whose, at, given, gen) => {
          const body = JSON.parse(JSON.stringify({ model: "public", ...made })) as Json;
          const plain = readOr400(client, body);
          fc.pre(!(plain instanceof Fault));
          const places = placesIn(MEMBERS[client], body);
          const { owner, shape, way } = places[which % places.length] as Place;
          const names = [...shape.members.keys()];
          const name = names[whose % names.length] as string;
          const variant = gen(writtenOtherwise, name);
          const member = shape.members.get(name);
          fc.pre(!shape.members.has(variant) && owner[variant] === undefined);
          expect(fold(variant)).toBe(fold(name));

          const says = given !== null;
          // A tier that may be sold is asked for by its exact name alone.
          const refusal = member?.refusal?.alike ?? member?.refusal;
          const isNotSold = says && refusal != null && isRefused(given, refusal);
          const isMissing = member?.absent.null === false && owner[name] === undefined;
          withMember(owner, variant, given, at);
          const smuggling = readOr400(client, body);

          if (isNotSold || isMissing) {
            expect(smuggling).toBeInstanceOf(Fault);
            return;
          }
          taken++;
          if (smuggling instanceof Fault) throw smuggling;
          const shown = /^[\w-]{1,64}$/.test(variant) ? variant : "unknown";
          expect(smuggling.leftOut?.map(({ path }) => path)).toContain([...way, shown].join("."));
          const { leftOut: _, stamp: _one, ...same } = smuggling;
          const { leftOut: _none, stamp: _other, ...asked } = plain;
          expect(same).toEqual(asked);
          expect(heldFor(smuggling)).toEqual(heldFor(plain));
          delete owner[variant];
          expect(sentFor(smuggling, body)).toEqual(sentFor(plain, body));
          expect(sentFor(smuggling, body).join("")).not.toContain(SMUGGLED);
        },
      ),
      { numRuns: 200 },
    );
    expect(taken).toBeGreaterThan(50);
  });

  test.each(RETRIES.split(" "))(
    "that names %s asks for what is not done here, and is answered without it [BOD-46]",
    (name) => {
      fc.assert(
        fc.property(requestBody(client), value, fc.boolean(), ({ body }, given, nested) => {
          const plain = readOr400(client, body);
          fc.pre(!(plain instanceof Fault) && given !== null);
          const request = requestOf(
            client,
            nested ? { ...body, extra_body: { [name]: given } } : { ...body, [name]: given },
          );

          expect(request.leftOut?.map(({ path }) => path)).toContain(nested ? `extra_body.${name}` : name);
          for (const sent of sentFor(request, body)) expect(sent ?? "").not.toContain(`"${name}"`);
          if (!nested) expect(heldFor(request)).toEqual(heldFor(plain));
        }),
        { numRuns: 15 },
      );
    },
  );
});
