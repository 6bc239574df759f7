import { HOLDER_ADDED } from "./holder-reading.ts";
import { type OperationFacts, OPERATIONS } from "../operations.ts";

const IDS: Readonly<Record<string, string>> = {
  createChatCompletion: "createOwnChatCompletion",
  createResponse: "createOwnResponse",
  createMessage: "createOwnMessage",
};

/** Generations with a session: those of the interface, for pages of the gateway itself. */
export const HOLDER_GENERATIONS: readonly OperationFacts[] = OPERATIONS.flatMap((facts) => {
  const operationId = IDS[facts.operationId];
  if (operationId === undefined) return [];
  const { isAddition, isForEveryMode, tag } = HOLDER_ADDED;
  const { path, summary } = facts;
  return {
    ...facts,
    isAddition,
    isForEveryMode,
    tag,
    operationId,
    path: `/me${path}`,
    summary: `${summary} with a session`,
    description: `The same as \`POST ${path}\`, charged to the key of the session: same body, same response, same limits. Only pages of this address can call it, so the request needs their \`Origin\` header. Programs send their key to \`${path}\`.`,
    credential: "session",
  };
});
