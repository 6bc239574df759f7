import fc from "fast-check";
import { type Command, commandSequence, OPENING } from "./commands.ts";

type Jump = { ms: number; after: number; during: number };

const jump: fc.Arbitrary<Jump> = fc.record({
  ms: fc.constantFrom(700, 5_000, 3_000_000, 50_000_000, 86_400_000, 1_728_000_000),
  after: fc.nat(30),
  during: fc.integer({ min: 1, max: 8 }),
});

/**
 * Sequences in which the clock is ahead for some calls. An operator who gives a limit another period meanwhile moves its end before what was
 * admitted, so that none does; and claims, which expire at another pace in the model, are left out.
 */
export const jumpingSequence = (maxLength: number): fc.Arbitrary<Command[]> =>
  fc
    .tuple(commandSequence(maxLength), fc.array(jump, { minLength: 1, maxLength: 3 }))
    .map(([commands, jumps]) => jumps.reduce(jumped, commands.map(unclaimed)));

function unclaimed(command: Command): Command {
  if (command.type !== "admit" && command.type !== "turn") return command;
  return { ...command, asks: command.asks.map((ask) => ({ ...ask, claim: null })) };
}

function jumped(commands: Command[], { ms, after, during }: Jump): Command[] {
  const from = Math.min(commands.length, OPENING.length + after);
  const to = Math.min(commands.length, from + during);
  const rest = commands.slice(from).filter(({ type }) => type !== "limit");
  return [
    ...commands.slice(0, from),
    { type: "advance", ms },
    ...rest.slice(0, to - from),
    { type: "advance", ms: -ms },
    ...rest.slice(to - from),
  ];
}
