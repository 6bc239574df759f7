import { expect, test } from "vitest";
import { LinkedList } from "./linked-list.ts";

type Member = { name: string; before: Member | null; behind: Member | null };

const member = (name: string): Member => ({ name, before: null, behind: null });

function namesIn(list: LinkedList<Member>): string {
  const names: string[] = [];
  for (let at = list.first; at !== null; at = at.behind) names.push(at.name);
  return names.join(" ");
}

test("members leave from the front, the middle and the end, and the others keep their order", () => {
  const list = new LinkedList<Member>();
  const members = ["a", "b", "c", "d"].map(member);
  for (const each of members) list.add(each);
  const [a, b, , d] = members as [Member, Member, Member, Member];

  for (const [leaving, left] of [
    [b, "a c d"],
    [d, "a c"],
    [a, "c"],
  ] as const) {
    list.remove(leaving);
    expect(namesIn(list)).toBe(left);
    expect([leaving.before, leaving.behind]).toEqual([null, null]);
  }
  expect(list.size).toBe(1);
  list.add(a);
  expect(namesIn(list)).toBe("c a");
});
