import type { By } from "../src/core/people/by.ts";
import type { Operator } from "../src/operator/operator.ts";
import {
  CLOSE,
  type DemoPerson,
  type DemoTeam,
  emailOf,
  LONE_KEYS,
  OPERATORS,
  ORGANISATION,
  OVER,
  OWNER_EMAIL,
  PROJECTS,
  TEAMS,
} from "./organisation.ts";

const NANO = 1_000_000_000n;
const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

/** What the seeding has at hand for what operators do. */
export type Scene = {
  operator: Operator;
  /** The first owner's. */
  password: string;
  /** Secrets by the labels of their keys: of those that live traffic may use. */
  secrets: Map<string, string>;
};

/** Something that an operator does at a moment. */
export type Event = { atMs: number; happens: (scene: Scene) => Promise<unknown> };

const CLIENTS = {
  claudeCode: "Claude Code",
  codex: "Codex",
  opencode: "opencode",
  cline: "Cline",
  script: "scripts",
  notebook: "notebooks",
  curl: "shell",
} as const;

/** `Tomasz Wilk: Claude Code`. */
export const labelOf = ({ name, habit }: Pick<DemoPerson, "name" | "habit">): string => `${name}: ${CLIENTS[habit]}`;

const credits = (amount: number): bigint => BigInt(Math.round(amount * 1_000)) * (NANO / 1_000n);
const by = (email: string): By => ({ actor: email, via: "password", address: "192.0.2.14" });
const OWNER = by(OWNER_EMAIL);
const OPERATOR = by(OPERATORS[1]?.email ?? "");
const BILLING = by(OPERATORS[2]?.email ?? "");
const MONTHLY = { unit: "credit", period: "month", models: null } as const;
const NO_FUNDS = { credit: null, budget: null, period: null, existing: null } as const;
const UNRESTRICTED = {
  providerScope: "all",
  models: null,
  tiers: null,
  regions: null,
  rpmLimit: null,
  expiresAtMs: null,
} as const;

/** The first day: who operates, teams with their limits, programs, and everybody who is there from the beginning. */
export async function setUp({ operator, password, secrets }: Scene, cli: By): Promise<void> {
  const { accounts, people, keys, notices } = operator;
  for (const [place, { name, email, role }] of OPERATORS.entries()) {
    const grants = [{ role, account: null }];
    await people.create(
      { email, name, account: null, grants, password: place === 0 ? password : null },
      place === 0 ? cli : OWNER,
    );
  }
  await accounts.create({ name: ORGANISATION, parent: null, kind: "organisation" }, OWNER);
  await topUp(operator, 1_500, "purchase", "inv-0001");
  await notices.setThresholds({ name: ORGANISATION, left: ["300", "100"] }, BILLING);
  for (const team of TEAMS) {
    await accounts.create({ name: team.name, parent: ORGANISATION, kind: "team" }, OWNER);
    await accounts.setLimit(pathOf(team.name), { ...MONTHLY, amount: credits(team.monthly) }, OWNER);
    await notices.setThresholds({ name: pathOf(team.name), percent: [50, 80, 95, 100] }, OWNER);
  }
  for (const { name, team, monthly, key, rpm } of PROJECTS) {
    await accounts.create({ name, parent: pathOf(team), kind: "project" }, OPERATOR);
    await accounts.setLimit(pathOf(team, name), { ...MONTHLY, amount: credits(monthly) }, OPERATOR);
    const order = { mode: "credit", label: key, account: pathOf(team, name), ...UNRESTRICTED, rpmLimit: rpm } as const;
    keep(secrets, key, await keys.create({ ...order, ...NO_FUNDS }, OPERATOR));
  }
  for (const { label, mode, funds } of LONE_KEYS) {
    const opening =
      mode === "credit" ? { credit: credits(funds) } : { budget: BigInt(funds), period: "month" as const };
    keep(secrets, label, await keys.create({ mode, label, ...UNRESTRICTED, ...NO_FUNDS, ...opening }, OPERATOR));
  }
  for (const team of TEAMS)
    for (const person of team.people.filter(({ joins }) => joins === undefined))
      await join({ operator, password, secrets }, team, person);
}

