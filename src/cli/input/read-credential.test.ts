import { Readable } from "node:stream";
import { expect, test } from "vitest";
import { readCredential } from "./read-credential.ts";

const from = (...parts: (string | Buffer)[]): Promise<string> => readCredential(Readable.from(parts));

test("a credential is what was piped in, without the last line break", async () => {
  expect(await from("sk-one")).toBe("sk-one");
  expect(await from("sk-", "two\n")).toBe("sk-two");
  expect(await from(Buffer.from("sk-three\r\n"))).toBe("sk-three");
});

test.each(["", "\n"])("nothing is no credential: %j", async (text) => {
  await expect(from(text)).rejects.toThrow("no credential on standard input");
});

test.each(["sk-a\nsk-b", "sk-a\r\nx-evil: 1", "sk a", "sk-\u0000", "sk-é", " sk-a", "\ufeffsk-a"])(
  "what could not be sent in a header is refused and not repeated: %j",
  async (text) => {
    await expect(from(text)).rejects.toThrow(/^the credential must be one line of printable ASCII[^é]*spaces\.$/);
  },
);

test("an endless input is read no further than a credential can be long", async () => {
  let parts = 0;
  async function* endless(): AsyncGenerator<string> {
    for (;;) {
      parts++;
      yield await Promise.resolve("x".repeat(1_000));
    }
  }

  await expect(readCredential(endless())).rejects.toThrow("longer than 16384 bytes");
  expect(parts).toBe(17);
});

test("a terminal is refused, since what is typed there is shown", async () => {
  const terminal = Object.assign(Readable.from(["sk-one"]), { isTTY: true });

  await expect(readCredential(terminal)).rejects.toThrow("not shown on the screen");
});
