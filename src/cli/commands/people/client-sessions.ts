import type { Command } from "commander";
import { clientSessionPage } from "../../../contract/client-sessions.ts";
import { ofOwnSession } from "../../../wire/admin/people.ts";
import { validate, written } from "../../../wire/validate.ts";
import { withOperator } from "../../open-operator.ts";
import { addPageOptions, type PageOptions, readPages } from "../../page-options.ts";
import { counted } from "../../text/cell.ts";
import { printResult } from "../../text/print.ts";
import { table } from "../../text/table.ts";
import { PERSON_HELP } from "./people.ts";

type ListOptions = PageOptions & { person?: string; account?: string; json?: true };

const HEADER = ["=ID", "PERSON", "CLIENT", "ACCOUNT", "SIGNED IN", "LAST USED", "EXPIRES", "ADDRESS"];

/** `tollgate clients …`. */
export function addClientSessionCommands(program: Command): void {
  const sessions = program
    .command("clients")
    .description("clients that people signed in with, such as Claude Code: list and end their sessions");

  addPageOptions(sessions.command("list").description("list client sessions, newest first"), 100)
    .option("--person <person>", `of one person: ${PERSON_HELP}`)
    .option("--account <account>", "in one account and below it: an id or the names from the root down")
    .option("--json", "print JSON")
    .action(async (options: ListOptions, command: Command) => {
      await withOperator(command, async (operator, by) => {
        const { person = null, account = null } = options;
        const list = await readPages(options, (request) =>
          operator.clientSessions.list({ ...request, person, account }, by),
        );
        const page = written(clientSessionPage, list);
        const rows = page.data.map((one) => [
          one.id,
          one.email,
          one.client,
          one.account,
          one.created_at,
          one.last_used_at ?? "never",
          one.expires_at,
          one.address,
        ]);
        printResult(page, {
          json: options.json === true,
          text: (screen) => (rows.length === 0 ? "No client sessions." : table(HEADER, rows, { screen })),
        });
      });
    });

  sessions
    .command("end")
    .argument("<person>", PERSON_HELP)
    .argument("[session]", "id of one session, as listed (default: all)")
    .description(
      "sign a person out of their clients, or of one: requests are rejected at once and running streams are cut",
    )
    .option("--json", "print JSON")
    .action(async (name: string, id: string | undefined, options: { json?: true }, command: Command) => {
      const one = id === undefined ? null : validate(ofOwnSession, { session: id }).session;
      await withOperator(command, async ({ clientSessions }, by) => {
        const { ended } = await (one === null
          ? clientSessions.endAll(name, { except: null }, by)
          : clientSessions.end(name, one, by));
        const text = `${counted(ended, "client session")} ended.`;
        printResult({ ended }, { json: options.json === true, text: () => text });
      });
    });
}
