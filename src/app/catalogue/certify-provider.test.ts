import { randomBytes } from "node:crypto";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { emptyDatabase } from "../../../tests/support/admin-app.ts";
import {
  type Habits,
  type ProviderWithHabits,
  startProviderWithHabits,
} from "../../../tests/support/provider-with-habits.ts";
import { loadConfig } from "../../config/load-config.ts";
import type { CallCredential } from "../../core/catalogue/call-credential.ts";
import type { ProviderDialect } from "../../core/request/dialect.ts";
import type { Database } from "../../db/database.ts";
import { type Certified, certifyProvider } from "./certify-provider.ts";
import { draftCertificate } from "./draft-certificate.ts";
import { planCertification } from "./plan-certification.ts";

const CREDENTIAL = "sk-live-Zq83hfKd02mVnXp5LtRw7yBc";
const SPEND = 500_000_000n;
/** USD per million tokens of a current model, as the price list has them. */
const PRICE = {
  inputNano: 1_000_000_000n,
  outputNano: 5_000_000_000n,
  cacheReadNano: 100_000_000n,
  cacheWrite5mNano: 1_250_000_000n,
  cacheWrite1hNano: 2_000_000_000n,
  toolCallNano: {},
};
const { config } = loadConfig({ options: {}, environment: {} });

let database: Database;
let provider: ProviderWithHabits | null = null;
let runs = 0;
beforeAll(async () => {
  database = await emptyDatabase();
});
afterEach(async () => {
  await provider?.close();
  provider = null;
});
afterAll(() => database.close());

type Wanted = {
  dialects: ProviderDialect[];
  name: string;
  habits?: Partial<Habits>;
  reasoning?: boolean;
  timeoutMs?: number;
  spend?: bigint;
  only?: string[];
  credential?: CallCredential;
};

async function certify({
  dialects,
  name,
  habits,
  reasoning = false,
  timeoutMs = 10_000,
  spend = SPEND,
  only,
  credential = CREDENTIAL,
}: Wanted): Promise<Certified> {
  const model = `model-${++runs}`;
  provider = await startProviderWithHabits({ credential: CREDENTIAL, model, ...habits });
  const terms = {
    id: model,
    ownedBy: name,
    provider: name,
    displayName: null,
    tagline: null,
    contextWindow: 128_000,
    maxOutputTokens: 16_384,
    outputCeiling: null,
    outputFloor: 1_024,
    tokenFactor: 1,
    capabilities: { reasoning },
    price: PRICE,
  };
  const chosen = dialects.map((dialect) => ({
    model: terms,
    route: {
      provider: name,
      upstreamModel: model,
      dialect,
      conformant: false,
      priority: 0,
      weight: 1,
      connectTimeoutMs: 5_000,
      firstByteTimeoutMs: 60_000,
      idleTimeoutMs: 60_000,
      concurrencyLimit: null,
    },
  }));
  const { plan, termsOf } = planCertification(chosen, { hasCredential: true });
  const subjects = plan.subjects.map(({ subject, trials }) => ({
    subject,
    trials: trials.filter(({ id }) => only === undefined || only.includes(id)),
  }));
  return certifyProvider({
    provider: {
      name,
      baseUrl: `${provider.url}/${dialects.includes("gemini") ? "v1beta" : "v1"}`,
      unknownMembers: null,
      openMembers: null,
      credential,
    },
    plan: { ...plan, subjects },
    termsOf,
    spendNano: spend,
    timeoutMs,
    config,
    // One for all runs: making another costs seconds.
    database: { ...database, close: () => Promise.resolve() },
    version: "1.2.3",
    onTrial: () => undefined,
  });
}

const faultsOf = ({ certificate }: Certified): string[] =>
  certificate.subjects.flatMap(({ trials }) =>
    trials
      .filter(({ outcome }) => outcome === "failed")
      .flatMap(({ id, reasons }) => reasons.map((reason) => `${id}: ${reason}`)),
  );
const outcomeOf = ({ certificate }: Certified, id: string) =>
  certificate.subjects.flatMap(({ trials }) => trials).find((trial) => trial.id === id);

