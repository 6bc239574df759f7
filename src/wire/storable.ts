import { z } from "zod";

/** PostgreSQL keeps every character but NUL, and JSON may carry half a character, which is none. */
export const STORABLE = /^[^\0\p{Surrogate}]*$/u;

export const isStorable = (text: string): boolean => STORABLE.test(text);

export const storable = (most: number) =>
  z.string().max(most).regex(STORABLE, "Input should be whole characters, and none of them NUL");
