import type { Command } from "commander";
import { countUpTo, httpUrl } from "../../arguments.ts";
import { checksFor } from "../../../doctor/checks.ts";
import { examine } from "../../../doctor/examine.ts";
import { openPatient } from "../../open-patient.ts";
import { doctorText, doctorView } from "../../text/doctor-text.ts";
import { printResult } from "../../text/print.ts";
import { createProgress } from "../../text/progress.ts";

type DoctorOptions = { workers: number; url?: string; silence?: number; json?: true };

const MOST_WORKERS = 256;
const LONGEST_SILENCE = 3_600;

/** `tollgate doctor`: what is wrong with an installation, and how it is mended. It changes nothing and costs nothing. */
export function addDoctorCommand(program: Command): void {
  program
    .command("doctor")
    .description(
      "check this installation and print every problem with its fix: settings, host, database, ledger, providers, proxy",
    )
    .option("--workers <number>", "the number that `tollgate serve --workers` gets", countUpTo(MOST_WORKERS), 1)
    .option("--url <url>", "the address that clients use, to check the proxy in front by calling it", httpUrl)
    .option("--silence <seconds>", "with --url: hold a silent response open this long", countUpTo(LONGEST_SILENCE))
    .option("--json", "print JSON")
    .action(async ({ workers, url, silence = 0, json }: DoctorOptions, command: Command) => {
      const { config } = command.optsWithGlobals<{ config?: string }>();
      const { patient, close } = openPatient(config, { workers, url: url ?? null, silenceMs: silence * 1_000 });
      const progress = createProgress();
      try {
        let done = 0;
        const onStep = (title: string): void => progress.show(`Checking ${title}`, (done += 1));
        const report = await examine({ checks: checksFor(patient), patient, onStep });
        progress.end();
        printResult(doctorView(report), { json: json === true, text: (screen) => doctorText(report, screen) });
        process.exitCode = report.ok ? 0 : 1;
      } finally {
        await close();
      }
    });
}
