import { isObject } from "../core/bytes/is-object.ts";
import type { Json } from "../core/bytes/json.ts";
import { readChatGenerated } from "./chat/generated.ts";
import { readMessagesGenerated } from "./messages/generated.ts";
import type { GeneratedPiece } from "./output-meter.ts";
import { readResponsesGenerated } from "./responses/generated.ts";

/** What the model wrote in a whole answer of any format, for one that came without its usage. */
export function generatedText(answer: unknown): string {
  if (!isObject(answer)) return "";
  return read(answer)
    .flatMap(({ said, thought }) => [thought, said])
    .filter((text) => text !== "")
    .join("\n");
}

function read(answer: Json): readonly GeneratedPiece[] {
  if (Array.isArray(answer["choices"])) return readChatGenerated(answer);
  if (Array.isArray(answer["output"])) return readResponsesGenerated({ response: answer });
  return Array.isArray(answer["content"]) ? readMessagesGenerated({ message: answer }) : [];
}
