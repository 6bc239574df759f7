import { type ChainedGateway, CREDIT } from "./chained-gateway.ts";
import type { signIns } from "./signed-in.ts";

const GROUPS = 4;
const PEOPLE = 40;
const CLIENTS = ["Claude Code", "Codex", "curl"];
export const CAPS = { organisation: 6n * CREDIT, person: CREDIT / 2n } as const;

type Group = { limit: number; amount: bigint; people: number[] };

/** Forty people of four groups, each with three sessions, below one organisation that pays. Limits at every level. */
export type Crowd = {
  tokens: string[];
  /** What each level has used. */
  used: () => Promise<{ purse: bigint; organisation: bigint; groups: bigint[]; people: bigint[][] }>;
  groupCaps: readonly bigint[];
};

export async function gatherCrowd(
  stage: ChainedGateway,
  { person, begin }: Pick<ReturnType<typeof signIns>, "person" | "begin">,
): Promise<Crowd> {
  const organisation = await stage.account("Forty");
  const purse = await stage.purse(organisation, 1_000n * CREDIT);
  const top = await stage.limit(organisation, { amount: CAPS.organisation });
  const accounts: string[] = [];
  const groups: Group[] = [];
  for (let each = 1; each <= GROUPS; each++) {
    const account = await stage.account(`Group ${each}`, organisation);
    const amount = BigInt(each) * CREDIT;
    accounts.push(account);
    groups.push({ limit: await stage.limit(account, { amount }), amount, people: [] });
  }
  const tokens: string[] = [];
  for (let each = 0; each < PEOPLE; each++) {
    const account = await stage.account(`Person ${each}`, accounts[each % GROUPS] ?? "");
    groups[each % GROUPS]?.people.push(await stage.limit(account, { amount: CAPS.person }));
    const id = await person(`forty${each}@acme.example`, account);
    for (const client of CLIENTS) tokens.push((await begin(id, client)).accessToken);
  }
  return {
    tokens,
    groupCaps: groups.map(({ amount }) => amount),
    used: async () => ({
      purse: await stage.usedOf(purse),
      organisation: await stage.usedOf(top),
      groups: await Promise.all(groups.map(({ limit }) => stage.usedOf(limit))),
      people: await Promise.all(groups.map(({ people }) => Promise.all(people.map((limit) => stage.usedOf(limit))))),
    }),
  };
}

/** What is wrong along the chain: a cap that did not hold, or a level that is not the sum of those below it. */
export function findBreaches(
  { purse, organisation, groups, people }: Awaited<ReturnType<Crowd["used"]>>,
  groupCaps: readonly bigint[],
): string[] {
  const sum = (amounts: readonly bigint[]): bigint => amounts.reduce((total, amount) => total + amount, 0n);
  return [
    organisation > CAPS.organisation && `the organisation used ${organisation}`,
    purse !== organisation && `the purse paid ${purse} and the organisation used ${organisation}`,
    sum(groups) !== organisation && `the groups used ${sum(groups)} and the organisation ${organisation}`,
    ...groups.flatMap((used, at) => [
      used > (groupCaps[at] ?? 0n) && `group ${at + 1} used ${used}`,
      sum(people[at] ?? []) !== used && `the people of group ${at + 1} used ${sum(people[at] ?? [])} and it ${used}`,
      ...(people[at] ?? []).map((own) => own > CAPS.person && `somebody of group ${at + 1} used ${own}`),
    ]),
  ].filter((breach) => breach !== false);
}
