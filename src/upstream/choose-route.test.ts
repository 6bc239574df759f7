import { expect, test } from "vitest";
import { ROUTE } from "../../tests/support/generation-stage.ts";
import { createCandidates } from "./choose-route.ts";
import type { Standing } from "./order-routes.ts";
import type { Target } from "./upstream.ts";

const target = (id: string, changes: Partial<Target> = {}): Target => ({ ...ROUTE, id, ...changes });

type Asked = { targets: Target[]; others?: Target[][]; shut?: string[] };

function candidatesOf({ targets, others = [], shut = [] }: Asked) {
  const turned = { often: 0 };
  const otherTargets = (): Target[][] => {
    turned.often += 1;
    return others;
  };
  const canCall = ({ dialect }: Target): boolean => dialect !== "gemini";
  const standingOf = ({ id }: Target): Standing => ({ verdict: shut.includes(id) ? "open" : "ready" });
  return { candidates: createCandidates({ targets, otherTargets }, { random: () => 0, standingOf, canCall }), turned };
}

/** Everybody in the order they are asked when each of them fails. */
function order({ candidates }: ReturnType<typeof candidatesOf>): string[] {
  const asked: string[] = [];
  for (let next = candidates.next(); next !== null; next = candidates.next()) {
    asked.push(next.id);
    candidates.drop(next);
  }
  return asked;
}

test("a group is turned to only when nobody is left of the one before, whatever the priorities", () => {
  const set = candidatesOf({
    targets: [target("own-late", { priority: 9 }), target("own")],
    others: [[target("near", { dialect: "messages" })], [target("far", { dialect: "responses" })]],
  });

  expect(set.candidates.next()?.id).toBe("own");
  expect(set.turned.often).toBe(0);
  expect(order(set)).toEqual(["own", "own-late", "near", "far"]);
  expect(set.turned.often).toBe(1);
});

test("a group that is left alone is passed over, and remembered for the one who asks why nobody was asked", () => {
  const set = candidatesOf({
    targets: [target("own")],
    others: [[target("near", { dialect: "messages" })]],
    shut: ["own", "near"],
  });

  expect(set.candidates.next()).toBeNull();
  expect(set.candidates.considered().map(({ id }) => id)).toEqual(["own", "near"]);
});

test("a route is the sole one only when no group has another that can be called", () => {
  const gemini = target("gemini", { dialect: "gemini" });

  expect(candidatesOf({ targets: [target("own")] }).candidates.isSole()).toBe(true);
  expect(candidatesOf({ targets: [target("own"), gemini], others: [[gemini]] }).candidates.isSole()).toBe(true);
  expect(candidatesOf({ targets: [target("own")], others: [[target("near")]] }).candidates.isSole()).toBe(false);
  expect(candidatesOf({ targets: [target("own"), target("twin")] }).candidates.isSole()).toBe(false);
});
