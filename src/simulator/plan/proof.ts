import { hash } from "node:crypto";

/**
 * What a provider gives with thoughts and wants to see again, untouched: a signature over a text, or thoughts nobody else can
 * read. Made from what it vouches for, so that it can be checked without being remembered.
 */
export type Purpose = "signature" | "redacted" | "encrypted" | "thought";

export function sign(purpose: Purpose, text: string): string {
  // The padding and the characters of plain base64 are part of it, as they are of real ones: a carrier may not tidy them.
  return `Sim${hash("sha256", `simulator ${purpose}\n${text}`, "base64")}`;
}

/** Thoughts that are known by a name and carry nothing to be read. */
export const seal = (purpose: Purpose, name: string): string =>
  `${Buffer.from(name).toString("base64")}.${sign(purpose, name)}`;

/** The name that was sealed; null when this provider did not do it. */
export function unseal(purpose: Purpose, sealed: unknown): string | null {
  if (typeof sealed !== "string") return null;
  const name = Buffer.from(sealed.split(".", 1)[0] ?? "", "base64").toString("utf8");
  return seal(purpose, name) === sealed ? name : null;
}
