import { resolve } from "node:path";
import { type Check, failed, type CheckFinding, ok, skipped, warning } from "../check.ts";
import { inBytes, inNumbers } from "../figures.ts";
import type { Space } from "../host.ts";
import { configOf } from "../patient.ts";

const OLDEST_NODE = [24, 11] as const;
/** Standard streams, the listening sockets, the modules that are being read. */
const OWN_FILES = 100;
const SCARCE_SHARE = 0.1;
const SCARCE_BYTES = 1_073_741_824;
const GONE_BYTES = 104_857_600;

export const HOST_CHECKS: readonly Check[] = [
  {
    id: "host-node",
    title: "Node.js",
    finds: `Node.js is older than ${OLDEST_NODE.join(".")}.`,
    fix: `Install Node.js ${OLDEST_NODE.join(".")} or newer.`,
    run: ({ host: { nodeVersion } }) => {
      const [major = 0, minor = 0] = nodeVersion.split(".").map(Number);
      const isOld = major < OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor < OLDEST_NODE[1]);
      return isOld ? failed(`${nodeVersion}; ${OLDEST_NODE.join(".")} or newer is needed`) : ok(nodeVersion);
    },
  },
  {
    id: "host-processors",
    title: "workers",
    finds: "More workers than processors.",
    fix: "Start at most as many workers as processors: `tollgate serve --workers N`.",
    run: ({ host: { processors }, workers }) => {
      const found = `${inNumbers(workers, "worker")}, ${inNumbers(processors, "processor")}`;
      return workers > processors ? warning(`${found}: workers take turns and responses get slower`) : ok(found);
    },
  },
  {
    id: "host-files",
    title: "open files",
    finds: "A process may open fewer files than `limits.connections` and `limits.open_requests` allow connections.",
    fix: "Raise the limit of the service (systemd: LimitNOFILE=65536), or lower limits.connections.",
    after: ["settings-load"],
    run: (patient) => {
      const { openFiles } = patient.host;
      if (openFiles === null) return skipped("this system does not report its limit");
      const { limits, database, operator } = configOf(patient);
      const pools = database.poolSize + operator.connections;
      const needed = limits.connections + limits.openRequests + pools + OWN_FILES;
      const found = `a process started from here may open ${inNumbers(openFiles)}; the settings allow for ${inNumbers(needed)}`;
      return openFiles < needed ? warning(found) : ok(found);
    },
  },
  {
    id: "host-memory",
    title: "memory",
    finds: "Request bodies alone may take more memory than the machine or the container has.",
    fix: "Lower limits.body_budget_bytes, start fewer workers, or give the container more memory.",
    after: ["settings-load"],
    run: (patient) => {
      const { memoryBytes } = patient.host;
      const bodies = configOf(patient).limits.bodyBudgetBytes * patient.workers;
      const found = `${inBytes(memoryBytes)}; request bodies of ${inNumbers(patient.workers, "worker")} may take ${inBytes(bodies)}`;
      return bodies >= memoryBytes ? warning(found) : ok(found);
    },
  },
  {
    id: "host-disk",
    title: "disk",
    finds: "Less than 10% or 1 GiB is free where Tollgate runs; less than 100 MiB fails.",
    fix: "Free some space, or move the folder to a larger disk.",
    run: ({ host, isDev }) => {
      const space = host.spaceOf(host.folder);
      if (space === null) return skipped(`${host.folder} cannot be read`);
      return judgeSpace(space, isDev ? resolve(host.folder, ".tollgate") : host.folder);
    },
  },
  {
    id: "host-gateway",
    title: "running gateway",
    finds:
      "The gateway that runs here rejects requests, or warns: a route to a provider is skipped, fails often or is slow, or the ledger does not work.",
    fix: "See the reason, and docs/operate/failure-modes.md.",
    after: ["settings-load"],
    run: async ({ askGateway }) => {
      const word = await askGateway();
      if (word === null) return skipped("none answers at admin.host and admin.port");
      if (word.status === "ok") return ok("serves requests");
      return word.reasons.map(word.status === "degraded" ? (reason) => warning(reason) : (reason) => failed(reason));
    },
  },
];

export function judgeSpace({ freeBytes, totalBytes }: Space, folder: string): CheckFinding {
  const share = totalBytes === 0 ? 1 : freeBytes / totalBytes;
  const found = `${inBytes(freeBytes)} (${Math.floor(share * 100)}%) free for ${folder}`;
  if (freeBytes < GONE_BYTES) return failed(found);
  return freeBytes < SCARCE_BYTES || share < SCARCE_SHARE ? warning(found) : ok(found);
}
