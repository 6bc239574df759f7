import { parentPort } from "node:worker_threads";
import { giveWay } from "./give-way.ts";
import { JOBS } from "./jobs.ts";
import { type JobRequest, movableIn, replyTo, revived } from "./message.ts";

giveWay();

/** The thread in which large bodies are read and translated. It does one job after the other. */
parentPort?.on("message", ({ name, task }: JobRequest) => {
  const job = JOBS[name] as (task: unknown) => unknown;
  void replyTo(() => job(revived(task))).then((reply) => {
    const moved = reply.kind === "done" ? movableIn(reply.result) : [];
    return parentPort?.postMessage(reply, moved);
  });
});
