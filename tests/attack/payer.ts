import type { Account, StageKey } from "./account.ts";
import type { Lane, PriceAttempt } from "./attempt.ts";
import type { Person } from "./person.ts";
import type { Stage } from "./stage.ts";

/** Who pays for an attempt on one lane: keys with money of their own, or one person with one purse. */
export type LanePayer = {
  key: StageKey;
  person: Person | null;
  secondKey: () => Promise<StageKey>;
  /** What the money of each is at now. */
  accounts: () => (() => Promise<Account>)[];
};

export async function makePayer(stage: Stage, { by }: PriceAttempt, lane: Lane, credit: string): Promise<LanePayer> {
  if (by === "person") {
    const person = await stage.makePerson(credit);
    return { key: await person.begin(), person, secondKey: person.begin, accounts: () => [person.account] };
  }
  const keys = [await stage.makeKey(lane.unit, credit)];
  const [key] = keys as [StageKey];
  return {
    key,
    person: null,
    secondKey: async () => {
      const another = await stage.makeKey(lane.unit, credit);
      keys.push(another);
      return another;
    },
    accounts: () =>
      keys.map(
        ({ id }) =>
          () =>
            stage.account(id),
      ),
  };
}