describe("a provider that keeps the rules", () => {
  test("in chat and responses is certified within the spend, and its report and recordings name nothing of the account", async () => {
    const headers = {
      "x-request-id": "req_8f3kd92mdk2",
      "openai-organization": "acme-k29dk2",
      "x-ratelimit-limit-requests": "500",
    };
    const certified = await certify({
      dialects: ["chat", "responses"],
      name: "openai",
      habits: { headers },
      reasoning: true,
    });
    const { report, recordings, leaks, passed } = draftCertificate(certified, false);

    expect(faultsOf(certified)).toEqual([]);
    expect(passed).toBe(true);
    expect(leaks).toEqual([]);
    expect(outcomeOf(certified, "cache")?.notes.join(" ")).toMatch(/read 4000 of|input tokens from the cache/);
    expect(outcomeOf(certified, "reasoning")?.notes.join(" ")).toMatch(/60 of 80 output tokens were reasoning/);
    expect(outcomeOf(certified, "cancel")).toMatchObject({ outcome: "passed" });
    expect(outcomeOf(certified, "rate-limits")?.notes).toEqual(["x-ratelimit-limit-requests"]);
    expect(certified.certificate.chargedNano).toBeGreaterThan(0n);
    expect(certified.certificate.billedAtMostNano).toBeLessThanOrEqual(SPEND);
    expect(report.text).toMatch(/^# openai: certified\n/);
    expect(recordings.map(({ path }) => path)).toContain("chat-completions/openai-model-1-stream.chunks.txt");
    expect(JSON.stringify([report, recordings])).not.toMatch(/req_8f3kd92mdk2|acme-k29dk2|Zq83hfKd02/);
  });

  test.each<[string, ProviderDialect]>([
    ["anthropic", "messages"],
    ["google", "gemini"],
  ])("%s is certified in %s", async (name, dialect) => {
    const certified = await certify({ dialects: [dialect], name });

    expect(faultsOf(certified)).toEqual([]);
    expect(draftCertificate(certified, true).passed).toBe(true);
    expect(outcomeOf(certified, "wrong-credential")).toMatchObject({ outcome: "passed" });
  });
});

describe("a provider that misbehaves", () => {
  test("has each fault named, and leaks nothing into the report", async () => {
    const double = (body: string): string => body.replace(/"completion_tokens":40/, '"completion_tokens":155');
    const certified = await certify({
      dialects: ["chat"],
      name: "bad",
      only: ["text", "stream", "tool-stream", "structured", "cache", "unknown-model", "wrong-credential"],
      habits: {
        vices: {
          text: { change: double },
          stream: { change: (body) => body.replace(/data: \[DONE\]\s*$/, "") },
          tool: { script: "fail=close@2" },
          schema: { body: () => '{"error":{"message":"overloaded"}}' },
          cache: { script: "tokens=2+cached=9" },
          "unknown-model": {
            status: 404,
            body: (credential) =>
              `{"error":{"message":"no model for key ${Buffer.from(credential).toString("base64")}","type":"invalid_request_error"}}`,
          },
          "wrong-credential": { script: "tokens=3" },
        },
      },
    });
    const { report, leaks, passed } = draftCertificate(certified, false);
    const faults = faultsOf(certified);

    expect(passed).toBe(false);
    expect(leaks).toEqual([]);
    expect(faults).toContainEqual(
      expect.stringMatching(/^text: The provider reports 155 output tokens; Tollgate's tokenizer counts \d+\.$/),
    );
    expect(faults).toContainEqual(
      expect.stringMatching(/^stream: The provider's stream breaks a rule: 6\.1\.7 .*\[DONE\]/),
    );
    expect(faults).toContain(
      "tool-stream: The provider's stream breaks a rule: 6.1.6 the last chunk has a finish_reason.",
    );
    expect(faults).toContain("structured: The provider returned status 200 with an error in the body.");
    expect(faults).toContain("cache: The provider reports 9 cached tokens of a prefix that was never sent before.");
    expect(faults).toContain("unknown-model: The provider sent the credential back in base64.");
    expect(faults).toContain("wrong-credential: The provider accepts a wrong credential.");
    expect(certified.certificate.billedAtMostNano).toBeLessThanOrEqual(SPEND);
    expect(report.text).toMatch(/^# bad: not certified, \d+ of \d+ trials failed\n/);
  });

  test("and hangs is left after the timeout", async () => {
    const certified = await certify({
      dialects: ["chat"],
      name: "silent",
      timeoutMs: 2_000,
      only: ["stream"],
      habits: { vices: { stream: { script: "fail=hang" } } },
    });

    expect(faultsOf(certified)).toEqual(["stream: The provider did not respond within 2 s."]);
  });

  test.each([
    ["missing", "reports no usage; Tollgate charged its own estimate"],
    ["negative", "reports a usage that cannot be true"],
  ])("with %s usage is found out", async (usage, fault) => {
    const vice = { script: `tokens=40+usage=${usage}` };
    const certified = await certify({
      dialects: ["messages"],
      name: `usage-${usage}`,
      only: ["text", "stream"],
      habits: { vices: { text: vice, stream: vice } },
    });

    expect(faultsOf(certified)).toContainEqual(expect.stringContaining(fault));
  });

  test("and reports more tokens than it was allowed ends the run, since its cost has no bound", async () => {
    const change = (body: string): string => body.replace('"completion_tokens":40', '"completion_tokens":50000');
    const certified = await certify({ dialects: ["chat"], name: "greedy", habits: { vices: { stream: { change } } } });

    expect(certified.certificate.stopped).toMatch(/more tokens than it was allowed/);
    expect(provider?.calls().length).toBeLessThan(4);
  });

  test("and rejects the credential ends the run after one call", async () => {
    const certified = await certify({
      dialects: ["chat"],
      name: "locked",
      habits: { credential: "another-credential" },
    });

    expect(certified.certificate.stopped).toBe("The provider rejects the credential.");
    expect(provider?.calls()).toHaveLength(1);
    expect(certified.certificate.chargedNano).toBe(0n);
  });

  test("and asks to wait is asked again", async () => {
    const body = () => '{"error":{"message":"slow down","type":"rate_limit_error"}}';
    const certified = await certify({
      dialects: ["chat"],
      name: "busy",
      only: ["text"],
      habits: { vices: { text: { status: 429, body, headers: { "retry-after": "0" }, times: 2 } } },
    });

    expect(outcomeOf(certified, "text")).toMatchObject({ outcome: "passed" });
    expect(outcomeOf(certified, "rate-limits")?.notes.join(" ")).toContain("2 calls got 429 and were repeated.");
  });
});

describe("a provider that is called with an identity in a cloud", () => {
  /** Each call has a token of its own, as it has a signature of its own at AWS. */
  function identity() {
    const given: string[] = [];
    const sign = () => {
      given.push(randomBytes(24).toString("base64url"));
      return { authorization: `Bearer ${CREDENTIAL}`, "x-signature": given.at(-1) ?? "" };
    };
    return { given, credential: { sign, renew: () => Promise.resolve(false) } };
  }

  test("is certified, and the wrong credential is not its identity", async () => {
    const { given, credential } = identity();
    const certified = await certify({
      dialects: ["chat"],
      name: "cloud",
      only: ["text", "stream", "wrong-credential"],
      credential,
    });

    expect(faultsOf(certified)).toEqual([]);
    expect(outcomeOf(certified, "wrong-credential")).toMatchObject({ outcome: "passed" });
    expect(given.length).toBeGreaterThan(1);
  });

  test("and sends back what a call was signed with is found out", async () => {
    const { given, credential } = identity();
    const body = () => `{"error":{"message":"not with ${given.at(-1)}","type":"invalid_request_error"}}`;
    const certified = await certify({
      dialects: ["chat"],
      name: "echo",
      only: ["unknown-model"],
      credential,
      habits: { vices: { "unknown-model": { status: 404, body } } },
    });
    const { report, recordings, leaks } = draftCertificate(certified, false);

    expect(faultsOf(certified)).toEqual([
      expect.stringMatching(/^unknown-model: The provider sent the credential back /),
    ]);
    expect(leaks).toEqual([]);
    expect(JSON.stringify([report, recordings])).not.toContain(given.at(-1));
  });
});

test("no call is made that could exceed the spend", async () => {
  const certified = await certify({ dialects: ["chat"], name: "poor", spend: 2_500_000n });

  expect(certified.certificate.stopped).toBe("The next trial could exceed the spend.");
  expect(certified.certificate.billedAtMostNano).toBeLessThanOrEqual(2_500_000n);
});
