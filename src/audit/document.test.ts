import { expect, test } from "vitest";
import { createSecret } from "../core/secret/secret.ts";
import { documentOf } from "./document.ts";

const read = (view: unknown, maxBytes = 10_000): unknown => JSON.parse(documentOf(view, maxBytes) ?? "null");

test("a view is written as the admin API writes it: names, moments, and amounts in their unit", () => {
  const view = {
    rpmLimit: null,
    expiresAtMs: Date.UTC(2027, 0, 1),
    counters: [
      { unit: "credit", amount: 1_500_000_000n, renewsAtMs: null },
      { unit: "tokens", amount: 12n },
    ],
    tariff: { inputNano: 2_000_000_000n, toolCallNano: { search: 5_000_000n } },
    overlapMs: 1_000,
  };

  expect(read(view)).toEqual({
    rpm_limit: null,
    expires_at: "2027-01-01T00:00:00.000Z",
    counters: [
      { unit: "credit", amount: "1.5", renews_at: null },
      { unit: "tokens", amount: "12" },
    ],
    tariff: { input: "2", tool_call: { search: "0.005" } },
    overlap_ms: 1_000,
  });
});

test("a member that is named like a secret shows none", () => {
  const view = {
    secret: "s1",
    clientSecret: "s2",
    password: "s3",
    passwordHash: "s4",
    token: "s5",
    digest: "s6",
    kept: createSecret("s7"),
  };

  expect(documentOf(view, 10_000)).not.toMatch(/s\d/);
  expect(read({ secrets: [{ prefix: "tgc_a034Fq4J" }] })).toEqual({ secrets: [{ prefix: "tgc_a034Fq4J" }] });
});

test("what a database cannot keep is left out of texts", () => {
  expect(read({ label: "a\0b\ud83dc" })).toEqual({ label: "ab\ufffdc" });
});

test("what is too long is cut until it fits, and tells what is missing", () => {
  const cut = read({ id: "k", models: Array.from({ length: 5_000 }, (_, no) => `model-${no}`) }, 2_000);

  expect(cut).toMatchObject({ id: "k", cut: { bytes: expect.any(Number) as number } });
  expect((cut as { models: unknown[] }).models.at(-1)).toEqual({ more: 4_950 });
  for (const most of [64, 500, 4_000]) {
    const wide = Object.fromEntries(Array.from({ length: 400 }, (_, no) => [`m${no}`, "x".repeat(5_000)]));
    expect(Buffer.byteLength(documentOf(wide, most) ?? "")).toBeLessThanOrEqual(most);
  }
});

test("an import of 4,000 models names all of them", () => {
  const added = Array.from({ length: 4_000 }, (_, no) => `provider-${no % 40}/a-model-with-a-long-name-${no}`);

  expect(read({ added, changed: [] }, 262_144)).toEqual({ added, changed: [] });
});
