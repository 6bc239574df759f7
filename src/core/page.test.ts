import { describe, expect, test } from "vitest";
import { Fault } from "./fault.ts";
import { cursorOf, type Keyset, pageOf, readCursor, UUID } from "./page.ts";

const KEYS: Keyset = { list: "keys", values: [UUID] };
const ID = "0198c2b8-0000-7000-8000-000000000001";

test("a cursor is read back as the values that it was made of", () => {
  const cursor = cursorOf("keys", [ID]);

  expect(cursor).toMatch(/^[\w-]+$/);
  expect(readCursor(KEYS, cursor)).toEqual([ID]);
  expect(readCursor(KEYS, null)).toBeNull();
});

describe("a cursor that this list did not make is refused with what to do", () => {
  test.each([
    ["nothing", ""],
    ["what was never a cursor", "tomorrow"],
    ["the id itself", ID],
    ["another list's", cursorOf("quarantine", [ID])],
    ["one with too few values", cursorOf("keys", [])],
    ["one with too many values", cursorOf("keys", [ID, ID])],
    ["one with a value of another shape", cursorOf("keys", ["'; drop table key; --"])],
    ["one whose value has something behind it", cursorOf("keys", [`${ID}\n`])],
    ["one that is no list", Buffer.from(`{"0":"keys"}`).toString("base64url")],
    ["one whose value is no text", Buffer.from(`["keys",7]`).toString("base64url")],
    ["one of bytes that are no characters", Buffer.from([0xff, 0xfe, 0x00]).toString("base64url")],
    ["one of deeply nested lists", Buffer.from("[".repeat(100_000)).toString("base64url")],
  ])("%s", (_what, cursor) => {
    const refused = (): unknown => readCursor(KEYS, cursor);

    expect(refused).toThrow(Fault);
    expect(refused).toThrow("omit it to get the first page");
  });
});

test("a page says where the next begins only when there is one", () => {
  const page = (rows: readonly string[], limit: number) =>
    pageOf(rows, { limit, list: "keys", valuesOf: (row) => [row] });

  expect(page(["c", "b", "a"], 2)).toEqual({ data: ["c", "b"], next: cursorOf("keys", ["b"]) });
  expect(page(["b", "a"], 2)).toEqual({ data: ["b", "a"], next: null });
  expect(page([], 2)).toEqual({ data: [], next: null });
});
