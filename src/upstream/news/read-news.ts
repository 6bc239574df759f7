import type { HeardNews, RouteNews } from "./route-news.ts";

/** What is said in one message. Another version is another program's, and nothing is understood of it. */
export type NewsMessage = { v: 1; from: string; news: RouteNews[] };

/** PostgreSQL carries less than 8,000 bytes in one notification. */
export const LONGEST_MESSAGE = 7_999;
export const MOST_NEWS = 64;
const LONGEST_REST_MS = 600_000;
const NAME = /^[\w.:-]{1,100}$/;
const REASON = /^[a-z0-9_]{0,40}$/;

/** The members of each kind of news, and what each must be. */
const MEMBERS: { [Says in RouteNews["says"]]: Record<string, (value: unknown) => boolean> } = {
  paused: {
    reason: (value) => typeof value === "string" && REASON.test(value),
    restsMs: isRest,
    payers: (value) => value === "few" || value === "many",
  },
  trying: {},
  answered: {},
  limited: { restsMs: isRest },
};

/** Null: it is not such a message. Any role of the database can send anything, so that one wrong member makes nothing of it be believed. */
export function readNews(payload: string): HeardNews[] | null {
  const message = payload.length > LONGEST_MESSAGE ? null : parsed(payload);
  if (!isObject(message) || Object.keys(message).length !== 3) return null;
  const { v, from, news } = message;
  if (v !== 1 || !isName(from) || !Array.isArray(news) || news.length > MOST_NEWS) return null;
  return news.every(isNews) ? news.map((one) => ({ ...one, from })) : null;
}

function parsed(payload: string): unknown {
  try {
    return JSON.parse(payload);
  } catch {
    return null;
  }
}

function isNews(value: unknown): value is RouteNews {
  if (!isObject(value) || !isName(value["routeId"]) || !isKind(value["says"])) return false;
  const members = Object.entries(MEMBERS[value["says"]]);
  return Object.keys(value).length === members.length + 2 && members.every(([name, isRight]) => isRight(value[name]));
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const isName = (value: unknown): value is string => typeof value === "string" && NAME.test(value);
const isKind = (value: unknown): value is RouteNews["says"] =>
  typeof value === "string" && Object.hasOwn(MEMBERS, value);
function isRest(value: unknown): boolean {
  return Number.isInteger(value) && Number(value) >= 0 && Number(value) <= LONGEST_REST_MS;
}
