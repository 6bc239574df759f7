import { type Command, InvalidArgumentError } from "commander";
import { type CancelledJson, cancelledRequest, liveList } from "../../../contract/live.ts";
import type { LiveFilter, LiveNews } from "../../../operator/live.ts";
import { written } from "../../../wire/validate.ts";
import { withOperator } from "../../open-operator.ts";
import { liveListing } from "../../text/requests/live-text.ts";
import { printResult } from "../../text/print.ts";
import { screenOf } from "../../text/screen.ts";

type Options = { key?: string; account?: string; model?: string; limit: number; once?: true; json?: true };

const MOST_SHOWN = 1_000;
const HOME_AND_CLEAR = "\u001b[H\u001b[J";
const NEW_SCREEN = "\u001b[?1049h";
const OLD_SCREEN = "\u001b[?1049l";

/** `tollgate live`, and `tollgate live cancel`. */
export function addLiveCommand(program: Command): void {
  const live = program.command("live").description("show and cancel requests in flight, of all processes");
  live
    .command("show", { isDefault: true })
    .description("list the requests in flight; on a terminal the list is refreshed every second until Ctrl+C")
    .option("--key <key>", "only requests of this key: id or prefix")
    .option("--account <account>", "only requests of this account and those below: id or names")
    .option("--model <model>", "only requests for this model")
    .option("--limit <number>", "maximum requests shown, up to 1,000", readLimit, 50)
    .option("--once", "print the list once, also on a terminal")
    .option("--json", "print JSON, once")
    .action(async (options: Options, command: Command) => {
      await withOperator(command, async (operator, by) => {
        const which = filterOf(options);
        const once = options.once === true || options.json === true || !process.stdout.isTTY;
        if (!once) return show(await operator.live.watch(which, by));
        const list = written(liveList, await operator.live.list(which, by));
        printResult(list, { json: options.json === true, text: (screen) => liveListing(list, screen) });
      });
    });
  live
    .command("cancel")
    .argument("<request...>", "request ids, as listed")
    .description("cancel requests in flight; their clients are told so and pay for the output delivered")
    .option("--json", "print JSON")
    .action(async (requests: string[], options: { json?: true }, command: Command) => {
      await withOperator(command, async (operator, by) => {
        const cancelled: CancelledJson[] = [];
        for (const request of requests)
          cancelled.push(written(cancelledRequest, await operator.live.cancel(request, by)));
        printResult(
          { cancelled },
          {
            json: options.json === true,
            text: () => cancelled.map(({ request_id: id }) => `${id}: cancelled.`).join("\n"),
          },
        );
      });
    });
}

const filterOf = ({ key, account, model, limit }: Options): LiveFilter => ({
  limit,
  key: key ?? null,
  account: account ?? null,
  model: model ?? null,
});

/** On a screen of its own, as a pager does, so that what was there is there again afterwards. */
async function show(news: AsyncIterable<LiveNews>): Promise<void> {
  const restore = (): void => void process.stdout.write(OLD_SCREEN);
  process.once("SIGINT", () => {
    restore();
    process.exit(0);
  });
  process.stdout.write(NEW_SCREEN);
  try {
    for await (const { list } of news) {
      const text = liveListing(written(liveList, list), screenOf(process.stdout));
      const rows = text.split("\n").slice(0, Math.max(1, (process.stdout.rows ?? 24) - 1));
      process.stdout.write(`${HOME_AND_CLEAR}${rows.join("\n")}\n`);
    }
  } finally {
    restore();
  }
}

function readLimit(text: string): number {
  const limit = Number(text);
  if (Number.isInteger(limit) && limit >= 1 && limit <= MOST_SHOWN) return limit;
  throw new InvalidArgumentError("It must be a whole number from 1 to 1,000.");
}
