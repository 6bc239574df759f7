"""Answers each line of JSON on standard input with one: what the anthropic package made of a request."""

import asyncio
import json
import sys

import anthropic

MESSAGES = [{"role": "user", "content": "Say something."}]


def settings(question):
    return {"api_key": question["apiKey"], "base_url": question["origin"], "max_retries": question["retries"]}


def arguments(question):
    body = {"model": question["model"], "messages": MESSAGES, "max_tokens": question["maxTokens"]}
    if question["operation"] in ("tool", "converse"):
        tool = question["tool"]
        body["tools"] = [
            {"name": tool["name"], "description": tool["description"], "input_schema": tool["parameters"]}
        ]
    return body


def said(message, question):
    if question["operation"] == "tool":
        return {"name": message.content[0].name, "input": message.content[0].input}
    return "".join(block.text for block in message.content)


def conversation(question):
    """Yields what to ask with, is sent each answer, and returns what came of three turns."""
    messages = [*MESSAGES]
    called, texts = None, []
    for _ in range(3):
        message = yield {**arguments(question), "messages": messages}
        messages.append({"role": "assistant", "content": message.content})
        calls = [block for block in message.content if block.type == "tool_use"]
        for block in calls:
            called = {"name": block.name, "input": block.input}
        results = [{"type": "tool_result", "tool_use_id": call.id, "content": question["weather"]} for call in calls]
        if not calls:
            texts.append("".join(block.text for block in message.content if block.type == "text"))
        messages.append({"role": "user", "content": results or question["more"]})
    return {"call": called, "said": texts}


def run_sync(question):
    client = anthropic.Anthropic(**settings(question))
    operation = question["operation"]
    if operation == "models":
        return [model.id for model in client.models.list()]
    if operation == "count":
        return client.messages.count_tokens(model=question["model"], messages=MESSAGES).input_tokens
    if operation == "stream":
        with client.messages.stream(**arguments(question)) as stream:
            return said(stream.get_final_message(), question)
    if operation == "converse":
        turns, answer = conversation(question), None
        while True:
            try:
                asked = turns.send(answer)
            except StopIteration as end:
                return end.value
            answer = client.messages.create(**asked)
    return said(client.messages.create(**arguments(question)), question)


async def run_async(question):
    async with anthropic.AsyncAnthropic(**settings(question)) as client:
        operation = question["operation"]
        if operation == "models":
            return [model.id async for model in client.models.list()]
        if operation == "count":
            return (await client.messages.count_tokens(model=question["model"], messages=MESSAGES)).input_tokens
        if operation == "stream":
            async with client.messages.stream(**arguments(question)) as stream:
                return said(await stream.get_final_message(), question)
        if operation == "converse":
            turns, answer = conversation(question), None
            while True:
                try:
                    asked = turns.send(answer)
                except StopIteration as end:
                    return end.value
                answer = await client.messages.create(**asked)
        return said(await client.messages.create(**arguments(question)), question)


def explained(error):
    body = getattr(error, "body", None)
    detail = body.get("error", {}) if isinstance(body, dict) else {}
    return {
        "type": type(error).__name__,
        "status": getattr(error, "status_code", None),
        "code": detail.get("code"),
        "requestId": getattr(error, "request_id", None),
        "message": str(error),
    }


for line in sys.stdin:
    question = json.loads(line)
    try:
        result = asyncio.run(run_async(question)) if question["awaited"] else run_sync(question)
        print(json.dumps({"result": result}), flush=True)
    except Exception as error:  # Whatever it is, the test wants to see it.
        print(json.dumps({"error": explained(error)}), flush=True)
