import { connectionLost, LineRefusedError, NotPrimaryError } from "../database-error.ts";
import { hostOf } from "../postgres/host-list.ts";
import type { ServerLine, Standing } from "./server-line.ts";

/** Which of several servers takes writes. */
export type Primary = {
  /** The server last known to take writes, or the first listed. */
  url: () => string;
  /** Grows with every doubt. A connection of an older generation may lead to a server that has been demoted. */
  generation: () => number;
  /** Resolves when the primary is known, looking for it where needed; rejects when no host takes writes, or none may be used. */
  found: () => Promise<void>;
  /** Says that a connection of this generation failed, so that the next caller looks again. */
  doubt: (generation: number) => void;
  /** Looks whether another server leads by now, though nothing has failed. With a single host there is nothing to see. */
  watch: () => Promise<void>;
};

/** A server that takes writes. Two addresses of one server agree on when it was started. */
export type Leader = { standing: Standing; startedAtMs: number };

export type PrimaryOptions = {
  urls: readonly string[];
  /** Null for a standby. */
  ask: (url: string) => Promise<Leader | null>;
  line: ServerLine;
  /** Tells a server that a higher timeline has the books. */
  supersede: (url: string, by: Standing) => Promise<void>;
  /** Hears of servers that take writes and must not be used. */
  onRefused: (error: LineRefusedError) => void;
  /** How long slower hosts are waited for once a primary has answered: one of them may lead it. */
  graceMs?: number;
};

type Candidate = Leader & { url: string };

const GRACE_MS = 500;

/** With a single host there is nothing to look for; with more, all are asked at once and the highest timeline leads. */
export function createPrimary(options: PrimaryOptions): Primary {
  const { urls } = options;
  let current = urls[0] ?? "";
  let generation = 0;
  let known = urls.length === 1;
  let search: Promise<void> | null = null;

  const doubt = (failed: number): void => {
    if (failed !== generation) return;
    generation += 1;
    known = urls.length === 1;
  };

  const look = async (): Promise<void> => {
    const asked = generation;
    let leader: Candidate | null = null;
    // Who answers too late to be waited for is heard all the same.
    const late = (candidate: Candidate): void => {
      if (leader === null || candidate.standing.identifier !== leader.standing.identifier) return;
      if (candidate.standing.timeline > leader.standing.timeline) doubt(asked);
      else if (isBehind(candidate, leader)) void supersedeOld(candidate, leader, options).catch(() => undefined);
    };
    leader = await choose(await survey(options, late), options);
    current = leader.url;
    // A doubt raised meanwhile is honoured: the next caller looks again.
    known = asked === generation;
  };

  return {
    url: () => current,
    generation: () => generation,
    found: () => {
      if (known) return Promise.resolve();
      search ??= look().finally(() => {
        search = null;
      });
      return search;
    },
    doubt,
    watch: async () => {
      if (urls.length === 1 || !known) return;
      const asked = generation;
      const leader = await survey(options, () => undefined)
        .then(async (candidates) => (await choose(candidates, options)).url)
        .catch((error: unknown) => (error instanceof LineRefusedError ? null : current));
      if (leader !== current) doubt(asked);
    },
  };
}

/** Those that take writes, of all hosts that answered in time. */
async function survey({ urls, ask, graceMs = GRACE_MS }: PrimaryOptions, late: (leader: Candidate) => void) {
  const candidates: Candidate[] = [];
  const failures: unknown[] = [];
  const grace = Promise.withResolvers<void>();
  let timer: NodeJS.Timeout | null = null;
  let over = false;
  const probes = urls.map(async (url) => {
    const leader = await ask(url);
    if (leader === null) throw new NotPrimaryError(`${hostOf(url)} is a standby`);
    if (over) return late({ ...leader, url });
    candidates.push({ ...leader, url });
    timer ??= setTimeout(grace.resolve, graceMs);
  });
  await Promise.race([
    Promise.all(probes.map((probe) => probe.catch((error: unknown) => failures.push(error)))),
    grace.promise,
  ]);
  over = true;
  if (timer !== null) clearTimeout(timer);
  if (candidates.length > 0) return candidates;
  const hosts = urls.map(hostOf).join(", ");
  const cause = new AggregateError(failures);
  throw new NotPrimaryError(`no database server takes writes; asked ${hosts}`, { cause });
}

/** The one on the highest timeline, once those below it have been told that they lost the books. */
async function choose(candidates: readonly Candidate[], options: PrimaryOptions): Promise<Candidate> {
  const { line, onRefused } = options;
  const followed = line.followed()?.identifier ?? null;
  const kin = candidates.filter(({ standing }) => followed === null || standing.identifier === followed);
  const highest = Math.max(...kin.map(({ standing }) => standing.timeline));
  const [leader, ...rivals] = kin.filter(({ standing }) => standing.timeline === highest);
  try {
    for (const { url, standing } of leader ? [leader] : candidates) line.require(hostOf(url), standing);
    if (leader) requireOne([leader, ...rivals, ...kin.filter(isOfOtherSystem(leader))]);
  } catch (error) {
    if (error instanceof LineRefusedError) onRefused(error);
    throw error;
  }
  if (!leader) throw new NotPrimaryError("no database server takes writes");
  const old = kin.filter((candidate) => isBehind(candidate, leader));
  await Promise.all(old.map((candidate) => supersedeOld(candidate, leader, options)));
  return leader;
}

/** Tells an old primary so: nobody spends there what is spent elsewhere, not even a process that sees nothing else. */
async function supersedeOld({ url, standing }: Candidate, leader: Candidate, options: PrimaryOptions): Promise<void> {
  const { supersede, onRefused } = options;
  const highest = leader.standing.timeline;
  const refused = (remedy: string, cause?: unknown): LineRefusedError =>
    new LineRefusedError(
      `the database server ${hostOf(url)} is refused: it is on timeline ${standing.timeline}, and ${hostOf(leader.url)} ` +
        `is on timeline ${highest}. ${remedy}`,
      { shown: `two servers take writes, on timelines ${standing.timeline} and ${highest}. ${remedy}`, cause },
    );
  onRefused(refused("It is an old primary that still takes writes: stop it, and bring it back as a standby"));
  if (standing.booked === null || (standing.booked.supersededBy ?? 0) >= highest) return;
  await supersede(url, leader.standing).catch((error: unknown) => {
    // Who cannot be reached cannot be told; keeping others from it is then the operator's task.
    if (!connectionLost(error))
      throw refused("The lower one could not be told so, and neither is used: stop it", error);
  });
}

const isBehind = ({ standing }: Candidate, leader: Candidate): boolean => standing.timeline < leader.standing.timeline;

const isOfOtherSystem =
  ({ standing: { identifier } }: Candidate) =>
  ({ standing }: Candidate): boolean =>
    standing.identifier !== identifier;

/** One server may have several addresses; two servers are one too many. */
function requireOne(candidates: readonly Candidate[]): void {
  const [first] = candidates;
  const other = candidates.find(
    ({ standing, startedAtMs }) =>
      startedAtMs !== first?.startedAtMs || standing.identifier !== first.standing.identifier,
  );
  if (!first || !other) return;
  const hosts = `${hostOf(first.url)} and ${hostOf(other.url)}`;
  const [what, remedy] =
    first.standing.identifier === other.standing.identifier
      ? [`two servers take writes on timeline ${first.standing.timeline}`, "Stop one, and bring it back as a standby"]
      : ["two unrelated servers take writes, with different system identifiers", "Correct database.url"];
  throw new LineRefusedError(`${what}: ${hosts}. ${remedy}`, { shown: `${what}. ${remedy}` });
}
