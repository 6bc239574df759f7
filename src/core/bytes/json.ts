/** An object out of JSON, of which nothing is known yet. */
export type Json = Record<string, unknown>;
