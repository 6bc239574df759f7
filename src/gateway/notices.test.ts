import { expect, test } from "vitest";
import { createId } from "../core/ids.ts";
import { createNotices } from "./notices.ts";

function hearing() {
  const heard: (string | null)[] = [];
  const pauses: (() => void)[] = [];
  const notices = createNotices({
    keyChanged: (id) => heard.push(id),
    accountChanged: (id) => heard.push(`under ${id}`),
    catalogueChanged: () => heard.push("catalogue"),
    pause: () =>
      new Promise<void>((resolve) => {
        pauses.push(resolve);
      }),
  });
  const paceOver = async (): Promise<void> => {
    pauses.shift()?.();
    await new Promise(setImmediate);
  };
  return { notices, heard, paceOver, pauses };
}

test("the first notices are passed on at once, and a flood after them once per round", async () => {
  const { notices, heard, paceOver, pauses } = hearing();
  const [mine, yours] = [createId(1), createId(2)];

  const first = Array<string>(11).fill(mine);
  for (const key of first) notices.key(key);
  expect(heard).toEqual(first);
  for (let times = 0; times < 100_000; times += 1) {
    notices.key(mine);
    notices.key(yours);
    notices.catalogue();
  }
  expect(heard).toEqual(first);

  await paceOver();
  expect(heard).toEqual([...first, mine, yours, "catalogue"]);
  await paceOver();
  expect(heard.length).toBe(14);
  expect(pauses).toEqual([]);
  notices.catalogue();
  expect(heard.length).toBe(15);
});

test("a notice that names no key is dropped", () => {
  const { notices, heard } = hearing();

  for (const payload of [
    "",
    "null",
    "{",
    "x".repeat(7_999),
    ` ${createId(1)}`,
    `${createId(1)}\n`,
    "'; drop table key",
  ])
    notices.key(payload);

  expect(heard).toEqual([]);
});

test("more keys than can be looked at one by one are looked at all together", async () => {
  const { notices, heard, paceOver } = hearing();
  notices.catalogue();

  for (let key = 0; key < 20_000; key += 1) notices.key(createId(key));
  const atOnce = heard.length;
  await paceOver();

  expect(atOnce).toBe(11);
  expect(heard.slice(atOnce)).toEqual([null]);
});

test("after a gap in notices everything is read again", () => {
  const { notices, heard } = hearing();

  notices.missed();

  expect(heard).toEqual([null, "catalogue"]);
});

test("a flood of notices of accounts is passed on once per round, each account once", async () => {
  const { notices, heard, paceOver } = hearing();
  const [mine, yours] = [createId(1), createId(2)];
  for (let times = 0; times < 10_000; times += 1) {
    notices.account(mine);
    notices.account(yours);
    notices.account("no id");
  }
  expect(heard).toEqual([`under ${mine}`]);
  await paceOver();

  expect(heard).toEqual([`under ${mine}`, `under ${yours}`, `under ${mine}`]);
});
