import { expect, test } from "vitest";
import { ApiError } from "../../api/call.ts";
import type { Account } from "../../api/generated/admin.ts";
import { findPayer } from "./find-payer.ts";

const account = (id: string, parentId: string | null, kinds: readonly string[] = []) =>
  ({ id, parent_id: parentId, counters: kinds.map((kind) => ({ kind })) }) as unknown as Account;
const TREE = [account("acme", null, ["purse"]), account("team", "acme", ["limit"]), account("ann", "team")];
const refused = (status: number) =>
  new ApiError({ status, code: "refused", message: "Refused.", requestId: null, param: null });

/** Reads what somebody may see, and is refused the rest. */
const reading = (visible: readonly string[], status: number) => async (id: string) => {
  const found = TREE.find((one) => one.id === id);
  if (found === undefined || !visible.includes(id)) throw refused(status);
  return found;
};

test("the first account on the way to the root that has a purse pays", async () => {
  const { account: of, payer } = await findPayer("ann", reading(["acme", "team", "ann"], 404));

  expect([of.id, payer?.id]).toEqual(["ann", "acme"]);
});

test.each([403, 404])("the account of a lead is found where what is above it answers %i", async (status) => {
  const { account: of, payer } = await findPayer("ann", reading(["team", "ann"], status));

  expect([of.id, payer]).toEqual(["ann", null]);
});

test("what may be read the next time is no account without a payer", async () => {
  await expect(findPayer("ann", reading(["team", "ann"], 503))).rejects.toThrow("Refused.");
  await expect(findPayer("bob", reading(["team", "ann"], 404))).rejects.toThrow("Refused.");
});
