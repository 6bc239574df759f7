/** Asks the registry for known vulnerabilities of what is installed. A registry that does not answer is said aloud, and is no failure. */
import { spawnSync } from "node:child_process";

type Report = {
  error?: object;
  message?: string;
  metadata?: { vulnerabilities: Record<"info" | "low" | "moderate" | "high" | "critical" | "total", number> };
  vulnerabilities?: Record<string, { severity: string; range: string; fixAvailable: unknown }>;
};

const TIMEOUT_MS = 20_000;
const words = ["audit", "--json", "--omit=dev", "--fetch-retries=0", `--fetch-timeout=${TIMEOUT_MS / 2}`];
const { stdout } = spawnSync("npm", words, { encoding: "utf8", timeout: TIMEOUT_MS });
const report = read(stdout);
if (report.metadata === undefined) {
  console.log(`audit: NOT DONE, the registry gave no answer: ${report.message ?? "nothing within 20 s"}`);
} else {
  const { high, critical, total } = report.metadata.vulnerabilities;
  for (const [name, { severity, range }] of Object.entries(report.vulnerabilities ?? {}))
    console.log(`audit: ${severity}: ${name} ${range}`);
  console.log(`audit: ${total} known vulnerabilities, ${high + critical} of them high or critical`);
  process.exitCode = high + critical > 0 ? 1 : 0;
}

function read(text: string): Report {
  try {
    return JSON.parse(text) as Report;
  } catch {
    return {};
  }
}
