import { constants, setPriority } from "node:os";
import { parentPort } from "node:worker_threads";
import { JOBS } from "./jobs.ts";
import { type JobRequest, movableIn, replyTo, revived } from "./message.ts";

// The main thread goes first where processors are few. On Linux alone this is about a thread; elsewhere it would be the whole process.
if (process.platform === "linux") setPriority(constants.priority.PRIORITY_BELOW_NORMAL);

/** The thread in which large bodies are read and translated. It does one job after the other. */
parentPort?.on("message", ({ name, task }: JobRequest) => {
  const job = JOBS[name] as (task: unknown) => unknown;
  void replyTo(() => job(revived(task))).then((reply) => {
    const moved = reply.kind === "done" ? movableIn(reply.result) : [];
    return parentPort?.postMessage(reply, moved);
  });
});
