import { expect, test } from "vitest";
import { readShippedList } from "../../config/shipped-list.ts";
import { openPriceList } from "./open-price-list.ts";

const DAY_MS = 86_400_000;
const daysLater = (days: number): number => Date.parse(readShippedList().date) + days * DAY_MS;

test("without a source, the shipped list is opened for 45 days", async () => {
  expect(await openPriceList(undefined, { acceptOld: false, nowMs: daysLater(45) })).toMatchObject({
    shipped: { date: readShippedList().date, ageDays: 45 },
    text: readShippedList().text,
  });
});

test("then it must be accepted, by an option where no terminal asks", async () => {
  const old = { nowMs: daysLater(46), acceptOld: false };

  await expect(openPriceList(undefined, old)).rejects.toThrow(/46 days ago, .* Add --accept-old-list to confirm\./);
  expect(await openPriceList(undefined, { ...old, acceptOld: true })).toMatchObject({ shipped: { ageDays: 46 } });
});

test("an address that gives no list is named with its problem", async () => {
  await expect(openPriceList("http://127.0.0.1:1/list.json", { acceptOld: false, nowMs: 0 })).rejects.toThrow(
    /^http:\/\/127\.0\.0\.1:1\/list\.json can't be read: bad port\.$/,
  );
});
