import { setTimeout as sleep } from "node:timers/promises";
import type { FaultStage } from "./stage.ts";

/** Where an operator looks. */
export const SURFACES = ["readyz", "healthz", "metric", "alert", "log", "doctor", "console"] as const;
export type Surface = (typeof SURFACES)[number];

/** What each of them must say of a fault. */
export type Says = {
  /** Of the reasons at /healthz, in the console, and of a line of doctor. */
  reason: RegExp;
  metric: { name: string; isBad: (value: number) => boolean };
  alert: string;
  log: RegExp;
  /** Where doctor has other words. */
  doctor?: RegExp;
};

type Look = (stage: FaultStage, says: Says, logFrom: number) => Promise<boolean>;

type Status = { status: string; reasons: string[] };

const PATIENCE_MS = 4_000;
const get = (url: string, token?: string): Promise<string> =>
  fetch(url, {
    headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
    signal: AbortSignal.timeout(PATIENCE_MS),
  }).then((response) => response.text());

const saysIt = (text: string, reason: RegExp): boolean => {
  const { status, reasons } = JSON.parse(text) as Status;
  return status !== "ok" && reasons.some((one) => reason.test(one));
};

type DoctorReport = { checks: { status: string; message: string }[] };

/** Whether a surface says so now. */
export const LOOKS: Readonly<Record<Surface, Look>> = {
  readyz: async ({ gateway }) => (JSON.parse(await get(`${gateway.url}/readyz`)) as Status).status !== "ok",
  healthz: async ({ gateway }, { reason }) => saysIt(await get(`${gateway.adminUrl}/healthz`), reason),
  metric: async ({ gateway, adminToken }, { metric }) => {
    const text = await get(`${gateway.adminUrl}/metrics`, adminToken);
    const samples = text.matchAll(new RegExp(`^${metric.name}(?:\\{[^}]*\\})? (\\S+)$`, "gm"));
    return [...samples].some(([, value]) => metric.isBad(Number(value)));
  },
  // Pending or firing: its expression holds. How long until it fires is its `for`.
  alert: async ({ prometheus }, { alert }) =>
    (await prometheus.alerts()).some(({ labels }) => labels["alertname"] === alert),
  log: async ({ gateway }, { log }, from) => log.test(gateway.output().slice(from)),
  doctor: async ({ tollgate }, { doctor, reason }) => {
    const { stdout } = await tollgate("doctor", "--json");
    const { checks } = JSON.parse(stdout) as DoctorReport;
    return checks.some(
      ({ status, message }) => (status === "failed" || status === "warning") && (doctor ?? reason).test(message),
    );
  },
  console: async ({ gateway, adminToken }, { reason }) =>
    saysIt(await get(`${gateway.adminUrl}/admin/v1/status`, adminToken), reason),
};

export type Watching = {
  /** When each said it for the first time; of doctor, when the first run began that did. */
  saidMs: Partial<Record<Surface, number>>;
  /** When each said it last. */
  stillMs: Partial<Record<Surface, number>>;
  stop: () => Promise<void>;
};

const EVERY_MS = 150;
const FIRST_RUN_MS = 3_000;

/** Looks at all of them, again and again, until told to stop. */
export function watchSurfaces(stage: FaultStage, says: Says): Watching {
  const saidMs: Watching["saidMs"] = {};
  const stillMs: Watching["stillMs"] = {};
  const from = stage.gateway.output().length;
  let stopped = false;
  const loops = SURFACES.map(async (surface) => {
    // A run takes seconds: one that began at once would see nothing, and keep the next from it.
    if (surface === "doctor") await sleep(FIRST_RUN_MS);
    while (!stopped) {
      const beganMs = performance.now();
      if (await LOOKS[surface](stage, says, from).catch(() => false)) {
        saidMs[surface] ??= surface === "doctor" ? beganMs : performance.now();
        stillMs[surface] = performance.now();
      }
      await sleep(EVERY_MS);
    }
  });
  return {
    saidMs,
    stillMs,
    stop: async () => {
      stopped = true;
      await Promise.all(loops);
    },
  };
}
