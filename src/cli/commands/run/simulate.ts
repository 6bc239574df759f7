import { type Command, InvalidArgumentError } from "commander";
import { startSimulator } from "../../../simulator/simulator.ts";
import { untilSignal } from "../../serve/until-signal.ts";
import { printResult } from "../../text/print.ts";

const SCRIPTS = `
Script the response in the model's name, after the first +:
  sim+tokens=50+rate=20                    50 tokens, 20 per second
  sim+thinking=8+tools=weather,time+once   reasoning, two tool calls, then text
  sim+fail=error@5                         a stream that fails after 5 tokens
  sim+refusal                              a refusal
All settings: docs/reference/simulator.md`;

/** `tollgate simulate`: a provider on this machine, for trying things out. */
export function addSimulateCommand(program: Command): void {
  program
    .command("simulate")
    .description("run a simulated provider: every format, scripted faults and a request log")
    .option("--port <number>", "port to listen on; 0 picks a free port", portNumber, 9100)
    .option("--host <address>", "address to listen on", "127.0.0.1")
    .option("--recordings <folder>", "recorded answers to replay")
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
          text: () => `Simulated provider at ${simulator.url}/v1. It accepts any credential. Press Ctrl-C to stop.`,
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
