"""Answers each line of JSON on standard input with one: what the openai package made of a request."""

import asyncio
import json
import sys

import openai

PROMPT = "Say something."


def settings(question):
    return {
        "api_key": question["apiKey"],
        "base_url": question["origin"] + "/v1",
        "max_retries": question["retries"],
    }


def arguments(question):
    tool, limit = question["tool"], question["maxTokens"]
    if question["api"] == "chat":
        body = {"messages": [{"role": "user", "content": PROMPT}], "max_completion_tokens": limit}
        tools = [{"type": "function", "function": tool}]
    else:
        body = {"input": PROMPT, "max_output_tokens": limit}
        tools = [{"type": "function", "strict": False, **tool}]
    if question["operation"] in ("tool", "converse"):
        body["tools"] = tools
    return {"model": question["model"], **body}


def endpoint(client, question):
    return client.chat.completions if question["api"] == "chat" else client.responses


def final(stream, question):
    return stream.get_final_completion() if question["api"] == "chat" else stream.get_final_response()


def said(answer, question):
    if question["api"] == "chat":
        message = answer.choices[0].message
        if question["operation"] != "tool":
            return message.content
        call = message.tool_calls[0].function
        return {"name": call.name, "input": json.loads(call.arguments)}
    if answer.error is not None:
        raise RuntimeError(answer.error.message)
    if question["operation"] != "tool":
        return answer.output_text
    return {"name": answer.output[0].name, "input": json.loads(answer.output[0].arguments)}


def conversation(question):
    """Yields what to ask with, is sent each answer, and returns what came of three turns."""
    asked = arguments(question)
    chat = question["api"] == "chat"
    said = [{"role": "user", "content": PROMPT}]
    asked["messages" if chat else "input"] = said
    called, texts = None, []
    for _ in range(3):
        answer = yield asked
        if chat:
            message = answer.choices[0].message
            said.append(message)
            calls = [(call.id, call.function) for call in message.tool_calls or []]
            text = message.content
        else:
            said.extend(answer.output)
            calls = [(item.call_id, item) for item in answer.output if item.type == "function_call"]
            text = answer.output_text
        for id, function in calls:
            called = {"name": function.name, "input": json.loads(function.arguments)}
            result = question["weather"]
            said.append(
                {"role": "tool", "tool_call_id": id, "content": result}
                if chat
                else {"type": "function_call_output", "call_id": id, "output": result}
            )
        if not calls:
            texts.append(text)
            said.append({"role": "user", "content": question["more"]})
    return {"call": called, "said": texts}


def run_sync(question):
    client = openai.OpenAI(**settings(question))
    operation = question["operation"]
    if operation == "models":
        return [model.id for model in client.models.list()]
    if operation == "stream":
        with endpoint(client, question).stream(**arguments(question)) as stream:
            return said(final(stream, question), question)
    if operation == "converse":
        turns, answer = conversation(question), None
        while True:
            try:
                asked = turns.send(answer)
            except StopIteration as end:
                return end.value
            answer = endpoint(client, question).create(**asked)
    return said(endpoint(client, question).create(**arguments(question)), question)


async def run_async(question):
    async with openai.AsyncOpenAI(**settings(question)) as client:
        operation = question["operation"]
        if operation == "models":
            return [model.id async for model in client.models.list()]
        if operation == "stream":
            async with endpoint(client, question).stream(**arguments(question)) as stream:
                return said(await final(stream, question), question)
        if operation == "converse":
            turns, answer = conversation(question), None
            while True:
                try:
                    asked = turns.send(answer)
                except StopIteration as end:
                    return end.value
                answer = await endpoint(client, question).create(**asked)
        return said(await endpoint(client, question).create(**arguments(question)), question)


def explained(error):
    return {
        "type": type(error).__name__,
        "status": getattr(error, "status_code", None),
        "code": getattr(error, "code", None),
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
