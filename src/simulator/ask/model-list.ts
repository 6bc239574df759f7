export const MODELS = ["sim-fast", "sim-slow+rate=20+ttft=300", "sim-tool+tool=get_weather", "sim-flaky+fail=error@5"];

/** Names that show what a script can do; every other name works just as well. */
export function listModels(shape: "openai" | "anthropic"): string {
  if (shape === "openai") {
    const data = MODELS.map((id) => ({ id, object: "model", created: 1_760_000_000, owned_by: "simulator" }));
    return JSON.stringify({ object: "list", data });
  }
  const data = MODELS.map((id) => ({ type: "model", id, display_name: id, created_at: "2025-10-09T08:53:20Z" }));
  return JSON.stringify({ data, has_more: false, first_id: MODELS[0], last_id: MODELS.at(-1) });
}
