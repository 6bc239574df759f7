import { type Command, InvalidArgumentError } from "commander";
import { startSimulator } from "../../simulator/simulator.ts";
import { untilSignal } from "../serve/until-signal.ts";
import { printResult } from "../text/print.ts";

const SCRIPTS = `
What it does is said behind the first + of a model's name, setting by setting:
  sim+tokens=50+rate=20                    words at a pace
  sim+thinking=8+tools=weather,time+once   thoughts, two calls, then words
  sim+fail=error@5                         a stream that breaks
  sim+refusal                              a refusal
All settings: docs/reference/simulator.md`;

/** `tollgate simulate`: a provider on this machine, for trying things out. */
export function addSimulateCommand(program: Command): void {
  program
    .command("simulate")
    .description("run a provider that is not one: every format, scripted faults, a witness log")
    .option("--port <number>", "port to listen on; 0 takes any free one", portNumber, 9100)
    .option("--host <address>", "address to listen on", "127.0.0.1")
    .option("--recordings <folder>", "recorded answers that can be replayed")
    .option("--json", "print JSON")
    .addHelpText("after", SCRIPTS)
    .action(async (options: { port: number; host: string; recordings?: string; json?: true }) => {
      const simulator = await startSimulator({
        port: options.port,
        host: options.host,
        ...(options.recordings === undefined ? {} : { recordingsFolder: options.recordings }),
      });
      printResult(
        { url: simulator.url },
        {
          json: options.json === true,
          text: () => `simulated provider at ${simulator.url}/v1 (wants a credential and takes any; stop with Ctrl-C)`,
        },
      );
      await untilSignal();
      await simulator.close();
    });
}

export function portNumber(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 0 || value > 65_535)
    throw new InvalidArgumentError("It must be a port, 0 to 65535.");
  return value;
}
