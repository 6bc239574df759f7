import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { createDigestFilter } from "./digest-filter.ts";
import { createIssuedDigests } from "./issued-digests.ts";

const digestOf = (name: string | number): Buffer => createHash("sha256").update(String(name)).digest();

/** Secrets by the key they belong to. */
function storeOf(secrets: Map<string, Buffer[]>) {
  const all = (): Buffer[] => [...secrets.values()].flat().toSorted((one, other) => Buffer.compare(one, other));
  return {
    countSecrets: async () => all().length,
    digestsAfter: async (after: Buffer | null, limit: number) =>
      all()
        .filter((digest) => after === null || Buffer.compare(digest, after) > 0)
        .slice(0, limit),
    digestsOf: async (ids: readonly string[]) => ids.flatMap((id) => secrets.get(id) ?? []),
  };
}

test("a full filter knows every digest that was added and takes one stranger in a thousand for one", () => {
  const capacity = 20_000;
  const filter = createDigestFilter(capacity);
  for (let added = 0; added < capacity; added++) filter.add(digestOf(added));

  expect(filter.hasRoom()).toBe(true);
  for (let added = 0; added < capacity; added++) expect(filter.has(digestOf(added))).toBe(true);
  let mistaken = 0;
  for (let stranger = 0; stranger < capacity; stranger++) if (filter.has(digestOf(`not ${stranger}`))) mistaken++;
  expect(mistaken / capacity).toBeLessThan(0.001);
});

test("every secret there is becomes known in one reading, and those of a key when word of it comes", async () => {
  const secrets = new Map([["first", Array.from({ length: 25_000 }, (_, number) => digestOf(number))]]);
  const issued = createIssuedDigests({ store: storeOf(secrets), onFailed: () => undefined });
  expect(issued.has(digestOf(0))).toBe(false);

  issued.noticed(null);
  await issued.settled();
  expect(secrets.get("first")?.every((digest) => issued.has(digest))).toBe(true);
  expect(issued.has(digestOf("new"))).toBe(false);

  secrets.set("second", [digestOf("new")]);
  issued.noticed("second");
  await issued.settled();
  expect(issued.has(digestOf("new"))).toBe(true);
});

test("what comes during a reading is read too, and is there when the reading has ended", async () => {
  const secrets = new Map([["first", [digestOf(1)]]]);
  const store = storeOf(secrets);
  const { promise: counted, resolve } = Promise.withResolvers<number>();
  const issued = createIssuedDigests({ store: { ...store, countSecrets: () => counted }, onFailed: () => undefined });

  issued.noticed(null);
  secrets.set("second", [digestOf(2)]);
  issued.noticed("second");
  secrets.set("third", [digestOf(3)]);
  issued.add(digestOf(3));
  resolve(1);
  await issued.settled();

  for (const number of [1, 2, 3]) expect(issued.has(digestOf(number))).toBe(true);
});

test("a store that is away leaves what was known, and is told of", async () => {
  const failed: unknown[] = [];
  const store = storeOf(new Map());
  const issued = createIssuedDigests({
    store: { ...store, countSecrets: () => Promise.reject(new Error("away")) },
    onFailed: (error) => failed.push(error),
  });
  issued.add(digestOf(1));

  issued.noticed(null);
  await issued.settled();

  expect(failed).toHaveLength(1);
  expect(issued.has(digestOf(1))).toBe(true);
});
