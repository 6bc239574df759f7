import { type Group, tokensOf } from "../plan/block.ts";
import type { Generation, Stretch, StreamEncoder } from "../dialect.ts";
import { tokenOf } from "../plan/lanes.ts";
import { beginningOf, endOf, laneOf } from "./response-events.ts";
import { type Event, isShown } from "./response-item.ts";
import { responseObject, type ResponseStatus } from "./response-object.ts";

export const answerResponse = (generation: Generation): string =>
  JSON.stringify(responseObject(generation, finalStatus(generation)));

const finalStatus = ({ stop }: Generation): ResponseStatus => (stop.reason === "length" ? "incomplete" : "completed");

export function encodeResponse(generation: Generation): StreamEncoder {
  const { groups } = generation;
  const status = finalStatus(generation);
  let sequenceNumber = 0;
  const send = (event: Event) =>
    `event: ${event.type}\ndata: ${JSON.stringify({ ...event, sequence_number: sequenceNumber++ })}\n\n`;
  const sendResponse = (type: string, state: ResponseStatus) =>
    send({ type: `response.${type}`, response: responseObject(generation, state) });

  /** `first` is the place of the group's first item in the output. */
  function stretchOf(group: Group, first: number): Stretch {
    const shown = group.filter((block) => isShown(generation, block));
    const token = tokenOf(shown.map((block) => laneOf(generation, block, first + group.indexOf(block))));
    return {
      before: () => group.flatMap((block, place) => beginningOf(generation, block, first + place).map(send)),
      tokens: tokensOf(shown),
      token: (index) => token(index) + sequenceNumber++ + "}\n\n",
      after: () => group.flatMap((block, place) => endOf(generation, block, first + place).map(send)),
    };
  }

  return {
    opening: () => [sendResponse("created", "in_progress"), sendResponse("in_progress", "in_progress")],
    stretches: groups.map((group, place) => stretchOf(group, groups.slice(0, place).flat().length)),
    closing: () => [sendResponse(status, status)],
    failure: () => sendResponse("failed", "failed"),
    broken: 'event: response.output_text.delta\ndata: {"type":"response.output_text.delta","delta":"\n\n',
  };
}
