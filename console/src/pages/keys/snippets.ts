type Given = { address: string; secret: string; mode: "credit" | "token_budget"; model: string };

/** As docs/start/connect-a-client.md has them. A token budget is spent under /token. */
export function snippetsOf({ address, secret, mode, model }: Given): { name: string; text: string }[] {
  const base = mode === "credit" ? address : `${address}/token`;
  return [
    {
      name: "curl",
      text: `curl -N ${base}/v1/chat/completions \\
  -H "authorization: Bearer ${secret}" -H "content-type: application/json" \\
  -d '{"model":"${model}","stream":true,"messages":[{"role":"user","content":"Hello"}]}'`,
    },
    {
      name: "Python",
      text: `from openai import OpenAI

client = OpenAI(base_url="${base}/v1", api_key="${secret}")
answer = client.chat.completions.create(
    model="${model}",
    messages=[{"role": "user", "content": "Hello"}],
)
print(answer.choices[0].message.content)`,
    },
    {
      name: "JavaScript",
      text: `import OpenAI from "openai";

const client = new OpenAI({ baseURL: "${base}/v1", apiKey: "${secret}" });
const answer = await client.chat.completions.create({
  model: "${model}",
  messages: [{ role: "user", content: "Hello" }],
});
console.log(answer.choices[0].message.content);`,
    },
    {
      name: "Claude Code",
      text: `export ANTHROPIC_BASE_URL=${base}
export ANTHROPIC_AUTH_TOKEN=${secret}
export ANTHROPIC_MODEL=${model}
export ANTHROPIC_DEFAULT_HAIKU_MODEL=${model}
claude`,
    },
    {
      name: "Codex",
      text: `# ~/.codex/config.toml
model = "${model}"
model_provider = "tollgate"
web_search = "disabled"

[model_providers.tollgate]
name = "Tollgate"
base_url = "${base}/v1"
env_key = "TOLLGATE_KEY"
wire_api = "responses"

# in the shell: export TOLLGATE_KEY=${secret}`,
    },
  ];
}
