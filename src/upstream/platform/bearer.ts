import type { CallHeaders } from "../call-convention.ts";

export const bearer = (secret: string): CallHeaders => ({ authorization: `Bearer ${secret}` });
