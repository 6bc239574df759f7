import type { BillFormat } from "./bill-line.ts";
import { ANTHROPIC } from "./formats/anthropic.ts";
import { CLOUDS } from "./formats/clouds.ts";
import { OPENAI } from "./formats/openai.ts";
import { OPENROUTER } from "./formats/openrouter.ts";

export const FORMATS: readonly BillFormat[] = [...OPENAI, ...ANTHROPIC, ...CLOUDS, ...OPENROUTER];
