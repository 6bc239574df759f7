/** Where notices are sent. Secrets are whole, as they are written: `whsec_` and base64. The newest is the first. */
export type Webhook = { name: string; url: string; secrets: readonly string[] };

const MOST_WEBHOOKS = 8;
const MOST_SECRETS = 4;
const NAME = /^[a-z][a-z0-9_-]{0,31}$/;
const URL_TEXT = /^https?:\/\/[^\s,]{1,2000}$/;
const SECRET = /^whsec_([A-Za-z0-9+/]{2,}={0,2})$/;
/** Bounds of the Standard Webhooks specification, in bytes. */
const SECRET_BYTES = { least: 24, most: 64 };
/** Notices are always written to the log, under this name. */
export const LOG_ENDPOINT = "log";

/**
 * Reads `name=url secret`, separated by commas, each with one secret or with several while they are changed. Null when it is nothing of
 * the kind.
 */
export function readWebhookList(text: string): Webhook[] | null {
  const entries = text.trim() === "" ? [] : text.split(",");
  const webhooks = entries.map(readWebhook);
  if (webhooks.length > MOST_WEBHOOKS || webhooks.some((webhook) => webhook === null)) return null;
  const read = webhooks.filter((webhook) => webhook !== null);
  return new Set(read.map(({ name }) => name)).size === read.length ? read : null;
}

function readWebhook(entry: string): Webhook | null {
  const [target = "", ...secrets] = entry.trim().split(/\s+/);
  const cut = target.indexOf("=");
  const [name, url] = [target.slice(0, cut), target.slice(cut + 1)];
  if (cut < 1 || !NAME.test(name) || name === LOG_ENDPOINT || !isUrl(url)) return null;
  if (secrets.length === 0 || secrets.length > MOST_SECRETS || !secrets.every(isSecret)) return null;
  return { name, url, secrets };
}

/** A user and a password in an address would have to be hidden wherever it is shown; a secret signs instead. */
const isUrl = (text: string): boolean => {
  const url = URL_TEXT.test(text) ? URL.parse(text) : null;
  return url !== null && url.username === "" && url.password === "" && url.hash === "";
};

function isSecret(text: string): boolean {
  const bytes = Buffer.from(SECRET.exec(text)?.[1] ?? "", "base64").length;
  return bytes >= SECRET_BYTES.least && bytes <= SECRET_BYTES.most;
}