const pathOf = (...names: readonly string[]): string => [ORGANISATION, ...names].join("/");

function keep(secrets: Map<string, string>, label: string, { secret }: { secret: string | null }): void {
  if (secret !== null) secrets.set(label, secret);
}

async function join({ operator, secrets }: Scene, team: DemoTeam, person: DemoPerson): Promise<void> {
  const { accounts, people, keys } = operator;
  const account = pathOf(team.name, person.name);
  await accounts.create({ name: person.name, parent: pathOf(team.name), kind: "person" }, OPERATOR);
  await accounts.setLimit(account, { ...MONTHLY, amount: credits(team.each) }, OPERATOR);
  const grants = team.lead === person.name ? [{ role: "viewer" as const, account: pathOf(team.name) }] : [];
  await people.create({ email: emailOf(person.name), name: person.name, account, grants, password: null }, OPERATOR);
  const label = labelOf(person);
  const order = { mode: "credit", label, account, ...UNRESTRICTED, ...NO_FUNDS } as const;
  keep(secrets, label, await keys.create(order, OPERATOR));
}

const topUp = (operator: Operator, amount: number, kind: "purchase" | "grant" | "adjust", reference: string) =>
  operator.accounts.topUp(ORGANISATION, { amount: credits(amount), kind, reference }, BILLING);

/** The purse is filled when it runs low. */
export const fillPurse = ({ operator }: Scene, number: number): Promise<unknown> =>
  topUp(operator, 1_000, "purchase", `inv-${String(number).padStart(4, "0")}`);

/** What happens later, in its order. The last events are hours old, whenever the seeding runs. */
export function storyOf({ startMs, endMs }: { startMs: number; endMs: number }): Event[] {
  const on: On = (day, hour) => startMs + day * DAY_MS + Math.round(hour * HOUR_MS);
  return [...comingsAndGoings(on), ...firstMonths(on), ...lastWeek(endMs)]
    .filter(({ atMs }) => atMs > startMs && atMs < endMs)
    .toSorted((one, other) => one.atMs - other.atMs);
}

/** The moment of a day and an hour since the beginning. */
type On = (day: number, hour: number) => number;

const comingsAndGoings = (on: On): Event[] =>
  TEAMS.flatMap((team) =>
    team.people.flatMap((person) => [
      ...(person.joins === undefined
        ? []
        : [{ atMs: on(person.joins, 8.4), happens: (scene: Scene) => join(scene, team, person) }]),
      ...(person.leaves === undefined
        ? []
        : [{ atMs: on(person.leaves, 16.2), happens: (scene: Scene) => leave(scene, person) }]),
    ]),
  );

const firstMonths = (on: On): Event[] => [
  { atMs: on(6, 9.1), happens: ({ operator }) => topUp(operator, 50, "grant", "welcome-grant") },
  {
    atMs: on(15, 13.3),
    happens: ({ operator, secrets }) =>
      operator.keys.update(named(secrets, "support-bot production"), { rpmLimit: 180 }, OPERATOR),
  },
  { atMs: on(22, 10.5), happens: (scene) => rotate(scene, "review-bot ci") },
  {
    atMs: on(30, 9.7),
    happens: ({ operator }) =>
      operator.accounts.setLimit(pathOf("Search"), { ...MONTHLY, amount: credits(340) }, OWNER),
  },
  { atMs: on(38, 14.9), happens: ({ operator }) => topUp(operator, -18.75, "adjust", "inv-0002-correction") },
  {
    atMs: on(45, 11.2),
    happens: ({ operator, secrets }) =>
      operator.keys.changeStatus(named(secrets, "Daniel Weiss: shell"), "suspend", OPERATOR),
  },
  {
    atMs: on(47, 8.6),
    happens: ({ operator, secrets }) =>
      operator.keys.changeStatus(named(secrets, "Daniel Weiss: shell"), "resume", OPERATOR),
  },
  // A mistake, which the audit log has, too: the reference was used before.
  {
    atMs: on(52, 15.4),
    happens: ({ operator }) => topUp(operator, 900, "purchase", "inv-0001").catch(() => undefined),
  },
  ...[34, 62].map((day) => ({
    atMs: on(day, 9.9),
    happens: ({ operator, secrets }: Scene) =>
      operator.funds.topUp(
        named(secrets, LONE_KEYS[0].label),
        { amount: credits(40), kind: "purchase", reference: `nordlys-${day}` },
        BILLING,
      ),
  })),
  { atMs: on(73, 10.1), happens: (scene) => rotate(scene, LONE_KEYS[0].label) },
];

