import { type Command, Option } from "commander";
import { REQUEST_OUTCOMES, type RequestOutcome } from "../../../core/request/request-record.ts";
import {
  requestDetail,
  type RequestFilters,
  requestLine,
  requestPage,
  requestRow,
  requestsHead,
} from "../../../contract/requests.ts";
import { written } from "../../../wire/validate.ts";
import { countUpTo, isoDate, keyName } from "../../arguments.ts";
import { withOperator } from "../../open-operator.ts";
import { addPageOptions, type PageOptions, readPages } from "../../page-options.ts";
import { printResult, printWhole } from "../../text/print.ts";
import { requestTable, requestText } from "../../text/requests/request-text.ts";

type Filters = {
  key?: string;
  account?: string;
  model?: string;
  provider?: string;
  code?: string;
  status?: number;
  agent?: string;
  outcome?: RequestOutcome;
  from?: string;
  to?: string;
};

const ROWS_AT_ONCE = 500;

/** `tollgate requests list | show | export`. */
export function addRequestCommands(program: Command): void {
  const requests = program.command("requests").description("finished requests: list, show one, export");

  addFilters(addPageOptions(requests.command("list").description("list requests, newest first"), 50))
    .option("--json", "print JSON")
    .action(async (options: PageOptions & Filters & { json?: true }, command: Command) => {
      await withOperator(command, async (operator, by) => {
        const page = await readPages(options, (asked) =>
          operator.requests.list({ ...filterOf(options), ...asked }, by),
        );
        const shown = written(requestPage, page);
        printResult(shown, { json: options.json === true, text: (screen) => requestTable(shown, screen) });
      });
    });

  requests
    .command("show")
    .argument("<request>", "request id, as clients get it in x-request-id")
    .description("show one request: steps, attempts, and how its charge was computed")
    .option("--json", "print JSON")
    .action(async (id: string, options: { json?: true }, command: Command) => {
      await withOperator(command, async (operator, by) => {
        const request = written(requestDetail, await operator.requests.show(id, by));
        printResult(request, { json: options.json === true, text: (screen) => requestText(request, screen) });
      });
    });

  addFilters(requests.command("export").description("print all requests, newest first, as CSV"))
    .addOption(new Option("--csv", "print CSV, as without this option").conflicts("json"))
    .option("--json", "print one JSON object per line")
    .action(async (options: Filters & { json?: true }, command: Command) => {
      const json = options.json === true;
      await withOperator(command, (operator, by) =>
        printWhole({
          head: json ? "" : requestsHead(),
          list: (after) => operator.requests.list({ ...filterOf(options), limit: ROWS_AT_ONCE, after }, by),
          line: (request) => {
            const row = written(requestRow, request);
            return json ? `${JSON.stringify(row)}\n` : requestLine(row);
          },
        }),
      );
    });
}

const addFilters = (command: Command): Command =>
  command
    .option("--key <key>", "only requests of this key: id or prefix", keyName)
    .option("--account <account>", "only requests of this account and those below: id or names")
    .option("--model <model>", "only requests for this model")
    .option("--provider <provider>", "only requests whose last attempt was at this provider")
    .option("--code <code>", "only requests that ended with this code, such as rate_limit_exceeded")
    .option("--status <status>", "only requests with this HTTP status", countUpTo(599))
    .option("--agent <agent>", "only requests of this agent, such as 'Claude Code'")
    .addOption(new Option("--outcome <outcome>", REQUEST_OUTCOMES.join(", ")).choices(REQUEST_OUTCOMES))
    .option("--from <time>", "requests from this time on, such as 2026-11-01 or 2026-11-01T08:00:00Z", isoDate)
    .option("--to <time>", "requests before this time", isoDate);

const filterOf = (options: Filters): RequestFilters => ({
  key: options.key ?? null,
  account: options.account ?? null,
  model: options.model ?? null,
  provider: options.provider ?? null,
  code: options.code ?? null,
  status: options.status ?? null,
  agent: options.agent ?? null,
  outcome: options.outcome ?? null,
  fromMs: options.from === undefined ? null : Date.parse(options.from),
  toMs: options.to === undefined ? null : Date.parse(options.to),
});
