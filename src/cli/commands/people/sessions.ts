import type { Command } from "commander";
import { ofOwnSession, sessionList } from "../../../wire/admin/people.ts";
import { validate, written } from "../../../wire/validate.ts";
import { withOperator } from "../../open-operator.ts";
import { CommandError } from "../../report-failure.ts";
import { counted } from "../../text/cell.ts";
import { printResult } from "../../text/print.ts";
import { table } from "../../text/table.ts";
import { PERSON_HELP } from "./people.ts";

type EndOptions = { except?: string; json?: true };

const HEADER = ["=ID", "SIGNED IN", "VIA", "ADDRESS", "LAST SEEN", "EXPIRES", "BROWSER"];

/** `tollgate sessions …`. */
export function addSessionCommands(program: Command): void {
  const sessions = program.command("sessions").description("where people are signed in: list and end sessions");

  sessions
    .command("list")
    .argument("<person>", PERSON_HELP)
    .description("list the sessions of a person, newest first")
    .option("--json", "print JSON")
    .action(async (name: string, options: { json?: true }, command: Command) => {
      await withOperator(command, async (operator) => {
        const { sessions: found } = written(sessionList, await operator.people.sessions(name));
        const rows = found.map((one) => [
          one.id,
          one.created_at,
          one.via,
          one.address,
          one.last_seen_at,
          one.expires_at,
          one.agent,
        ]);
        printResult(
          { sessions: found },
          {
            json: options.json === true,
            text: (screen) => (rows.length === 0 ? "No sessions." : table(HEADER, rows, { screen })),
          },
        );
      });
    });

  sessions
    .command("end")
    .argument("<person>", PERSON_HELP)
    .argument("[session]", "id of one session, as listed (default: all)")
    .description("end the sessions of a person, or one of them")
    .option("--except <session>", "id of a session that goes on")
    .option("--json", "print JSON")
    .action(async (name: string, id: string | undefined, options: EndOptions, command: Command) => {
      if (id !== undefined && options.except !== undefined)
        throw new CommandError("name a session to end, or --except for one that goes on.");
      const read = (session: string): string => validate(ofOwnSession, { session }).session;
      const one = id === undefined ? null : read(id);
      const except = options.except ? read(options.except) : null;
      await withOperator(command, async (operator, by) => {
        const { people } = operator;
        const { ended } = await (one === null
          ? people.endSessions(name, { except }, by)
          : people.endSession(name, one, by));
        const text = `${counted(ended, "session")} ended.`;
        printResult({ ended }, { json: options.json === true, text: () => text });
      });
    });
}
