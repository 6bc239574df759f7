import { expect, test } from "vitest";
import { NotPrimaryError } from "./database-error.ts";
import { createPrimary } from "./primary.ts";

const urls = ["postgres://u:secret@one:1/db", "postgres://u:secret@two:2/db"];

test("the host that is no standby is the primary, wherever it stands in the list", async () => {
  const primary = createPrimary({ urls, inRecovery: async (url) => url === urls[0] });

  await primary.found();

  expect(primary.url()).toBe(urls[1]);
});

test("a primary that is known is not looked for again until it is doubted, and then once for all who wait", async () => {
  let probes = 0;
  let standby = urls[0];
  const inRecovery = async (url: string) => {
    probes += 1;
    return url === standby;
  };
  const primary = createPrimary({ urls, inRecovery });
  await primary.found();
  await primary.found();
  expect(probes).toBe(2);

  standby = urls[1];
  primary.doubt(primary.generation());
  await Promise.all([primary.found(), primary.found(), primary.found()]);

  expect(probes).toBe(4);
  expect(primary.url()).toBe(urls[0]);
});

test("a doubt about a connection of an earlier generation changes nothing", async () => {
  const primary = createPrimary({ urls, inRecovery: async (url) => url === urls[0] });
  await primary.found();
  primary.doubt(0);
  primary.doubt(0);

  expect(primary.generation()).toBe(1);
});

test("when no host takes writes the error names the hosts and no password", async () => {
  const primary = createPrimary({
    urls,
    inRecovery: async (url) => {
      if (url === urls[0]) throw new Error("refused");
      return true;
    },
  });

  const error = await primary.found().catch((reason: unknown) => reason);

  expect(error).toBeInstanceOf(NotPrimaryError);
  expect(String(error)).toContain("asked one:1, two:2");
  expect(String(error)).not.toContain("secret");
});
