import { useCallback, useEffect, useRef, useState } from "react";
import type { Format } from "./formats.ts";
import { ask, isRunning, type Run } from "./run.ts";

/** Fast enough to be read as it comes; a fast model sends several hundred events a second. */
const DRAWN_EVERY_MS = 50;

/** The run that is shown, how to begin one and how to stop it. One runs at a time, and none goes on without its page. */
export function useRun(): {
  run: Run | null;
  begin: (format: Format, body: object) => Promise<Run | null>;
  stop: () => void;
  clear: () => void;
} {
  const [run, setRun] = useState<Run | null>(null);
  const controller = useRef<AbortController | null>(null);
  useEffect(() => () => controller.current?.abort(), []);
  const begin = useCallback(async (format: Format, body: object): Promise<Run | null> => {
    controller.current?.abort();
    const own = new AbortController();
    controller.current = own;
    let latest: Run | null = null;
    let drawing: ReturnType<typeof setTimeout> | null = null;
    const draw = (): void => {
      drawing = null;
      if (controller.current === own) setRun(latest);
    };
    const onChange = (next: Run): void => {
      latest = next;
      if (!isRunning(next)) {
        if (drawing !== null) clearTimeout(drawing);
        draw();
      } else drawing ??= setTimeout(draw, DRAWN_EVERY_MS);
    };
    await ask({ format, body, signal: own.signal, onChange });
    return latest;
  }, []);
  return {
    run,
    begin,
    stop: () => controller.current?.abort(),
    clear: () => {
      controller.current?.abort();
      controller.current = null;
      setRun(null);
    },
  };
}
