const QUOTE = 0x22;

/** Numbers per place. */
const PLACE = 3;

type Wanted = { name: number; quoted: Uint8Array };

/** Names to look for, by their first byte. Made once; a name is known by its place in the list. */
export type WantedNames = { byFirstByte: readonly (readonly Wanted[])[]; isFirstByte: Uint8Array };

export function wantNames(names: readonly string[]): WantedNames {
  const byFirstByte: Wanted[][] = Array.from({ length: 256 }, () => []);
  const isFirstByte = new Uint8Array(256);
  for (const [name, text] of names.entries()) {
    const quoted = Uint8Array.from(Buffer.from(`"${text}"`));
    const firstByte = quoted[1] as number;
    isFirstByte[firstByte] = 1;
    byFirstByte[firstByte]?.push({ name, quoted });
  }
  return { byFirstByte, isFirstByte };
}

/**
 * Where the wanted names stand in an event, quotes included, found in one pass. Every event of a stream is looked through for half a dozen
 * names of which it has one or two, and one search of the runtime costs as much as this pass for all of them. One per stream; each search
 * forgets the one before.
 */
export class NamesFound {
  readonly #wanted: WantedNames;
  /** Of each place the name, its start and its end. */
  readonly #places: number[] = [];
  bytes: Buffer = Buffer.alloc(0);
  end = 0;

  constructor(wanted: WantedNames) {
    this.#wanted = wanted;
  }

  search(bytes: Buffer, start: number, end: number): void {
    this.bytes = bytes;
    this.end = end;
    if (this.#places.length > 0) this.#places.length = 0;
    const { isFirstByte } = this.#wanted;
    for (let at = start; at < end - 1; at++)
      if (bytes[at] === QUOTE && isFirstByte[bytes[at + 1] as number] === 1) this.#compare(at);
  }

  /** The first place of the name behind another place, or of all; -1 when there is none. */
  placeOf(name: number, behind = -PLACE): number {
    const places = this.#places;
    for (let place = behind + PLACE; place < places.length; place += PLACE) if (places[place] === name) return place;
    return -1;
  }

  startOf(place: number): number {
    return this.#places[place + 1] as number;
  }

  endOf(place: number): number {
    return this.#places[place + 2] as number;
  }

  has(name: number): boolean {
    return this.placeOf(name) !== -1;
  }

  #compare(at: number): void {
    for (const { name, quoted } of this.#wanted.byFirstByte[this.bytes[at + 1] as number] as readonly Wanted[])
      if (standsAt(this.bytes, at, quoted)) this.#places.push(name, at, at + quoted.length);
  }
}

function standsAt(bytes: Buffer, at: number, quoted: Uint8Array): boolean {
  for (let n = 2; n < quoted.length; n++) if (bytes[at + n] !== quoted[n]) return false;
  return true;
}
