import { z } from "zod";

/** PostgreSQL keeps every character but one. */
export const storable = (most: number) =>
  z
    .string()
    .max(most)
    .regex(/^[^\0]*$/, "Input should not contain the character NUL");
