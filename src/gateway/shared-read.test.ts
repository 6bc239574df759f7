import { expect, test } from "vitest";
import { createSharedRead } from "./shared-read.ts";

/** Reads that end when they are told to. */
function gatedReads() {
  const reads: { id: string; gate: PromiseWithResolvers<string> }[] = [];
  const read = createSharedRead(({ id }: { id: string }) => {
    const gate = Promise.withResolvers<string>();
    reads.push({ id, gate });
    return gate.promise;
  });
  return { reads, read };
}
const turn = () => new Promise((resolve) => setImmediate(resolve));

test("those who come while a read runs share the next one, which begins after they came", async () => {
  const { reads, read } = gatedReads();

  const first = read({ id: "a" });
  const others = [read({ id: "a" }), read({ id: "a" }), read({ id: "a" })];
  reads[0]?.gate.resolve("before");
  await turn();
  reads[1]?.gate.resolve("after");

  expect(await first).toBe("before");
  expect(await Promise.all(others)).toEqual(["after", "after", "after"]);
  expect(reads).toHaveLength(2);
});

test("reads of different keys do not wait for each other", async () => {
  const { reads, read } = gatedReads();

  const both = [read({ id: "a" }), read({ id: "b" })];
  for (const { id, gate } of reads) gate.resolve(id);

  expect(await Promise.all(both)).toEqual(["a", "b"]);
});

test("a read that fails fails those who share it, and the next one is tried", async () => {
  const { reads, read } = gatedReads();

  const first = read({ id: "a" });
  const second = read({ id: "a" });
  reads[0]?.gate.reject(new Error("away"));
  await expect(first).rejects.toThrow("away");
  await turn();
  reads[1]?.gate.resolve("back");

  expect(await second).toBe("back");
  const third = read({ id: "a" });
  reads[2]?.gate.resolve("again");
  expect(await third).toBe("again");
});
