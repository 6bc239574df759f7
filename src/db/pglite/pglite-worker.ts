import { parentPort, workerData } from "node:worker_threads";
import { PGlite, type QueryOptions } from "@electric-sql/pglite";
import type { TextResult, WorkerError, WorkerReply, WorkerRequest } from "./pglite-message.ts";

/** The thread in which PGlite runs, because it blocks the one it is in. It answers requests in the order they come. */
async function serve(): Promise<void> {
  const { dataFolder } = workerData as { dataFolder: string | null };
  const opening = PGlite.create(dataFolder ?? "memory://");
  const textOnly = opening.then(withoutConversion);
  const listened = new Set<string>();
  let last: Promise<unknown> = textOnly.catch(() => undefined);
  parentPort?.on("message", (request: WorkerRequest) => {
    last = last.then(() => answer(request)).then(reply);
  });

  const answer = async (request: WorkerRequest): Promise<WorkerReply> => {
    try {
      return { kind: "done", id: request.id, result: await carryOut(await opening, request) };
    } catch (error) {
      return { kind: "failed", id: request.id, error: describeError(error) };
    }
  };

  const carryOut = async (pglite: PGlite, request: WorkerRequest): Promise<TextResult | null> => {
    switch (request.kind) {
      case "query":
        return runQuery(pglite, await textOnly, request);
      case "script":
        await pglite.exec(request.sql);
        break;
      case "listen":
        if (!listened.has(request.channel)) await listen(pglite, request.channel);
        listened.add(request.channel);
        break;
      case "close":
        await pglite.close();
        break;
    }
    return null;
  };
}

/** Quoted, so that the name keeps its case. */
const listen = (pglite: PGlite, channel: string): Promise<unknown> =>
  pglite.listen(`"${channel}"`, (payload) => reply({ kind: "notification", channel, payload }));

async function runQuery(
  pglite: PGlite,
  options: QueryOptions,
  { sql, values }: { sql: string; values: readonly (string | null)[] },
): Promise<TextResult> {
  const { fields, rows } = await pglite.query<(string | null)[]>(sql, [...values], options);
  return { columns: fields.map(({ name, dataTypeID }) => ({ name, oid: dataTypeID })), rows };
}

/** For every type PGlite would convert: do not. */
const withoutConversion = ({ parsers, serializers }: PGlite): QueryOptions => ({
  rowMode: "array",
  parsers: identities(parsers),
  serializers: identities(serializers),
});

const identities = (known: object): Record<number, (text: string) => string> =>
  Object.fromEntries(Object.keys(known).map((oid) => [oid, (text: string) => text]));

function describeError(error: unknown): WorkerError {
  if (!(error instanceof Error)) return { message: String(error) };
  const { code, detail, constraint, severity } = error as Partial<Record<keyof WorkerError, string>>;
  return {
    message: error.message,
    ...(code !== undefined && { code }),
    ...(detail !== undefined && { detail }),
    ...(constraint !== undefined && { constraint }),
    ...(severity !== undefined && { severity }),
  };
}

function reply(message: WorkerReply): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin.
  parentPort?.postMessage(message);
}

await serve();
