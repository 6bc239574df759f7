import { createHash } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { emptyDatabase } from "../../../tests/support/admin-app.ts";
import { createId } from "../../core/ids.ts";
import type { Database } from "../../db/database.ts";
import { createDeviceGrantStore } from "./device-grant-store.ts";
import { createPeopleStore } from "../../people/people-store.ts";
import { createFailureStore } from "../failure-store.ts";
import { createDeviceSignIn } from "./device-sign-in.ts";

let database: Database;
let personId: string;
let returnTo = "";
beforeAll(async () => {
  database = await emptyDatabase();
  personId = createId(Date.now());
  const who = { id: personId, email: "ann@acme.example", name: "Ann", accountId: null, passwordHash: null };
  await createPeopleStore(database).insert({ ...who, source: "given", grants: [], atMs: Date.now() });
}, 150_000);
afterAll(() => database.close());

const unlimited = { waitMs: () => 0, noteUnknown: () => undefined };
const open = () =>
  createDeviceSignIn({
    store: createDeviceGrantStore(database),
    failures: createFailureStore(database),
    signIn: {
      begin: (to) => {
        returnTo = to ?? "";
        return Promise.resolve({ url: "https://id.example", state: "state" });
      },
      identify: () => Promise.resolve({ personId, email: "ann@acme.example", returnTo }),
    },
    sessions: { begin: () => Promise.reject(new Error("not asked for")) } as never,
    unknown: unlimited,
    departures: unlimited,
    personOf: () => Promise.resolve({ email: "ann@acme.example", name: "Ann", account: "Acme/Ann" }),
    audit: () => Promise.resolve(),
  });

const LETTERS = "BCDFGHJKLMNPQRSTVWXZ";
/** Of these none is given out, as good as surely. */
const wrong = (index: number): string =>
  [...createHash("sha256").update(String(index)).digest().subarray(0, 8)].map((byte) => LETTERS[byte % 20]).join("");

const from = (address: string | null) => ({ address, agent: "claude-code", requestId: "req_1" });

test("wrong codes keep nobody from a right one where addresses are not known", async () => {
  const { start, enter } = open();
  for (let index = 0; index < 320; index++)
    await expect(enter(wrong(index), from(null))).rejects.toMatchObject({ code: "invalid_request" });
  const { userCode } = await start(from(null));

  expect(await enter(userCode, from(null))).toMatchObject({ url: "https://id.example" });
});

test("wrong codes from one address end there, and nowhere else", async () => {
  const { start, enter } = open();
  const codes = [];
  for (let index = 0; index < 22; index++)
    codes.push(await enter(wrong(index), from("192.0.2.7")).catch(({ code }: { code: string }) => code));
  const { userCode } = await start(from(null));

  expect(codes).toEqual([...Array(20).fill("invalid_request"), ...Array(2).fill("rate_limit_exceeded")]);
  await expect(enter(userCode, from("192.0.2.7"))).rejects.toMatchObject({ code: "rate_limit_exceeded" });
  expect(await enter(userCode, from("192.0.2.8"))).toMatchObject({ url: "https://id.example" });
});

test("a person is asked about so many codes in a quarter of an hour, however many they guess", async () => {
  const { start, enter, cameBack } = open();
  const outcomes = [];
  for (let index = 0; index < 32; index++) {
    await enter((await start(from(null))).userCode, from(null));
    const came = { ...from(null), query: "", state: null };
    outcomes.push(
      await cameBack(came).then(
        ({ kind }) => kind,
        ({ code }: { code: string }) => code,
      ),
    );
  }

  expect(outcomes).toEqual([...Array(30).fill("asked"), ...Array(2).fill("rate_limit_exceeded")]);
});
