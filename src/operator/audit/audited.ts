import type { AuditEnd, AuditResource, AuditStore } from "../../audit/audit.ts";
import { documentOf } from "../../audit/document.ts";
import type { By } from "../../core/people/by.ts";
import type { Clock } from "../../core/clock.ts";
import { Conflict } from "../../core/conflict.ts";
import { Fault, type FaultCode } from "../../core/fault.ts";
import { Forbidden } from "../../core/forbidden.ts";
import { createId } from "../../core/ids.ts";
import { scrub } from "../../core/secret/scrub.ts";
import type { OperatorEvents } from "../../telemetry/operator-events.ts";
import { redact } from "../../telemetry/log/redact.ts";
import type { AuditLooks, Looked } from "./audit-looks.ts";

/** What a change is about, as it is named. Null: it is made by it, under this account; or there are many. */
export type AuditSubject = { kind: keyof AuditLooks; name: string | null; under?: string | null };

/** How a change is told. `asked` and `after` name one by one what is shown: no secret is among it. */
export type AuditRow<Args extends unknown[], Result> = {
  /** Such as `key.create`. */
  action: string;
  of: (...args: Args) => AuditSubject;
  asked?: (...args: Args) => object;
  /** The id or the name of what was made. */
  made?: (result: Result) => string;
  /** What came of it, where it is not enough to look at it again. */
  after?: (result: Result) => object;
  /** Whether these arguments change anything; absent: all do. */
  changes?: (...args: Args) => boolean;
};

/** For each method whether it only reads, and if not, how it is told. One without a line does not compile. */
export type AuditRows<Group> = {
  readonly [Method in keyof Group]: Group[Method] extends (...args: infer Args) => Promise<infer Result>
    ? Args extends [...unknown[], By]
      ? "read" | AuditRow<Args, Result>
      : "read"
    : "read";
};

export type AuditParts = {
  store: Pick<AuditStore, "begin" | "end">;
  looks: AuditLooks;
  events: Pick<OperatorEvents, "auditEndLost">;
  clock: Pick<Clock, "nowMs">;
};

const MOST_BEFORE_BYTES = 65_536;
/** An import of thousands names all that it changed. */
const MOST_AFTER_BYTES = 262_144;
const LONGEST_NAME = 400;

type Work = (...args: unknown[]) => Promise<unknown>;
type AnyRow = AuditRow<unknown[], unknown>;

/** The same, with every change in the audit log: its beginning before the work, without which nothing is done, and its end after it. */
export function audited<Group extends object>(group: Group, rows: AuditRows<Group>, parts: AuditParts): Group {
  const methods = Object.entries(group as Record<string, Work>).map(([name, work]) => {
    const row = (rows as Record<string, "read" | AnyRow | undefined>)[name];
    return [name, row === undefined || row === "read" ? work : auditedWork(work, row, parts)];
  });
  return Object.fromEntries(methods) as Group;
}

function auditedWork(work: Work, row: AnyRow, { store, looks, events, clock }: AuditParts): Work {
  const look = async (kind: keyof AuditLooks, name: string | null): Promise<Looked | null> =>
    name === null ? null : looks[kind](name).catch(nothingThere);

  return async (...args) => {
    if (row.changes?.(...args) === false) return work(...args);
    const by = args.at(-1) as By;
    const { kind, name, under = null } = row.of(...args);
    const before = await look(kind, name);
    const home = await look("account", under);
    const id = createId(clock.nowMs());
    await store.begin({
      id,
      ...whoOf(by),
      action: row.action,
      resource: before === null ? namedOnly(kind, name) : resourceOf(before, kind),
      accountIds: (before ?? home)?.accountIds ?? [],
      asked: told(row.asked?.(...args), MOST_BEFORE_BYTES),
      before: told(before?.view, MOST_BEFORE_BYTES),
    });
    const ended = async (end: AuditEnd): Promise<void> =>
      store.end(id, end).catch((error: unknown) => events.auditEndLost(error, { action: row.action, ...by }));
    try {
      const result = await work(...args);
      // What cannot be looked at any more was done all the same.
      const found = await look(kind, row.made?.(result) ?? before?.id ?? name).catch(() => null);
      const after = row.after === undefined ? found?.view : row.after(result);
      await ended({
        outcome: "done",
        code: null,
        resource: found === null ? null : resourceOf(found, kind),
        accountIds: found?.accountIds ?? [],
        after: told(after, MOST_AFTER_BYTES),
      });
      return result;
    } catch (error) {
      await ended({ ...refusalOf(error), resource: null, accountIds: [], after: null });
      throw error;
    }
  };
}

/** The entry tells that somebody named what is not there. */
function nothingThere(error: unknown): null {
  if (error instanceof Fault && NOT_THERE.has(error.code)) return null;
  throw error;
}

const NOT_THERE: ReadonlySet<FaultCode> = new Set<FaultCode>(["not_found", "invalid_request"]);
/** What we could not do, rather than would not. */
const OURS: ReadonlySet<FaultCode> = new Set<FaultCode>(["internal_error", "service_unavailable"]);

function refusalOf(error: unknown): Pick<AuditEnd, "outcome" | "code"> {
  if (error instanceof Conflict) return { outcome: "refused", code: "conflict" };
  if (error instanceof Forbidden) return { outcome: "refused", code: "forbidden" };
  if (!(error instanceof Fault)) return { outcome: "failed", code: "internal_error" };
  return { outcome: OURS.has(error.code) ? "failed" : "refused", code: error.code };
}

export const whoOf = ({ actor, personId, via, address, requestId }: By) => ({
  actor: actor.slice(0, 320),
  personId: personId ?? null,
  via: via ?? null,
  address: address?.slice(0, 100) ?? null,
  requestId: requestId ?? null,
});

/** The second net: whatever has the shape of a secret stays out, also where an operator typed one as a name. */
const told = (view: unknown, maxBytes: number): string | null => {
  const document = documentOf(view, maxBytes);
  return document === null ? null : redact(document);
};

const resourceOf = ({ kind, id, name }: Looked, asked: string): AuditResource => ({
  kind: kind ?? asked,
  id,
  name: cleaned(name),
});
const namedOnly = (kind: string, name: string | null): AuditResource => ({
  kind: kind === "holder" ? "account" : kind,
  id: null,
  name: name === null ? null : SAFE_NAME.test(name) ? name : cleaned(scrub(name)),
});
/** Ids, and the public part of a key. Anything else that nothing is called may be a secret that was typed in the wrong place. */
const SAFE_NAME = /^(?:[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}|req_[\da-f]{32}|(?:tg[act]|ext)_\w{8})$/;
const cleaned = (name: string): string => redact(name.replaceAll("\0", "").slice(0, LONGEST_NAME)).toWellFormed();
