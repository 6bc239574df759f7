import { mediaTokensOf } from "../../../core/request/media-tokens.ts";
import { mostCallsOf, tokensOfCall } from "../../../core/request/provider-tools.ts";
import type { AcceptedAlarm } from "../../../core/money/money-alarm.ts";
import type { ListedFacts } from "../../../core/catalogue/imported-model.ts";
import { pricesTool, type SoldCache, soldCache } from "../../../core/money/price.ts";
import { formatCredits } from "../../../core/money/money.ts";
import { isEmbedding } from "../../../core/request/dialect.ts";
import { tariffView } from "../../../wire/catalogue/price.ts";
import { acceptedAlarm } from "../../../contract/models.ts";
import { dateOf } from "../../../wire/instant.ts";
import { written } from "../../../wire/validate.ts";
import type { ModelDetails } from "../../../operator/catalogue.ts";
import { priceText } from "./price-text.ts";
import { printable } from "../cell.ts";
import { PLAIN, type Screen, stateTone, type Tone } from "../screen.ts";
import { facts, table } from "../table.ts";

type Route = ModelDetails["routes"][number];

/** Models as data, in the words of the catalogue file. */
export const modelView = (model: ModelDetails): object => ({
  id: model.id,
  provider: model.provider,
  published: model.published,
  obstacles: model.obstacles,
  context_window: model.contextWindow,
  max_output_tokens: model.maxOutputTokens,
  output_ceiling: model.outputCeiling,
  capabilities: model.capabilities,
  media_tokens: mediaView(model),
  price: model.price === null ? null : tariffView(model.price),
  upcoming_prices: model.upcomingPrices.map((price) => ({
    effective_from: new Date(price.effectiveFromMs).toISOString(),
    ...tariffView(price),
  })),
  accepted_alarms: model.acceptedAlarms.map((accepted) => written(acceptedAlarm, accepted)),
  routes: model.routes.map(routeView),
});

export const routeView = (route: Route) => ({
  id: route.id,
  provider: route.provider,
  upstream_model: route.upstreamModel,
  format: route.dialect,
  conformant: route.conformant,
  priority: route.priority,
  weight: route.weight,
  region: route.region ?? null,
});

function mediaView(model: ModelDetails): object {
  const { image, smallImage, document } = mediaTokensOf(model);
  return { image, small_image: smallImage, document };
}

/** One model, in lines for a person. */
export function modelFacts(model: ModelDetails, screen: Screen = PLAIN): string {
  const { contextWindow, maxOutputTokens, outputCeiling, price, capabilities, obstacles, routes, acceptedAlarms } =
    model;
  const { image, document } = mediaTokensOf(model);
  const reserved = (tokens: number | null, setting: string): string =>
    tokens === null
      ? `the rest of the context window: no bound is known. Set ${setting} in its capabilities.`
      : `at most ${tokens} tokens${capabilities[setting] === tokens ? "" : " (published)"}`;
  const { reasoning } = capabilities;
  const embeds = routes.some(({ dialect }) => isEmbedding(dialect));
  return facts(
    model.id,
    [
      ["state", obstacles.length === 0 ? "published" : obstacles.join("; ")],
      ["context window", contextWindow === null ? "not known" : `${contextWindow} tokens`],
      [
        "max output",
        embeds ? "none: it makes embeddings" : `${maxOutputTokens ?? outputCeiling ?? "not known"} tokens`,
      ],
      ["price", price === null ? "none" : priceText(null, price)],
      ["cache marks", CACHE_MARKS[soldCache(price)]],
      ["a picture reserves", reserved(image, "image_tokens")],
      ["a document reserves", reserved(document, "document_tokens")],
      ["web searches", searchText(model)],
      [
        "reasons",
        reasoning === true ? "yes" : reasoning === false ? "no" : "not known: only if its provider reports it",
      ],
      ["routes", routes.length === 0 ? "none" : routes.map(routeName).join(", ")],
      ["accepted alarms", acceptedAlarms.length === 0 ? "none" : acceptedAlarms.map(acceptedText).join("; ")],
    ],
    screen,
  );
}

function searchText(model: ModelDetails): string {
  if (model.price === null || !pricesTool(model.price, "web_search")) return "rejected: the price has no web_search";
  const each = tokensOfCall(model);
  const reserves = each === null ? "the context window. Set search_tokens in its capabilities" : `${each} tokens`;
  return `at most ${mostCallsOf(model)} per response; each reserves ${reserves}`;
}

