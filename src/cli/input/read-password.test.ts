import { PassThrough, Readable } from "node:stream";
import { expect, test } from "vitest";
import { readPassword } from "./read-password.ts";

const PASSWORD = "une phrase, assez longue";

/** A terminal on which these lines are typed. */
function terminal(...lines: string[]) {
  const modes: boolean[] = [];
  const input = Object.assign(new PassThrough(), { isTTY: true, setRawMode: (raw: boolean) => void modes.push(raw) });
  input.write(lines.join(""));
  let shown = "";
  return { input, modes, write: (text: string) => void (shown += text), shown: () => shown };
}

test("a password from a pipe is all of it but the last line break", async () => {
  expect(await readPassword({ input: Readable.from([`${PASSWORD}\n`]), write: () => undefined })).toBe(PASSWORD);
});

test("a password on a terminal is typed twice and shown at no time", async () => {
  const screen = terminal(`${PASSWORD}\r`, `${PASSWORD}\r`);

  expect(await readPassword(screen)).toBe(PASSWORD);
  expect(screen.shown()).toBe("New password: \nThe same again: \n");
  expect(screen.modes).toEqual([true, false]);
});

test("keys that correct what was typed correct it", async () => {
  expect(await readPassword(terminal("secrez\u007ft\r", "secret\r"))).toBe("secret");
});

test("two different passwords are refused and not repeated", async () => {
  const screen = terminal("one thing\r", "another\r");

  await expect(readPassword(screen)).rejects.toThrow(/^the two passwords differ\. Nothing was changed\.$/);
  expect(screen.modes.at(-1)).toBe(false);
});

test("Ctrl+C and the end of input give up", async () => {
  await expect(readPassword(terminal("half\u0003"))).rejects.toThrow("no password was given");
  await expect(readPassword(terminal("\u0004"))).rejects.toThrow("no password was given");
  await expect(readPassword({ input: Readable.from([]), write: () => undefined })).rejects.toThrow("no password");
});
