import { expect, test } from "vitest";
import { hashPassword, isPassword } from "./password.ts";

test("a password fits its own hash alone, however its accents were typed", async () => {
  const hash = await hashPassword("une phrase assez dé");

  expect(hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[\w+/]{22}\$[\w+/]{43}$/);
  expect(hash).not.toBe(await hashPassword("une phrase assez dé"));
  expect(await isPassword("une phrase assez de\u0301", hash)).toBe(true);
  expect(await isPassword("une phrase assez de", hash)).toBe(false);
  expect(await isPassword("", hash)).toBe(false);
});

test("nobody's password costs the same work and never fits", async () => {
  const hash = await hashPassword("a long enough phrase");
  const spent = async (stored: string | null) => {
    const before = process.cpuUsage();
    for (let count = 0; count < 5; count++) expect(await isPassword("another phrase", stored)).toBe(false);
    const { user, system } = process.cpuUsage(before);
    return user + system;
  };
  await spent(hash);
  const [known, unknown] = [await spent(hash), await spent(null)];

  expect(unknown / known).toBeGreaterThan(0.3);
  expect(unknown / known).toBeLessThan(3);
  expect(await isPassword("another phrase", "not a hash")).toBe(false);
});

test("a hash made elsewhere with other costs is understood", async () => {
  // Made by the reference implementation: echo -n password | argon2 somesalt -id -t 2 -k 65536 -p 1 -l 32
  const hash = "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc";

  expect(await isPassword("password", hash)).toBe(true);
});