const acceptedText = ({ kind, reason, actor, untilMs }: AcceptedAlarm): string =>
  `${kind} by ${printable(actor)}${untilMs === null ? "" : ` until ${dateOf(untilMs)}`}: ${printable(reason)}`;

export const alarmListing = (
  accepted: readonly AcceptedAlarm[],
  { screen = PLAIN, nowMs }: { screen?: Screen; nowMs: number },
): string =>
  accepted.length === 0
    ? "No alarms are accepted: all alert."
    : table(
        ["ALARM", "STATE", "ACCEPTED BY", "AT", "UNTIL", "REASON"],
        accepted.map(({ kind, reason, actor, acceptedAtMs, untilMs }) => [
          kind,
          untilMs !== null && untilMs <= nowMs ? "ended" : "accepted",
          actor,
          dateOf(acceptedAtMs),
          dateOf(untilMs) ?? "withdrawn",
          reason,
        ]),
        { screen },
      );

/** What becomes of a client's `cache_control`. */
const CACHE_MARKS: Record<SoldCache, string> = {
  none: "removed: the price has no cache_write_5m. Agents then pay the full price for their whole conversation at every turn.",
  minutes: "kept for five minutes: the price has no cache_write_1h",
  hour: "kept",
};

const routeName = ({ provider, upstreamModel, dialect }: Route): string => `${provider}/${upstreamModel} (${dialect})`;

export const modelListing = (models: readonly ModelDetails[], match: string, screen: Screen = PLAIN): string =>
  models.length === 0
    ? noModels(match)
    : table(
        ["MODEL", ">INPUT", ">OUTPUT", ">CONTEXT", ">MAX OUTPUT", "ROUTES", "STATE"],
        models.map((model) => [
          model.id,
          model.price === null ? "" : formatCredits(model.price.inputNano),
          model.price === null ? "" : formatCredits(model.price.outputNano),
          String(model.contextWindow ?? ""),
          String(model.maxOutputTokens ?? model.outputCeiling ?? ""),
          routesText(model.routes),
          model.obstacles.length === 0 ? "published" : model.obstacles.join("; "),
        ]),
        { screen, tone: modelTone },
      );

/** Whatever else stands there keeps the model from being used. */
const modelTone = (cell: string, title: string): Tone | null =>
  title === "STATE" && cell !== "published" ? "caution" : stateTone(cell);

const noModels = (match: string): string =>
  match === "*"
    ? "No models yet. Add one with `tollgate models add`, or many with `tollgate models import`."
    : `No model matches ${printable(match)}.`;

export const routeListing = (routes: readonly Route[], screen: Screen = PLAIN): string =>
  routes.length === 0
    ? "No routes."
    : table(
        ["ROUTE", "PROVIDER", "UPSTREAM MODEL", "FORMAT", "HOW", "REGION", ">PRIORITY", ">WEIGHT"],
        routes.map((route) => [
          route.id,
          route.provider,
          route.upstreamModel,
          route.dialect,
          handling(route),
          route.region ?? "-",
          String(route.priority),
          String(route.weight),
        ]),
        { screen },
      );

const SHOWN_ROUTES = 2;

function routesText(routes: readonly Route[]): string {
  const shown = routes
    .slice(0, SHOWN_ROUTES)
    .map((route) => `${route.provider} (${route.dialect}, ${handling(route)})`);
  if (routes.length > SHOWN_ROUTES) shown.push(`${routes.length - SHOWN_ROUTES} more`);
  return shown.join(", ");
}

const handling = ({ conformant }: Pick<Route, "conformant">): string => (conformant ? "conformant" : "normalised");

/** Limits and prices, only what differs, old → new; all of it where there was nothing. */
export function factsText(before: ListedFacts | null, after: ListedFacts): string {
  const limit = (name: string, old: number | null | undefined, next: number | null): string[] =>
    old === next ? [] : [`${name} ${before === null ? "" : `${old ?? "none"} → `}${next ?? "none"}`];
  const price = priceText(before?.tariff ?? null, after.tariff);
  return [
    ...(price === "no difference" ? [] : [price]),
    ...limit("context", before?.contextWindow, after.contextWindow),
    ...limit("max output", before?.maxOutputTokens, after.maxOutputTokens),
    ...(after.reasoning === true && before?.reasoning !== true ? ["reasons"] : []),
  ].join(", ");
}
