import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { accepts } from "./accepts.ts";
import { until } from "./until.ts";

const INSTALLED = ["/usr/sbin/nginx", "/usr/bin/nginx", "/opt/homebrew/bin/nginx"];

/** Why tests with nginx cannot run here; null when they can. */
export const whyNoNginx = (): string | null =>
  INSTALLED.some((path) => existsSync(path)) ? null : `nginx is not installed (looked for ${INSTALLED.join(", ")})`;

/** An nginx of its own in the foreground, with these `server` blocks. It has nothing to do with an installed service. */
export async function startNginx(options: { folder: string; servers: string; ports: readonly number[] }) {
  const { folder, servers, ports } = options;
  const places = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
  mkdirSync(join(folder, "tmp"), { recursive: true });
  const file = join(folder, "nginx.conf");
  writeFileSync(
    file,
    `daemon off; worker_processes 1; pid ${folder}/nginx.pid; error_log ${folder}/error.log;
events { worker_connections 64; }
http {
access_log off;
${places.map((name) => `${name}_temp_path ${folder}/tmp/${name};`).join("\n")}
${servers}
}\n`,
  );
  const path = INSTALLED.find((candidate) => existsSync(candidate)) ?? "nginx";
  // As root it would hand its workers to a user that cannot enter the folder.
  const user = process.getuid?.() === 0 ? ["-g", "user root;"] : [];
  const child = spawn(path, ["-c", file, "-e", join(folder, "error.log"), ...user], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  child.stderr.on("data", (bytes: Buffer) => void (output += bytes.toString()));
  const alive = (): boolean => child.exitCode === null && child.signalCode === null;
  const listening = async (): Promise<boolean> => (await Promise.all(ports.map(accepts))).every(Boolean);
  await until(async () => !alive() || (await listening()), "nginx listens", 60_000);
  if (!alive()) throw new Error(`nginx did not start: ${output}`);
  return {
    close: async (): Promise<void> => {
      if (!alive()) return;
      const exited = once(child, "exit");
      child.kill("SIGTERM");
      await exited;
    },
  };
}
