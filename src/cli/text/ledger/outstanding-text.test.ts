import { expect, test } from "vitest";
import { movedPurseText, outstandingText } from "./outstanding-text.ts";

const none = {
  purses: 4,
  balance: "112.75",
  reserved: "0.75",
  available: "112",
  closed_purses: 0,
  closed_balance: "0",
  closed: [],
};
const key = { id: "k", prefix: "tgc_a034Fq4J" };

test("closed purses are listed only if they have something, each with the command that moves it", () => {
  const closed = [
    { purse: 7, key, account: null, unit: "credit" as const, amount: "3", has_payer: true },
    {
      purse: 9,
      key: null,
      account: { id: "a", title: "Acme/Ads" },
      unit: "credit" as const,
      amount: "1",
      has_payer: false,
    },
  ];
  const text = outstandingText({ ...none, closed_purses: 2, closed_balance: "4", closed });

  expect(outstandingText(none)).not.toContain("closed");
  expect(text).toMatch(/in closed purses +4, in 2/);
  expect(text).toMatch(/7 +key tgc_a034Fq4J… +3 credits +tollgate ledger move 7/);
  expect(text).toMatch(/9 +account Acme\/Ads +1 credits +name a purse: --to-key or --to-account/);
});

test("a move says how much went where", () => {
  expect(movedPurseText({ purse: 7, key, account: null, unit: "credit", amount: "3" })).toBe(
    "Moved 3 credits from closed purse 7 to the purse of key tgc_a034Fq4J….",
  );
});
