"""Answers each line of JSON on standard input with one: what the anthropic package's tool runner made of two tasks."""

import asyncio
import json
import sys

import anthropic
from anthropic import beta_async_tool, beta_tool

PROMPT = "Say something."


def settings(question):
    return {"api_key": question["apiKey"], "base_url": question["origin"], "max_retries": question["retries"]}


def described(question):
    tool = question["tool"]
    return {"name": tool["name"], "description": tool["description"], "input_schema": tool["schema"]}


def said(message):
    return "".join(block.text for block in message.content if block.type == "text")


def history(runner):
    """What was said, by the runner's own word for it, which is to change it."""
    seen = []

    def look(params):
        seen.extend(params["messages"])
        return params

    runner.set_messages_params(look)
    return seen


def run_sync(question):
    inputs = []

    @beta_tool(**described(question))
    def look(city):
        inputs.append({"city": city})
        return question["weather"]

    client = anthropic.Anthropic(**settings(question))
    messages = [{"role": "user", "content": PROMPT}]
    for _ in range(2):
        runner = client.beta.messages.tool_runner(
            model=question["model"], max_tokens=question["maxTokens"], messages=messages, tools=[look]
        )
        last = runner.until_done()
        messages = [*history(runner), {"role": "user", "content": question["more"]}]
    return {"said": said(last), "inputs": inputs}


async def run_async(question):
    inputs = []

    @beta_async_tool(**described(question))
    async def look(city):
        inputs.append({"city": city})
        return question["weather"]

    async with anthropic.AsyncAnthropic(**settings(question)) as client:
        messages = [{"role": "user", "content": PROMPT}]
        for _ in range(2):
            runner = client.beta.messages.tool_runner(
                model=question["model"], max_tokens=question["maxTokens"], messages=messages, tools=[look]
            )
            last = await runner.until_done()
            messages = [*history(runner), {"role": "user", "content": question["more"]}]
        return {"said": said(last), "inputs": inputs}


for line in sys.stdin:
    question = json.loads(line)
    try:
        result = asyncio.run(run_async(question)) if question["awaited"] else run_sync(question)
        print(json.dumps({"result": result}), flush=True)
    except Exception as error:  # Whatever it is, the test wants to see it.
        print(json.dumps({"error": f"{type(error).__name__}: {error}"}), flush=True)
