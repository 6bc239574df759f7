import { LineRefusedError } from "../database-error.ts";

/** A server as it says of itself, and the line of servers that its copy of the books remembers. */
export type Standing = {
  identifier: bigint;
  timeline: number;
  /** Null before the migration that keeps it. */
  booked: Booked | null;
};

type Booked = {
  /** Null when the row is missing. */
  identifier: bigint | null;
  timeline: number | null;
  mark: string | null;
  supersededBy: number | null;
};

/** The server that has the books: which cluster, which timeline, and the mark that this timeline was given. */
export type Line = { identifier: bigint; timeline: number; mark: string };

/** What a process knows of the servers its ledger was on. It lasts as long as the process and only moves forward. */
export type ServerLine = {
  /** The line that this process follows; null until it has met one. */
  followed: () => Line | null;
  /** Throws when a server must not be used, with the reason and the remedy. */
  require: (server: string, standing: Standing) => void;
  follow: (line: Line) => void;
};

type LineOptions = {
  /** `refused`: a server that its own books do not know, or that has lost them, is of no use. `read`: it may be looked at. */
  strangers: "refused" | "read";
  /** Told when the books move to a higher timeline, as after a promotion or a restore to a point in time. */
  onMoved: (move: { from: number; to: number }) => void;
};

/** Remembers the highest timeline that was seen, and refuses what is behind it. */
export function createServerLine({ strangers, onMoved }: LineOptions): ServerLine {
  let followed: Line | null = null;

  return {
    followed: () => followed,
    require: (server, standing) => {
      const reason = againstFollowed(standing, followed) ?? (strangers === "refused" ? againstBooks(standing) : null);
      if (reason === null) return;
      const shown = `the database server is refused: ${reason}`;
      throw new LineRefusedError(`the database server ${server} is refused: ${reason}`, { shown });
    },
    follow: (line) => {
      const from = followed?.timeline ?? line.timeline;
      if (line.timeline < from) return;
      followed = line;
      if (line.timeline > from) onMoved({ from, to: line.timeline });
    },
  };
}

/** Whether its ledger was last on this very cluster, and nowhere on a higher timeline. */
export const hasTheBooks = (standing: Standing): boolean => standing.booked !== null && againstBooks(standing) === null;

/** The mark of its timeline; null when it has none yet: the first to come after a promotion gives it one. */
export const markOf = ({ timeline, booked }: Standing): string | null =>
  booked?.timeline === timeline ? booked.mark : null;

function againstFollowed({ identifier, timeline, booked }: Standing, followed: Line | null): string | null {
  if (followed === null) return null;
  if (identifier !== followed.identifier)
    return (
      `its system identifier is ${identifier}, but this process uses the ledger on ${followed.identifier}. ` +
      "Correct database.url; if the ledger was moved on purpose, run `tollgate ledger adopt` there and restart the gateways"
    );
  if (timeline < followed.timeline)
    return (
      `it is on timeline ${timeline}, but the ledger is on timeline ${followed.timeline}. It is an old primary that still takes writes: ` +
      "stop it, and bring it back as a standby"
    );
  if (timeline === followed.timeline && booked?.mark !== followed.mark)
    return `two servers take writes on timeline ${timeline}. Stop one, and bring it back as a standby`;
  return null;
}

function againstBooks({ identifier, timeline, booked }: Standing): string | null {
  if (booked === null) return null;
  if (booked.identifier !== identifier)
    return (
      `its system identifier is ${identifier}, but its ledger was last on ${booked.identifier ?? "an unknown server"}. ` +
      "After a restore from a dump, pg_upgrade or a logical copy, run `tollgate ledger adopt`"
    );
  const highest = Math.max(booked.timeline ?? 0, booked.supersededBy ?? 0);
  if (highest <= timeline) return null;
  return (
    `it is on timeline ${timeline}, but the ledger has been on timeline ${highest} elsewhere. Start the server of timeline ${highest} ` +
    "and bring this one back as its standby; if that one is lost for good, run `tollgate ledger adopt` here"
  );
}
