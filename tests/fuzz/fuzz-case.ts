/** What is done on a connection, in order. */
export type Step =
  | { kind: "send"; bytes: Buffer; /** Sent in pieces of this size. */ pieceBytes?: number }
  | { kind: "wait"; ms: number }
  | { kind: "half_close" }
  | { kind: "leave" };

export type Expectation = {
  /** What the answer's status may be. */
  statuses: readonly number[];
  /** The envelope of a refusal; null where there is none to check. */
  format: "A" | "B" | null;
  /** Whether the connection may end without an answer, which only bytes that are no request deserve. */
  silence: "refused" | "allowed";
  /** How many answers are waited for; fewer are fine when the connection ends. */
  answers: number;
  /** A generation that was understood as it was meant gives its own marker back. */
  echo: "demanded" | "possible";
  /** Whether an answer has a body at all. */
  body: "sent" | "none";
};

/** One attempt on the gateway, whole: it can be written down and played again. */
export type FuzzCase = {
  lane: string;
  route: string;
  steps: readonly Step[];
  expects: Expectation;
  /** Well-formed requests share connections, as those of a proxy in front do. */
  connection: "kept" | "fresh";
};

export const ORDINARY: Expectation = {
  statuses: [200],
  format: null,
  silence: "refused",
  answers: 1,
  echo: "possible",
  body: "sent",
};

export const send = (bytes: Buffer | string): Extract<Step, { kind: "send" }> => ({
  kind: "send",
  bytes: Buffer.from(bytes),
});

/** Secrets differ from run to run, so cases carry places for them, of the same length. */
export const CREDIT_KEY_PLACE = "@credit-key-goes-here".padEnd(45, "-");
export const TOKEN_KEY_PLACE = "@token-key-goes-here".padEnd(45, "-");

type WrittenStep = { send: string; pieceBytes?: number } | { waitMs: number } | { halfClose: true } | { leave: true };
type WrittenCase = Omit<FuzzCase, "steps"> & { steps: WrittenStep[] };

export function writeCase({ steps, ...rest }: FuzzCase): WrittenCase {
  return {
    ...rest,
    steps: steps.map((step): WrittenStep => {
      if (step.kind === "send") {
        const { bytes, pieceBytes } = step;
        return { send: bytes.toString("base64"), ...(pieceBytes === undefined ? {} : { pieceBytes }) };
      }
      if (step.kind === "wait") return { waitMs: step.ms };
      return step.kind === "half_close" ? { halfClose: true } : { leave: true };
    }),
  };
}

export function readCase(written: unknown): FuzzCase {
  const { steps, ...rest } = written as WrittenCase;
  return {
    ...rest,
    steps: steps.map((step): Step => {
      if ("send" in step) {
        const { send: text, ...rest } = step;
        return { ...send(Buffer.from(text, "base64")), ...rest };
      }
      if ("waitMs" in step) return { kind: "wait", ms: step.waitMs };
      return { kind: "leave" in step ? "leave" : "half_close" };
    }),
  };
}
