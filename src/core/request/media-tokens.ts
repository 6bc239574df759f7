import type { InputEstimate } from "./input-estimate.ts";

/** What a model makes of one picture and of one document at most, in tokens; null: whatever its window holds. */
export type MediaTokens = {
  image: number | null;
  /** Where the caller asks for the small version, and the provider hears it. */
  smallImage: number | null;
  document: number | null;
};

/** A page is up to 3,000 tokens of text and a picture of 1,600. Compressed, a hundred of them fit into a few kilobytes. */
const HUNDRED_PAGES = 100 * 4_600;
/** The largest small version of a picture, at the one maker who has such versions. */
const SMALL_IMAGE = 3_000;
const OF_ITS_MAKER = /^(?:gpt-|chatgpt-|o\d|computer-use)/;
/** Of a model that does not say what its window holds: more than any published one. */
const LARGEST_WINDOW = 2_000_000;

/**
 * The most that published rules make of a picture, by the names that providers give their models; the first that fits. A name that is new
 * in a family gets the most of that family, and a name of no family whatever fits into its window.
 */
const FAMILIES: readonly (readonly [name: RegExp, image: number])[] = [
  [/^gpt-4o-mini/, 48_200],
  [/^(?:gpt-4|gpt-5(?:\.[0-3])?(?:-|$)|o[134](?:-|$)|chatgpt-4o|computer-use)/, 5_000],
  [/^gpt-5\.[45](?:-|$)/, 12_000],
  [/^(?:gpt-|o\d)/, 36_000],
  [/^claude-/, 5_000],
  [/^gemini-/, 5_000],
  [/^grok-/, 2_000],
];

/** `openai/gpt-5.6`, `us.anthropic.claude-opus-5-v1:0` and the like name the model last. */
export const modelNameIn = (upstreamModel: string): string =>
  /(?:^|[/.:])((?:gpt-|chatgpt-|o\d|computer-use|claude-|gemini-|grok-).*)$/i.exec(upstreamModel)?.[1]?.toLowerCase() ??
  upstreamModel.toLowerCase();

/** What is published of a model, by the name that its provider knows it by. */
export function publishedMediaTokens(upstreamModel: string): MediaTokens {
  const name = modelNameIn(upstreamModel);
  const family = FAMILIES.find(([pattern]) => pattern.test(name));
  if (family === undefined) return { image: null, smallImage: null, document: null };
  const [, image] = family;
  // Others read more pages than a hundred.
  return OF_ITS_MAKER.test(name)
    ? { image, smallImage: SMALL_IMAGE, document: HUNDRED_PAGES }
    : { image, smallImage: image, document: null };
}

/** A model, as far as this goes. */
type Shown = { capabilities: Readonly<Record<string, unknown>>; routes: readonly { upstreamModel: string }[] };

/** Worked out once for a model, which never changes: another catalogue has other models. */
const KNOWN = new WeakMap<Shown, MediaTokens>();

/**
 * What a picture and a document are reserved for as: by the operator's own word (`image_tokens` and `document_tokens` of its
 * capabilities), else by what is published of the models behind its routes, the dearest of them.
 */
export function mediaTokensOf(model: Shown): MediaTokens {
  const known = KNOWN.get(model);
  if (known !== undefined) return known;
  const { capabilities, routes } = model;
  const published = routes.map(({ upstreamModel }) => publishedMediaTokens(upstreamModel));
  const tokens = {
    image: said(capabilities["image_tokens"]) ?? dearest(published.map(({ image }) => image)),
    smallImage: said(capabilities["image_tokens"]) ?? dearest(published.map(({ smallImage }) => smallImage)),
    document: said(capabilities["document_tokens"]) ?? dearest(published.map(({ document }) => document)),
  };
  KNOWN.set(model, tokens);
  return tokens;
}

const said = (value: unknown): number | null =>
  typeof value === "number" && Number.isInteger(value) && value > 0 ? value : null;

const dearest = (tokens: readonly (number | null)[]): number | null =>
  tokens.reduce((most, each) => (most === null || each === null ? null : Math.max(most, each)), tokens[0] ?? null);

/** The most that a model makes of an input. No provider takes in more than the window. */
export function mostInputTokens(
  { most, media }: Pick<InputEstimate, "most" | "media">,
  tokens: MediaTokens,
  contextWindow: number | null,
): number {
  const window = contextWindow ?? LARGEST_WINDOW;
  if (media === undefined) return Math.min(most, contextWindow ?? Infinity);
  const image = tokens.image ?? window;
  const document = Math.max(tokens.document ?? window, media.largestDocumentCharacters);
  const shown =
    media.images * image +
    media.smallImages * (tokens.smallImage ?? window) +
    media.documents * document +
    media.others * window;
  return Math.min(most + shown, contextWindow ?? Infinity);
}
