import { expect, test } from "vitest";
import { ROUTE } from "../../../tests/support/generation-stage.ts";
import { createRouteChoice } from "./choose-route.ts";
import type { RouteStanding } from "./order-routes.ts";
import type { Route } from "../../core/catalogue/route.ts";

const route = (id: string, changes: Partial<Route> = {}): Route => ({ ...ROUTE, id, ...changes });

type Asked = { routes: Route[]; others?: Route[][]; shut?: string[]; due?: string[] };

function candidatesOf({ routes, others = [], shut = [], due = [] }: Asked) {
  const turned = { often: 0 };
  const otherRoutes = (): Route[][] => {
    turned.often += 1;
    return others;
  };
  const standingOf = ({ id }: Route): RouteStanding => ({ verdict: shut.includes(id) ? "open" : "ready" });
  const restsMs = ({ id }: Route): number => (due.includes(id) ? 0 : 1_000);
  return { choice: createRouteChoice({ routes, otherRoutes }, { random: () => 0, standingOf, restsMs }), turned };
}

/** Everybody in the order they are asked when each of them fails. */
function order({ choice }: ReturnType<typeof candidatesOf>): string[] {
  const asked: string[] = [];
  for (let next = choice.next(); next !== null; next = choice.next()) {
    asked.push(next.id);
    choice.drop(next);
  }
  return asked;
}

test("a group is turned to only when nobody is left of the one before, whatever the priorities", () => {
  const set = candidatesOf({
    routes: [route("own-late", { priority: 9 }), route("own")],
    others: [[route("near", { dialect: "messages" })], [route("far", { dialect: "responses" })]],
  });

  expect(set.choice.next()?.id).toBe("own");
  expect(set.turned.often).toBe(0);
  expect(order(set)).toEqual(["own", "own-late", "near", "far"]);
  expect(set.turned.often).toBe(1);
});

test("a group that is left alone is passed over, and remembered for the one who asks why nobody was asked", () => {
  const set = candidatesOf({
    routes: [route("own")],
    others: [[route("near", { dialect: "messages" })]],
    shut: ["own", "near"],
  });

  expect(set.choice.next()).toBeNull();
  expect(set.choice.considered().map(({ id }) => id)).toEqual(["own", "near"]);
});

test("a route is the sole one only when no group has another", () => {
  expect(candidatesOf({ routes: [route("own")] }).choice.isSole()).toBe(true);
  expect(candidatesOf({ routes: [route("own")], others: [[]] }).choice.isSole()).toBe(true);
  expect(candidatesOf({ routes: [route("own")], others: [[route("near")]] }).choice.isSole()).toBe(false);
  expect(candidatesOf({ routes: [route("own"), route("twin")] }).choice.isSole()).toBe(false);
});

test("of routes that are all left alone, the first that may be tried is, of any group", () => {
  const east = route("east", { priority: 1 });
  const all = { routes: [east, route("west", { priority: 2 })], others: [[route("far", { priority: 3 })]] };
  const probe = (due: string[], shut = ["east", "west", "far"]): string | undefined => {
    const { choice } = candidatesOf({ ...all, shut, due });
    while (choice.next() !== null) choice.drop(choice.next() ?? east);
    return choice.probe()?.id;
  };

  expect(probe([])).toBeUndefined();
  expect(probe(["far", "west"])).toBe("west");
  expect(probe(["far"])).toBe("far");
  expect(probe(["east"], ["west", "far"])).toBeUndefined();
});
