"""Answers each line of JSON on standard input with one: what the openai package made of a request for embeddings."""

import asyncio
import json
import sys

import openai


def answered(embeddings):
    return {
        "model": embeddings.model,
        "tokens": embeddings.usage.prompt_tokens,
        "vectors": [row.embedding for row in embeddings.data],
    }


def asked(question):
    given = {"model": question["model"], "input": question["input"], **question["options"]}
    client = {"api_key": question["apiKey"], "base_url": question["origin"] + "/v1", "max_retries": 0}
    return client, given


def run_sync(question):
    client, given = asked(question)
    return answered(openai.OpenAI(**client).embeddings.create(**given))


async def run_async(question):
    client, given = asked(question)
    async with openai.AsyncOpenAI(**client) as opened:
        return answered(await opened.embeddings.create(**given))


for line in sys.stdin:
    question = json.loads(line)
    try:
        result = asyncio.run(run_async(question)) if question["awaited"] else run_sync(question)
        answer = {"result": result}
    except openai.APIStatusError as error:
        answer = {"error": {"type": type(error).__name__, "status": error.status_code, "code": error.code}}
    print(json.dumps(answer), flush=True)
