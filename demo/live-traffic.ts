import { LIVE } from "../src/cli/dev/demo-folder.ts";
import { createDraw, type Draw } from "./draw.ts";
import { type Habit, HABITS, SERVICES } from "./habits.ts";
import { PROJECTS, TEAMS } from "./organisation.ts";
import { labelOf } from "./story.ts";

const PATHS = { messages: "/v1/messages", chat: "/v1/chat/completions", responses: "/v1/responses" } as const;
const LEAVES = 0.06;

type Options = { publicUrl: string; secrets: Readonly<Record<string, string>>; seed: string };

/** Keeps a few streams running, slowly and not for ever. The simulated provider answers them, and the keys of the demo pay. */
export function startLiveTraffic({ publicUrl, secrets, seed }: Options): { stop: () => void } {
  const draw = createDraw(`${seed}/live`);
  const callers = callersOf(secrets);
  const stopped = new AbortController();
  let running = 0;
  let sent = 0;
  let timer: NodeJS.Timeout | null = null;

  async function send(): Promise<void> {
    const { secret, habit } = draw.pick(callers);
    const leavesMs = draw.chance(LEAVES) ? draw.whole(1_500, 5_000) : 120_000;
    const signal = AbortSignal.any([stopped.signal, AbortSignal.timeout(leavesMs)]);
    const model = draw.share(habit.models).id;
    const response = await fetch(`${publicUrl}${PATHS[habit.format]}`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${secret}`,
        "content-type": "application/json",
        "user-agent": habit.userAgent,
        ...(habit.format === "messages" ? { "anthropic-version": "2023-06-01" } : {}),
      },
      body: JSON.stringify(bodyOf(habit, model, draw)),
      signal,
    });
    for await (const _part of response.body ?? []);
  }

  function turn(): void {
    if (running < LIVE.atOnce) {
      sent += 1;
      running += 1;
      // A client that leaves, and a gateway that stops, are part of the demo.
      void send()
        .catch(() => undefined)
        .finally(() => {
          running -= 1;
        });
    }
    if (sent < LIVE.inAll) timer = setTimeout(turn, draw.whole(LIVE.leastGapMs, LIVE.mostGapMs));
  }

  if (callers.length > 0) turn();
  return {
    stop: () => {
      if (timer !== null) clearTimeout(timer);
      stopped.abort();
    },
  };
}

type LiveCaller = { secret: string; habit: Habit };

function callersOf(secrets: Readonly<Record<string, string>>): LiveCaller[] {
  const people = TEAMS.flatMap((team) => team.people).map((person) => [labelOf(person), HABITS[person.habit]] as const);
  const programs = PROJECTS.map(({ key, habit }) => [key, SERVICES[habit]] as const);
  return [...people, ...programs].flatMap(([label, habit]) => {
    const secret = secrets[label];
    return secret === undefined ? [] : [{ secret, habit }];
  });
}

const ASK = "Explain what this function does, and suggest a test for it.";
const LINE = "  total += row.amount * rates.get(row.unit) ?? 0; // until the period ends";

/** Prompts and answers are of all lengths, as those of people are. */
function bodyOf({ format, output }: Habit, model: string, draw: Draw): object {
  const prompt = `${ASK}\n${`${LINE}\n`.repeat(draw.whole(5, 160))}`;
  const limit = Math.max(60, Math.round(draw.around(output, 0.4)));
  if (format === "responses") return { model, input: prompt, stream: true, max_output_tokens: limit };
  const messages = [{ role: "user", content: prompt }];
  return { model, messages, stream: true, max_tokens: limit };
}
