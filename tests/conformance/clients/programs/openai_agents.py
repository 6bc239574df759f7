"""Answers each line of JSON on standard input with one: what the openai-agents package made of two tasks."""

import asyncio
import json
import sys

from agents import (
    Agent,
    FunctionTool,
    ModelSettings,
    OpenAIChatCompletionsModel,
    OpenAIResponsesModel,
    Runner,
    set_tracing_disabled,
)
from openai import AsyncOpenAI

PROMPT = "Say something."
MODELS = {"chat": OpenAIChatCompletionsModel, "responses": OpenAIResponsesModel}

set_tracing_disabled(True)


async def run(question):
    inputs = []
    tool = question["tool"]

    async def look(_context, text):
        inputs.append(json.loads(text))
        return question["weather"]

    client = AsyncOpenAI(
        api_key=question["apiKey"], base_url=question["origin"] + "/v1", max_retries=question["retries"]
    )
    agent = Agent(
        name="Assistant",
        model=MODELS[question["api"]](model=question["model"], openai_client=client),
        model_settings=ModelSettings(max_tokens=question["maxTokens"]),
        tools=[
            FunctionTool(
                name=tool["name"],
                description=tool["description"],
                params_json_schema={**tool["schema"], "additionalProperties": False},
                on_invoke_tool=look,
            )
        ],
    )
    first = await Runner.run(agent, PROMPT)
    second = await Runner.run(agent, [*first.to_input_list(), {"role": "user", "content": question["more"]}])
    await client.close()
    return {"said": second.final_output, "inputs": inputs}


for line in sys.stdin:
    question = json.loads(line)
    try:
        print(json.dumps({"result": asyncio.run(run(question))}), flush=True)
    except Exception as error:  # Whatever it is, the test wants to see it.
        print(json.dumps({"error": f"{type(error).__name__}: {error}"}), flush=True)
