import { Fault, type FaultCode } from "../core/fault.ts";
import type { GenerationRequest } from "../wire/generation-request.ts";
import { createStamp } from "../wire/stamp.ts";
import type { JobName } from "./jobs.ts";

/** What a thread is asked. */
export type JobRequest = { name: JobName; task: unknown };

/** A fault without its class, which is lost between threads. */
type SentFault = {
  code: FaultCode;
  message: string;
  param: string | null;
  retryAfterSeconds: number | null;
  hint: Readonly<Record<string, unknown>> | null;
  detail: Record<string, unknown>;
};

export type JobReply =
  | { kind: "done"; result: unknown }
  | { kind: "refused"; fault: SentFault }
  /** A bug, by the words of its stack. */
  | { kind: "failed"; stack: string };

export async function replyTo(work: () => unknown): Promise<JobReply> {
  try {
    return { kind: "done", result: await work() };
  } catch (error) {
    if (!(error instanceof Fault)) {
      return { kind: "failed", stack: error instanceof Error ? (error.stack ?? error.message) : String(error) };
    }
    const { code, message, param, retryAfterSeconds, hint, detail } = error;
    return { kind: "refused", fault: { code, message, param, retryAfterSeconds, hint, detail } };
  }
}

/** The result of a job, or the throwing of what it threw. */
export function resultOf(reply: JobReply): unknown {
  switch (reply.kind) {
    case "done":
      return withBuffers(reply.result);
    case "refused": {
      const { code, message, param, retryAfterSeconds, hint, detail } = reply.fault;
      throw new Fault(code, message, {
        ...(param !== null && { param }),
        ...(retryAfterSeconds !== null && { retryAfterSeconds }),
        ...(hint !== null && { hint }),
        detail,
      });
    }
    case "failed":
      throw Object.assign(new Error("a job failed in its thread"), { stack: reply.stack });
    default:
      return reply satisfies never;
  }
}

/** A task whose request can be sent: of its stamp, only what the thread makes another from. */
export function sendable<Task extends object>(task: Task): Task {
  const { request } = task as { request?: Pick<GenerationRequest, "stamp"> };
  if (request?.stamp === undefined) return task;
  return { ...task, request: { ...request, stamp: { secret: request.stamp.secret } } };
}

/** A task as its job knows it. */
export function revived(sent: unknown): unknown {
  const task = withBuffers(sent) as { request?: Pick<GenerationRequest, "stamp"> };
  const { request } = task;
  if (request?.stamp === undefined) return task;
  return { ...task, request: { ...request, stamp: createStamp(request.stamp.secret) } };
}

/** Buffers arrive as plain arrays of bytes, at the top of what was sent or in what stands there. */
function withBuffers(value: unknown, depth = 2): unknown {
  if (value instanceof Uint8Array) return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  if (depth === 0 || typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, withBuffers(inner, depth - 1)]));
}

/** The memory of bytes that nobody else holds is handed over; memory that several share stays where it is. */
export function movableIn(value: unknown): ArrayBuffer[] {
  const candidates = typeof value === "object" && value !== null ? [value, ...Object.values(value)] : [];
  return candidates.flatMap((it: unknown) =>
    it instanceof Uint8Array && it.buffer instanceof ArrayBuffer && it.byteLength === it.buffer.byteLength
      ? [it.buffer]
      : [],
  );
}
