import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { installOnce, runInstaller } from "./install-once.ts";

let cache: string;

beforeEach(() => {
  cache = mkdtempSync(join(tmpdir(), "cache-"));
  vi.stubEnv("TOLLGATE_CACHE", cache);
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(cache, { recursive: true });
});

const write = (text: string) => (folder: string) => {
  writeFileSync(join(folder, "content"), text);
  return Promise.resolve();
};

test("what is installed stays, and other contents stand beside it", async () => {
  const first = await installOnce({ name: "a", contents: 1, install: write("first") });
  const again = await installOnce({ name: "a", contents: 1, install: write("again") });
  const other = await installOnce({ name: "a", contents: 2, install: write("other") });

  expect(again).toEqual(first);
  expect(readFileSync(join(first.folder ?? "", "content"), "utf8")).toBe("first");
  expect(other.folder).not.toBe(first.folder);
});

test("two at once end with one folder, and it is whole", async () => {
  const both = await Promise.all(
    ["one", "two"].map((text) => installOnce({ name: "a", contents: 1, install: write(text) })),
  );

  expect(both[0]).toEqual(both[1]);
  expect(readdirSync(cache)).toHaveLength(1);
  expect(readdirSync(both[0]?.folder ?? "")).toEqual(["content"]);
});

test("what could not be installed says why, leaves nothing and is tried again", async () => {
  const failed = await installOnce({
    name: "a",
    contents: 1,
    install: (folder) =>
      runInstaller({
        words: [
          process.execPath,
          "-e",
          "console.error('no such\\nA complete log of this run is here'); process.exit(3)",
        ],
        cwd: folder,
        timeoutMs: 10_000,
      }),
  });

  expect(failed.missing).toContain("ended with 3: no such");
  expect(failed.missing).not.toContain("log");
  expect(readdirSync(cache)).toEqual([]);
  expect((await installOnce({ name: "a", contents: 1, install: write("now") })).missing).toBeNull();
});

test("a tool that is not on the machine is named", async () => {
  const installer = runInstaller({ words: ["no-such-installer"], cwd: cache, timeoutMs: 10_000 });

  await expect(installer).rejects.toThrow("no-such-installer: ");
});
