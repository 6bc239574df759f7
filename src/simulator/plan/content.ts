/** What a generation says, token by token, known in advance so that a test can predict every byte. */
export type Content = {
  /** The text of one token. */
  piece: (index: number) => string;
  /** The same, ready to stand between the quotes of a JSON string. */
  escapedPiece: (index: number) => string;
  /** The first so many tokens together. */
  text: (tokens: number) => string;
};

const WORDS =
  "amber basin cedar delta ember fjord grove harbor inlet jasper kelp lagoon meadow north ocean prairie quartz river stone tundra umber valley willow yarrow zephyr".split(
    " ",
  );
const SPACED_WORDS = WORDS.map((word) => ` ${word}`);
const FILLER = SPACED_WORDS.join("");

/** Plain words; the stride is coprime to their number, so that neighbours are not alphabetical and all of them come up. */
export const wordContent: Content = contentOf((index) =>
  index === 0 ? (WORDS[0] ?? "") : (SPACED_WORDS[(index * 7) % SPACED_WORDS.length] ?? ""),
);

/** Words that cannot be mistaken for those of an answer. */
export const thoughtContent: Content = contentOf((index) => (index === 0 ? "Considering" : wordContent.piece(index)));
export const refusalContent: Content = contentOf((index) => (index === 0 ? "Declining" : wordContent.piece(index)));

/** Text of exactly so many bytes, spread evenly over the tokens. */
export function sizedContent(bytes: number, tokens: number): Content {
  const edge = (index: number) => Math.floor((bytes * index) / Math.max(1, tokens));
  return contentOf((index) => filler(edge(index), edge(index + 1)));
}

/** The arguments of a tool call: a JSON object that is whole after exactly `tokens` pieces, and not before. */
export function toolContent(tokens: number): Content {
  const piece = (index: number): string => {
    if (tokens <= 1) return "{}";
    if (index === 0) return '{"query":"';
    return index === tokens - 1 ? '"}' : wordContent.piece(index - 1);
  };
  return { ...contentOf(piece), escapedPiece: (index) => piece(index).replaceAll('"', '\\"') };
}

/** A given text, spread evenly over the tokens. */
export function givenContent(text: string, tokens: number): Content {
  const characters = Array.from(text);
  const edge = (index: number) => Math.floor((characters.length * index) / Math.max(1, tokens));
  const piece = (index: number) => characters.slice(edge(index), edge(index + 1)).join("");
  return { ...contentOf(piece), escapedPiece: (index) => JSON.stringify(piece(index)).slice(1, -1) };
}

export function filler(start: number, end: number): string {
  const from = start % FILLER.length;
  const length = end - start;
  return FILLER.repeat(Math.ceil((from + length) / FILLER.length)).slice(from, from + length);
}

function contentOf(piece: (index: number) => string): Content {
  return {
    piece,
    escapedPiece: piece,
    text: (tokens) => {
      let text = "";
      for (let index = 0; index < tokens; index += 1) text += piece(index);
      return text;
    },
  };
}
