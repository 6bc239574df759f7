/** What stands in place of a secret. */
export const REDACTED = "[redacted]";

/** Cheap to ask of every line, and false for nearly all; only then are the exact patterns tried. */
const SUSPICIOUS =
  /tg[acprst]_[0-9a-z]{10}|sk-[\w-]{8}|aiza|gsk_|xai-|akia|bearer|authorization|api[-_]?key|:\/\/|[?&](?:key|token|password|secret)=/i;

/** Quantifiers on either side of a fixed mark are bounded, so that hostile text costs linear time. */
const RULES: readonly (readonly [RegExp, string])[] = [
  // `://user:password@`; the password may hold an @ or a colon, but a slash would have ended the authority.
  [/:\/\/([^\s:@/"\\]{0,128}):[^\s"/\\]{1,256}@/g, `://$1:${REDACTED}@`],
  [/([?&](?:key|token|password|secret)=)[^&\s"\\]+/gi, `$1${REDACTED}`],
  // A header by its name, as text, as JSON or as JSON within JSON. Escaped characters are taken in pairs, and a quote only
  // where a value follows it, so that what is left of a JSON line is still one.
  [
    /((?:authorization|api[-_]?key)(?:\\*"\s{0,8}:\s{0,8}\\*"|\s{0,8}[:=]\s{0,8}(?:\\*")?))(?:(?:basic|bearer|digest)\s+)?(?:\\.|[^"\\\s,\]}:])(?:\\.|[^"\\\s,\]])*/gi,
    `$1${REDACTED}`,
  ],
  // Name and value as neighbours in a list, as raw headers are. A string before a colon is the next name, not a value.
  [/((?:authorization|api[-_]?key)\\*"\s{0,8},\s{0,8}\\*")(?:\\.|[^"\\]){1,4096}(?="\s{0,8}[,\]}])/gi, `$1${REDACTED}`],
  [/(bearer)(?:\s|\\[nrt]|%20){1,8}[^\s"\\,\]]{4,}/gi, `$1 ${REDACTED}`],
  [/tg[acprst]_[0-9A-Za-z]{10,}/g, REDACTED],
  // At the beginning of a word; in JSON a line break before it is written with a letter.
  [/(?<=^|[^0-9A-Za-z]|\\[bfnrt])(?:sk-[\w-]{8,}|AIza[\w-]{20,}|gsk_\w{20,}|xai-\w{20,}|AKIA[0-9A-Z]{12,})/g, REDACTED],
];

/**
 * The second net. Nothing should hand a secret to the log; what does is caught by its shape. Works on plain text and on a
 * finished JSON line alike, and leaves the line valid JSON.
 */
export function redact(text: string): string {
  if (!SUSPICIOUS.test(text)) return text;
  return RULES.reduce((result, [pattern, replacement]) => result.replaceAll(pattern, replacement), text);
}
