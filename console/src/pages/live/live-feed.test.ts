import { expect, test } from "vitest";
import { type LiveView, type Source, watchLive } from "./live-feed.ts";

type Hear = (event: { data?: unknown }) => void;

/** A stream that says what it is told to, and a page that is drawn when the test wants it. */
function stage() {
  const views: LiveView[] = [];
  const sources: { tell: (name: string, data?: object) => void; state: { readyState: number }; closed: boolean }[] = [];
  const due: (() => void)[] = [];
  const open = (): Source => {
    const hearers = new Map<string, Hear>();
    const state = { readyState: 1 };
    const one = {
      state,
      closed: false,
      tell: (name: string, data?: object) => hearers.get(name)?.({ data: JSON.stringify(data) }),
    };
    sources.push(one);
    return {
      get readyState() {
        return state.readyState;
      },
      close: () => void (one.closed = true),
      addEventListener: (name, hear) => void hearers.set(name, hear),
    };
  };
  const stop = watchLive({ open, onView: (view) => views.push(view), later: (draw) => due.push(draw) });
  const draw = (): void => due.splice(0).forEach((one) => one());
  return { views, sources, due, draw, stop };
}

const list = (more: number) => ({ data: [], more, processes: 1, silent: 0 });
const ended = (from: number, count: number) => ({
  data: Array.from({ length: count }, (_end, index) => ({ request_id: `req_${from + index}` })),
  missed: 1,
});

test("however many events come, the page is drawn once, with the last of them", () => {
  const { views, sources, due, draw } = stage();
  for (let more = 0; more < 200; more++) sources[0]?.tell("live", list(more));

  expect(due).toHaveLength(1);
  draw();
  expect(views.map((view) => view.list?.more)).toEqual([199]);
});

test("of what ended, the newest come first, and no more are kept than can be shown", () => {
  const { views, sources, draw } = stage();
  for (let event = 0; event < 50; event++) sources[0]?.tell("finished", ended(event * 10, 10));
  draw();
  const view = views.at(-1);

  expect(view?.ended).toHaveLength(200);
  expect(view?.ended[0]?.request_id).toBe("req_499");
  expect(view?.missed).toBe(50);
});

test("a stream that ends by itself is left to the browser; one that is refused is opened again", async () => {
  const { views, sources, draw, stop } = stage();
  sources[0]?.tell("open");
  sources[0]?.tell("error");
  draw();
  expect(views.at(-1)?.state).toBe("open");
  expect(sources).toHaveLength(1);

  if (sources[0]) sources[0].state.readyState = 2;
  sources[0]?.tell("error");
  draw();
  expect(views.at(-1)?.state).toBe("lost");
  await expect.poll(() => sources.length).toBe(2);
  stop();
  expect(sources[1]?.closed).toBe(true);
});
