import { describe, expect, test } from "vitest";
import { findLeaks } from "./find-leaks.ts";
import { createMaskSecrets } from "./mask-secrets.ts";
import { SECRET_FORMS, type SecretForm } from "./secret-forms.ts";

const SECRET = "sk-proj-Q7w+xZ3/kT9vLm2RbN8cYdJ5hPfA6sGe";
const ID = "org-4fKd82LmQpZx";
const hidden = [
  { what: "a credential", text: SECRET },
  { what: "an id", text: ID },
];
const leaksOf = (text: string) =>
  findLeaks([{ path: "a.json", text }], hidden).map(({ what, how }) => `${what} ${how}`);
const base64 = (before: string): string => Buffer.from(`${before}${SECRET}`).toString("base64");

const WRITTEN: Record<SecretForm, string[]> = {
  plain: [`{"message":"key ${SECRET} is wrong"}`, `…${SECRET.slice(14, 26)}…`],
  base64: [base64(""), base64("a"), base64("ab"), Buffer.from(SECRET).toString("base64url")],
  url: [
    `?key=${encodeURIComponent(SECRET)}`,
    Array.from(SECRET)
      .map((letter) => `%${letter.charCodeAt(0).toString(16)}`)
      .join(""),
  ],
  hex: [Buffer.from(SECRET).toString("hex"), Buffer.from(SECRET).toString("hex").toUpperCase()],
};

describe("the leak search", () => {
  test.each(SECRET_FORMS.flatMap((form) => WRITTEN[form].map((text) => [form, text] as const)))(
    "finds a credential written in %s: %s",
    (_, text) => {
      expect(leaksOf(text)).toHaveLength(1);
      expect(leaksOf(text)[0]).toMatch(/^a credential /);
    },
  );

  test("finds a credential with escaped letters", () => {
    const escaped = Array.from(SECRET)
      .map((letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`)
      .join("");
    expect(leaksOf(`{"text":"${escaped}"}`)).toEqual(["a credential in plain text"]);
  });

  test("finds a credential that is divided over the events of a stream", () => {
    const lines = SECRET.match(/.{1,3}/g)?.map((text) =>
      JSON.stringify({ id: "x", choices: [{ delta: { content: text } }] }),
    );
    expect(leaksOf(lines?.join("\n") ?? "")).toEqual(["a credential in plain text"]);
  });

  test("finds a credential whose letters are spelled out", () => {
    expect(leaksOf(Array.from(SECRET).join(" "))).toEqual(["a credential in pieces"]);
  });

  test("finds an id, and reports nothing in a text that only begins like a credential", () => {
    expect(leaksOf(`{"organization":"${ID}"}`)).toEqual(["an id in plain text"]);
    expect(leaksOf('{"message":"Keys begin with sk-proj-Q7w+"}')).toEqual([]);
    expect(leaksOf('{"choices":[{"delta":{"content":"Monday, Tuesday, Wednesday"}}]}')).toEqual([]);
  });
});

describe("masking", () => {
  const all = SECRET_FORMS.flatMap((form) => WRITTEN[form]);

  test("takes every form out, and leaves nothing for the leak search to find", () => {
    const mask = createMaskSecrets([SECRET]);
    expect(all.map((text) => leaksOf(mask(text)))).toEqual(all.map(() => []));
    expect(mask("Monday, Tuesday")).toBe("Monday, Tuesday");
  });

  test.each(SECRET_FORMS)("that forgets %s is noticed by the leak search", (forgotten) => {
    // Letters and digits are percent-encoded as themselves.
    const same: SecretForm[] = forgotten === "plain" ? ["plain", "url"] : [forgotten];
    const mask = createMaskSecrets(
      [SECRET],
      SECRET_FORMS.filter((form) => !same.includes(form)),
    );
    const [written = ""] = WRITTEN[forgotten];
    expect(leaksOf(mask(written))).toHaveLength(1);
  });
});
