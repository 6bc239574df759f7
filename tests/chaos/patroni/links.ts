import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { Keeper } from "./part.ts";

/** A link as those hold it who are not its process. */
export type Link = {
  port: number;
  cut: () => Promise<void>;
  heal: () => Promise<void>;
};

export type CreateLink = (targetPort: number) => Promise<Link>;

export type Links = { createLink: CreateLink; close: () => Promise<void> };

/** What the process of the links is told, and what it answers when that is done. */
export type Order = { id: number } & ({ verb: "create"; targetPort: number } | { verb: "cut" | "heal"; port: number });
export type Done = { id: number; port: number };

type Wish = { verb: "create"; targetPort: number } | { verb: "cut" | "heal"; port: number };

/** The links have a process of their own: on a busy machine what passes through them must not wait for the callers of this one. */
export function startLinks(keeper: Keeper): Links {
  const child = fork(join(import.meta.dirname, "link-process.ts"), { stdio: ["ignore", "ignore", "inherit", "ipc"] });
  keeper.add(child.pid ?? 0);
  const waiting = new Map<number, (port: number) => void>();
  let last = 0;
  child.on("message", ({ id, port }: Done) => {
    waiting.get(id)?.(port);
    waiting.delete(id);
  });
  const order = (wish: Wish): Promise<number> =>
    new Promise((resolve) => {
      last += 1;
      waiting.set(last, resolve);
      child.send({ id: last, ...wish } satisfies Order);
    });
  return {
    createLink: async (targetPort) => {
      const port = await order({ verb: "create", targetPort });
      return {
        port,
        cut: async () => void (await order({ verb: "cut", port })),
        heal: async () => void (await order({ verb: "heal", port })),
      };
    },
    close: async () => {
      const exited = once(child, "exit");
      child.kill("SIGKILL");
      await exited;
    },
  };
}
