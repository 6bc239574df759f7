import type { Worker } from "node:worker_threads";
import type { TextResult, WorkerError, WorkerReply, WorkerRequest } from "./pglite-message.ts";

type WithoutId<Request> = Request extends WorkerRequest ? Omit<Request, "id"> : never;

/** Sends one request to the worker and resolves with its answer. */
export type AskWorker = (request: WithoutId<WorkerRequest>) => Promise<TextResult | null>;

/** Pairs requests with replies. When the worker dies, everything that waits is told, and everything that comes after. */
export function createWorkerLink(
  worker: Worker,
  onNotification: (notification: { channel: string; payload: string }) => void,
): AskWorker {
  const waiting = new Map<number, PromiseWithResolvers<TextResult | null>>();
  let lastId = 0;
  let death: Error | null = null;

  worker.on("message", (reply: WorkerReply) => {
    if (reply.kind === "notification") {
      onNotification(reply);
      return;
    }
    const request = waiting.get(reply.id);
    waiting.delete(reply.id);
    if (reply.kind === "done") request?.resolve(reply.result);
    else request?.reject(revive(reply.error));
  });
  const die = (cause?: unknown): void => {
    death ??= new Error("the embedded database has stopped", { cause });
    for (const { reject } of waiting.values()) reject(death);
    waiting.clear();
  };
  worker.on("error", die);
  worker.on("exit", () => die());

  return (request) => {
    if (death) return Promise.reject(death);
    lastId += 1;
    const answer = Promise.withResolvers<TextResult | null>();
    waiting.set(lastId, answer);
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin.
    worker.postMessage({ ...request, id: lastId });
    return answer.promise;
  };
}

const revive = ({ message, ...fields }: WorkerError): Error => Object.assign(new Error(message), fields);
