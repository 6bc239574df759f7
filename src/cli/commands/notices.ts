import { type Command, InvalidArgumentError, Option } from "commander";
import { DELIVERY_STATES, type DeliveryState, NOTICE_CAUSES, type NoticeCause } from "../../core/notice-words.ts";
import { endpointList, noticePage, testedList, watchedList } from "../../contract/notices.ts";
import { written } from "../../wire/validate.ts";
import { accountName, keyName } from "../arguments.ts";
import { withOperator } from "../open-operator.ts";
import { addPageOptions, type PageOptions, readPages } from "../page-options.ts";
import { endpointTable, noticeListing, testedText, watchedTable } from "../text/notice-text.ts";
import { printResult } from "../text/print.ts";
import { CommandError } from "../report-failure.ts";

type Listed = PageOptions & {
  dead?: true;
  state?: DeliveryState;
  cause?: NoticeCause;
  account?: string;
  key?: string;
  json?: true;
};
type Watched = { left?: string[] | null; counter?: number; json?: true };

/** `tollgate notices list | endpoints | test | retry | thresholds`. */
export function addNoticeCommands(program: Command): void {
  const notices = program
    .command("notices")
    .description(
      "notices that a limit is nearly used or a purse runs low: list, test webhooks, send again, set thresholds",
    );

  for (const add of [addList, addEndpoints, addTest, addRetry, addThresholds]) add(notices);
}

function addList(notices: Command): void {
  addPageOptions(notices.command("list").description("list notices, newest first, and what became of each"), 50)
    .option("--dead", "the same as --state dead")
    .addOption(
      new Option(
        "--state <state>",
        "only notices of which a delivery is in this state; dead: not accepted within a day",
      ).choices(DELIVERY_STATES),
    )
    .addOption(new Option("--cause <cause>", "only notices with this cause").choices(NOTICE_CAUSES))
    .option("--account <account>", "only notices of this account and all below it: id, or names", accountName)
    .option("--key <key>", "only notices of this key, by id or prefix", keyName)
    .option("--json", "print JSON")
    .action(async (options: Listed, command: Command) => {
      await withOperator(command, async (operator, by) => {
        const { cause = null, account = null, key = null } = options;
        const state = options.dead ? "dead" : (options.state ?? null);
        const dead = state === "dead";
        const page = await readPages(options, (request) =>
          operator.notices.list({ ...request, state, cause, account, key }, by),
        );
        const shown = written(noticePage, page);
        printResult(shown, { json: options.json === true, text: (screen) => noticeListing(shown, { dead, screen }) });
      });
    });
}

function addEndpoints(notices: Command): void {
  notices
    .command("endpoints")
    .description("list where notices are sent, and how many have not arrived there")
    .option("--json", "print JSON")
    .action(async (options: { json?: true }, command: Command) => {
      await withOperator(command, async (operator) => {
        const { endpoints } = written(endpointList, await operator.notices.listEndpoints());
        printResult({ endpoints }, { json: options.json === true, text: (screen) => endpointTable(endpoints, screen) });
      });
    });
}

function addTest(notices: Command): void {
  notices
    .command("test")
    .argument("[endpoint]", "name of a webhook; all of them if omitted")
    .description("send a sample to the webhooks in `notices.webhooks` and print what came back")
    .option("--json", "print JSON")
    .action(async (endpoint: string | undefined, options: { json?: true }, command: Command) => {
      await withOperator(command, async (operator) => {
        const { tested } = written(testedList, await operator.notices.test(endpoint ?? null));
        printResult({ tested }, { json: options.json === true, text: () => tested.map(testedText).join("\n") });
        process.exitCode = tested.every(({ delivered }) => delivered) ? 0 : 1;
      });
    });
}

function addRetry(notices: Command): void {
  notices
    .command("retry")
    .argument("[notice...]", "ids of notices, as listed")
    .description("send notices again that a webhook did not accept within a day")
    .option("--all", "all of them")
    .option("--json", "print JSON")
    .action(async (ids: string[], options: { all?: true; json?: true }, command: Command) => {
      if ((ids.length === 0) === (options.all !== true))
        throw new CommandError("Name notices by their ids, or use --all.");
      await withOperator(command, async (operator, by) => {
        let retried = 0;
        for (const id of options.all ? [null] : ids) retried += (await operator.notices.retry(id, by)).retried;
        const text = retried === 1 ? "1 delivery is sent again." : `${retried} deliveries are sent again.`;
        printResult({ retried }, { json: options.json === true, text: () => text });
        process.exitCode = retried === 0 && ids.length > 0 ? 1 : 0;
      });
    });
}

function addThresholds(notices: Command): void {
  notices
    .command("thresholds")
    .argument("<account-or-key>", "account path or id, or key prefix or id")
    .argument("[percentages]", "of its limits, such as 50,80,100; `none`, or `default` for 80,100", listOr(percentage))
    .description("show or set when an account or a key is told about its limits and its purse")
    .option(
      "--left <amounts>",
      "amounts left of its purse, such as 10,0; `none`, or `default` for 0",
      listOr((text) => text),
    )
    .option("--counter <id>", "one limit or purse, by its id", Number)
    .option("--json", "print JSON")
    .action(async (name: string, percent: number[] | null | undefined, options: Watched, command: Command) => {
      const { left, counter } = options;
      await withOperator(command, async (operator, by) => {
        const changes = percent !== undefined || left !== undefined;
        const found = changes
          ? await operator.notices.setThresholds({ name, ...given({ percent, left, counter }) }, by)
          : await operator.notices.thresholds({ name });
        const { counters } = written(watchedList, found);
        printResult({ counters }, { json: options.json === true, text: (screen) => watchedTable(counters, screen) });
      });
    });
}

/** Without what was not said. */
const given = <Order extends object>(order: Order) =>
  Object.fromEntries(Object.entries(order).filter(([, value]) => value !== undefined)) as {
    [Name in keyof Order]?: Exclude<Order[Name], undefined>;
  };

/** A list; `none` is an empty one, and `default` is null. */
function listOr<Item>(read: (text: string) => Item): (text: string) => Item[] | null {
  return (text) => {
    if (text === "default") return null;
    return text === "none" ? [] : text.split(",").map((item) => read(item.trim()));
  };
}

function percentage(text: string): number {
  const value = Number(text.replace(/%$/, ""));
  if (!Number.isInteger(value) || value < 1 || value > 100)
    throw new InvalidArgumentError("It must be percentages from 1 to 100, such as 50,80,100.");
  return value;
}
