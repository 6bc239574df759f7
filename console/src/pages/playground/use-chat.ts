import { useState } from "react";
import { type Asked, type Format, type Turn, WIRES } from "./formats.ts";
import { useRun } from "./use-run.ts";

const USUAL_MOST = 512;

/** What is being typed, what was said before, and how the next turn is sent. */
export function useChat(model: string, format: Format) {
  const [prompt, setPrompt] = useState("");
  const [system, setSystem] = useState("");
  const [most, setMost] = useState(String(USUAL_MOST));
  const [turns, setTurns] = useState<readonly Turn[]>([]);
  const { run, begin, stop, clear } = useRun();
  const asked = (said: readonly Turn[]): Asked => ({
    model,
    system: system.trim(),
    turns: said,
    most: Math.max(1, Number(most) || USUAL_MOST),
  });
  const send = (text: string): void => {
    const said: Turn[] = [...turns, { role: "user", text }];
    setTurns(said);
    setPrompt("");
    void begin(format, WIRES[format].body(asked(said))).then((ended) => {
      if (ended === null) return;
      if (ended.text !== "") setTurns([...said, { role: "assistant", text: ended.text }]);
      if (ended.text !== "" || ended.status !== "failed") return;
      // Nothing came back: the prompt is where it was, to be sent again.
      setTurns(said.slice(0, -1));
      setPrompt(text);
    });
  };
  const startOver = (): void => {
    clear();
    setTurns([]);
  };
  /** As it would be sent with this prompt alone. */
  const body = (text: string): object => WIRES[format].body(asked([{ role: "user", text }]));
  return { prompt, setPrompt, system, setSystem, most, setMost, turns, run, send, stop, startOver, body };
}
