import { expect, test } from "vitest";
import { processorMs } from "../../tests/support/processor-time.ts";
import { createStamp } from "./stamp.ts";

const SAME = "A".repeat(22);
const TEXT = "responses.eyJpZCI6InJzXzEifQ";

test("a stamp holds for every request of the secret it was made with, and is short", () => {
  const stamp = createStamp("a secret").make(TEXT);

  expect(createStamp("a secret").holds(TEXT, stamp)).toBe(true);
  expect(stamp).toMatch(/^[\w-]{22}$/);
});

test("it holds for no other secret, no other text, and not with a bit flipped [UPS-11]", () => {
  const stamp = createStamp("a secret").make(TEXT);
  const { holds } = createStamp("a secret");
  const flipped = stamp.split("").map((letter, at) => {
    const other = letter === "A" ? "B" : "A";
    return stamp.slice(0, at) + other + stamp.slice(at + 1);
  });

  expect(createStamp("another secret").holds(TEXT, stamp)).toBe(false);
  expect(holds(`${TEXT}A`, stamp)).toBe(false);
  expect(holds(TEXT, "")).toBe(false);
  expect(flipped.filter((given) => holds(TEXT, given))).toEqual([]);
  expect(holds(TEXT, stamp)).toBe(true);
});

test.each([
  { what: "many forgeries", texts: () => Array.from({ length: 100_000 }, (_, index) => `chat.${index}`) },
  {
    what: "long forgeries of one length",
    texts: () =>
      Array.from({ length: 2_000 }, (_, index) => `chat.${"x".repeat(16_384)}${String(index).padStart(4, "0")}`),
  },
  { what: "one huge forgery", texts: () => [`chat.${"x".repeat(32 * 1024 * 1024)}`] },
])("$what are not looked at beyond a request's share, and are no seals", ({ texts }) => {
  const given = texts().map((text, index) => ({ text, stamp: String(index).padStart(22, "A") }));
  let held = 0;
  const lookAtAll = (): number => {
    const { holds } = createStamp("a secret");
    return processorMs(() => {
      for (const { text, stamp } of given) if (holds(text, stamp) || holds(text, SAME)) held++;
    });
  };

  // A core that two threads share is slow at times.
  const ms = Math.min(...Array.from({ length: 3 }, lookAtAll));

  expect(held).toBe(0);
  expect(ms).toBeLessThan(300);
});
