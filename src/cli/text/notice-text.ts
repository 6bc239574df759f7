import type { EndpointJson, NoticeJson, TestedJson, WatchedJson } from "../../contract/notices.ts";
import { moreText } from "../page-options.ts";
import { counterName } from "./accounts/account-text.ts";
import { PLAIN, type Screen } from "./screen.ts";
import { facts, table } from "./table.ts";

type Listing = { data: readonly NoticeJson[]; next: string | null };

export function noticeListing(
  { data, next }: Listing,
  { dead, screen = PLAIN }: { dead: boolean; screen?: Screen },
): string {
  if (data.length === 0)
    return dead ? "Every webhook has accepted every notice." : "No limit or purse has reached a threshold.";
  const each = data.map(({ id, at, message, deliveries }) =>
    facts(
      message,
      [
        ["id", id],
        ["at", at],
        ...deliveries.map((delivery): [string, string] => [delivery.endpoint, deliveryText(delivery)]),
      ],
      screen,
    ),
  );
  const fix = dead ? "\n\nSend them again with `tollgate notices retry --all`." : "";
  return `${each.join("\n\n")}${fix}${moreText(next)}`;
}

function deliveryText({ state, attempts, status, problem, next_at: nextAt }: NoticeJson["deliveries"][number]): string {
  const tries = attempts === 1 ? "1 attempt" : `${attempts} attempts`;
  const why = problem === null ? "" : `, last ${status === null ? problem : `${status} (${problem})`}`;
  if (state === "waiting") return attempts === 0 ? "not sent yet" : `${tries}${why}; next ${nextAt ?? "soon"}`;
  return `${state} after ${tries}${why}`;
}

export const endpointTable = (endpoints: readonly EndpointJson[], screen: Screen = PLAIN): string =>
  endpoints.length === 0
    ? "Nowhere yet: no gateway has run on this database."
    : table(
        ["=NAME", "ADDRESS", ">WAITING", ">DEAD", "LAST IN SETTINGS"],
        endpoints.map(({ endpoint, url, waiting, dead, seen_at: seenAt }) => [
          endpoint,
          url ?? "-",
          String(waiting),
          String(dead),
          seenAt,
        ]),
        { screen },
      );

export function testedText({ endpoint, url, delivered, status, problem, took_ms: tookMs, said }: TestedJson): string {
  const took = `in ${tookMs} ms`;
  const body = said === "" ? "" : ` It said: ${JSON.stringify(said)}`;
  if (delivered) return `${endpoint}: delivered to ${url}; it responded ${status} ${took}.`;
  const what = status === null ? `no response (${problem}) ${took}` : `${status} (${problem}) ${took}`;
  return `${endpoint}: not delivered to ${url}: ${what}.${body} ${fixFor(problem, status)}`;
}

function fixFor(problem: string | null, status: number | null): string {
  if (problem === "redirect") return "Redirects are not followed; put the final URL into notices.webhooks.";
  if (status === 401 || status === 403) return "Check that the receiver has the same secret.";
  if (status !== null) return "Check the log of the receiver.";
  return "Check the address in notices.webhooks, and that this machine can reach it.";
}

export const watchedTable = (counters: readonly WatchedJson[], screen: Screen = PLAIN): string =>
  counters.length === 0
    ? "It has no limit and no purse of its own."
    : table(
        [">COUNTER", "WHAT", "THRESHOLDS", "SET BY"],
        counters.map((one) => [
          String(one.counter),
          counterName(one),
          one.thresholds.length === 0
            ? "none"
            : one.thresholds.map((each) => (one.kind === "limit" ? `${each}%` : `${each} left`)).join(", "),
          one.usual ? "default" : "operator",
        ]),
        { screen },
      );