const lastWeek = (endMs: number): Event[] => [
  {
    atMs: endMs - 146 * HOUR_MS,
    happens: ({ operator, secrets }) =>
      operator.keys.update(named(secrets, "review-bot ci"), { rpmLimit: 90 }, OPERATOR),
  },
  {
    atMs: endMs - 121 * HOUR_MS,
    happens: ({ operator }) =>
      operator.accounts.setLimit(pathOf("Support"), { ...MONTHLY, amount: credits(180) }, OWNER),
  },
  {
    atMs: endMs - 98 * HOUR_MS,
    happens: ({ operator }) => topUp(operator, 250, "purchase", "inv-0001").catch(() => undefined),
  },
  {
    atMs: endMs - 75 * HOUR_MS,
    happens: ({ operator }) =>
      operator.notices.setThresholds({ name: pathOf("Data"), percent: [60, 90, 100] }, OPERATOR),
  },
  { atMs: endMs - 52 * HOUR_MS, happens: (scene) => rotate(scene, "search-eval nightly") },
  { atMs: endMs - 26 * HOUR_MS, happens: ({ operator }) => capAt(operator, OVER, { share: 1.02, more: 0.4 }) },
  { atMs: endMs - 23 * HOUR_MS, happens: ({ operator }) => dearer(operator, endMs) },
  { atMs: endMs - 3 * HOUR_MS, happens: ({ operator }) => capAt(operator, CLOSE, { share: 1 / 0.94, more: 0 }) },
];

const PREFIX_CHARACTERS = 12;
const named = (secrets: ReadonlyMap<string, string>, label: string): string =>
  (secrets.get(label) ?? "").slice(0, PREFIX_CHARACTERS);

async function rotate({ operator, secrets }: Scene, label: string): Promise<void> {
  keep(secrets, label, await operator.keys.rotate(named(secrets, label), { overlapMs: DAY_MS }, OPERATOR));
}

async function leave({ operator, secrets }: Scene, person: DemoPerson): Promise<void> {
  await operator.people.remove(emailOf(person.name), OWNER);
  await operator.keys.changeStatus(named(secrets, labelOf(person)), "revoke", OWNER);
  secrets.delete(labelOf(person));
}

/** A limit that somebody is close to, or soon goes over, whatever the day of the month. */
async function capAt(
  operator: Operator,
  name: string,
  { share, more }: { share: number; more: number },
): Promise<void> {
  const team = TEAMS.find(({ people }) => people.some((person) => person.name === name));
  const account = pathOf(team?.name ?? "", name);
  const { counters } = (await operator.accounts.show(account)).account;
  const used = Number(counters.find(({ kind }) => kind === "limit")?.used ?? 0n) / Number(NANO);
  await operator.accounts.setLimit(account, { ...MONTHLY, amount: credits(Math.max(1, used * share + more)) }, OWNER);
}

const dearer = ({ catalogue }: Operator, endMs: number): Promise<unknown> =>
  catalogue.changePrice(
    "gemini-3-pro",
    { parts: { inputNano: 2n * NANO + NANO / 2n, outputNano: 15n * NANO }, fromMs: endMs + 9 * DAY_MS },
    OPERATOR,
  );
