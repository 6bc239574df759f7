import { randomBytes } from "node:crypto";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { childEnvironment } from "./child-environment.ts";
import { type Chromium, type ChromiumPage, findChromium } from "./chromium.ts";
import { rememberSecrets } from "./gateway-process.ts";
import { freshDatabase, whyUnavailable } from "./postgres.ts";
import { startServeProcess } from "./serve-process.ts";
import { type SimulatorProcess, startSimulatorProcess } from "./simulator-process.ts";

/** A gateway that nobody has set up, on a PostgreSQL of its own, with a simulated provider and a browser. */
export type ConsoleStage = {
  url: string;
  adminUrl: string;
  adminToken: string;
  databaseUrl: string;
  setupToken: string;
  simulator: SimulatorProcess;
  page: ChromiumPage;
  /** What the browser complained of since this was last asked. */
  complaints: () => string[];
  stop: () => Promise<void>;
};

type Message = { type: () => string; text: () => string };

const BUILT = join(import.meta.dirname, "../../console/dist/index.html");
const SETUP_TOKEN = /with this setup token:\n {2}([\w-]{43})\n/;

const { missing: noBrowser, launch } = await findChromium();
const notBuilt = existsSync(BUILT) ? null : "the console is not built: npm run console";
if (noBrowser === null && notBuilt !== null) process.stderr.write(`skipped: the console in a browser: ${notBuilt}\n`);

/** Why there is no such stage; null: there is one. */
export const noConsole: string | null = noBrowser ?? notBuilt ?? whyUnavailable("15");

/** `settings`: as environment variables. */
export async function startConsoleStage(settings: Readonly<Record<string, string>> = {}): Promise<ConsoleStage> {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-console-"));
  const [fresh, simulator, chromium] = await Promise.all([freshDatabase(), startSimulatorProcess(), launch()]);
  const adminToken = `admin-${randomBytes(12).toString("hex")}`;
  rememberSecrets([adminToken]);
  const served = await startServeProcess({
    folder,
    environment: {
      ...childEnvironment(),
      DATABASE_URL: fresh.url,
      TOLLGATE_ADMIN_TOKEN: adminToken,
      TOLLGATE_ADMIN_PORT: "0",
      TOLLGATE_CREDENTIAL_KEY: randomBytes(32).toString("base64"),
      PORT: "0",
      ...settings,
    },
  });
  const { page, complaints } = await openPage(chromium);
  return {
    url: served.url,
    adminUrl: served.adminUrl,
    adminToken,
    databaseUrl: fresh.url,
    setupToken: SETUP_TOKEN.exec(served.output())?.[1] ?? "",
    simulator,
    page,
    complaints,
    stop: async () => {
      await chromium.close();
      await served.stop();
      await simulator.stop();
      await fresh.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function openPage(chromium: Chromium): Promise<Pick<ConsoleStage, "page" | "complaints">> {
  const context = await chromium.newContext({ viewport: { width: 1440, height: 900 }, reducedMotion: "reduce" });
  const page = await context.newPage();
  let heard: string[] = [];
  page.on("console", (said) => {
    const message = said as Message;
    if (["error", "warning"].includes(message.type())) heard.push(message.text());
  });
  page.on("pageerror", (error) => heard.push(String(error)));
  return { page, complaints: () => [heard, (heard = [])][0] ?? [] };
}
