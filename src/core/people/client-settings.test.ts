import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { checksumOf, settingsFor } from "./client-settings.ts";

const SETTINGS = [
  { group: "*", settings: { model: "a", permissions: { deny: ["Read(.env)"], allow: ["Bash(ls)"] } } },
  { group: "search", settings: { model: "b", permissions: { deny: ["WebFetch"] } } },
  { group: "ads", settings: { env: { A: "1" } } },
];

test("a person has what everybody has and what each of their groups adds; later entries replace earlier ones", () => {
  expect(settingsFor(SETTINGS, [])).toEqual(SETTINGS[0]?.settings);
  expect(settingsFor(SETTINGS, ["search", "unknown"])).toEqual({
    model: "b",
    permissions: { deny: ["WebFetch"], allow: ["Bash(ls)"] },
  });
  expect(settingsFor(SETTINGS.slice(1), ["somewhere"])).toBeNull();
});

test("the checksum is of the JSON with its members sorted at every level", () => {
  const written = '{"a":[{"x":1,"y":2}],"b":{"c":null,"d":"é"}}';
  const expected = `sha256:${createHash("sha256").update(written).digest("hex")}`;

  expect(checksumOf({ b: { d: "é", c: null }, a: [{ y: 2, x: 1 }] })).toBe(expected);
  expect(checksumOf({ a: [{ x: 1, y: 2 }], b: { c: null, d: "é" } })).toBe(expected);
  expect(checksumOf({})).toBe("sha256:44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a");
});
