import type { ToolCall } from "./agent.ts";

/** What the simulated provider does so that a tool is called once, and words follow. */
export const toolScript = ({ tool, input }: ToolCall): string =>
  `tokens=6+once+tool=${tool}+arguments=${Buffer.from(JSON.stringify(input)).toString("base64url")}`;
